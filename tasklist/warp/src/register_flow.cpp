// Backward closure over definitions from branch predicates, guards and addresses; forward closure of loads.
#include "register_flow.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "carries.h"
#include "exchange.h"
#include "select_operation.h"
#include "special_registers.h"
#include "video.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

bool is_control(Opcode opcode) {
  return opcode == Opcode::bra || opcode == Opcode::brx || opcode == Opcode::ret || opcode == Opcode::exit ||
         opcode == Opcode::trap;
}

// Size of a bulk copy, coordinates of a tile, and the CTAs that get a copy: what decides beside an address
// how much is moved and where. Hints come behind these.
void collect_extent(const ptx::Function& kernel, const ptx::Instruction& instruction,
                    std::vector<ptx::RegisterId>& registers) {
  std::size_t wanted = (kernel.has(instruction, Modifier::tensor) ? 0 : 1) +
                       (kernel.has(instruction, Modifier::multicast_cluster) ? 1 : 0);
  for (const Operand& operand : kernel.operands(instruction)) {
    if (operand.kind == OperandKind::address && operand.has_elements)
      for (const Operand& part : kernel.elements(operand))
        collect_registers(kernel, part, registers);
    if (operand.kind == OperandKind::address || wanted == 0)
      continue;
    collect_registers(kernel, operand, registers);
    --wanted;
  }
}

std::vector<ptx::RegisterId> slice_roots(const ptx::Function& kernel, const tasklist::Tasklist& list,
                                         const Definitions& definitions) {
  std::vector<ptx::RegisterId> roots;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i)
    if (is_control(kernel.instructions[i].opcode))
      roots.insert(roots.end(), definitions.uses[i].reads.begin(), definitions.uses[i].reads.end());
  for (const tasklist::Task& task : list.tasks) {
    if (task.access == UINT16_MAX || task.instruction >= kernel.instructions.size())
      continue;
    const ptx::Instruction& instruction = kernel.instructions[task.instruction];
    if (instruction.guard != ptx::no_id)
      roots.push_back(instruction.guard);
    const Operand* address = address_operand(kernel, instruction, task);
    if (address != nullptr && address->id != ptx::no_id)
      roots.push_back(address->id);
    if (is_bulk_copy(kernel, instruction))
      collect_extent(kernel, instruction, roots);
  }
  return roots;
}

// Coordinates of textures and surfaces, which are no part of the slice: without the texture's description
// they are no addresses.
std::vector<ptx::RegisterId> texel_coordinates(const ptx::Function& kernel, const tasklist::Tasklist& list) {
  std::vector<ptx::RegisterId> registers;
  for (const tasklist::Task& task : list.tasks) {
    if (task.access == UINT16_MAX || task.instruction >= kernel.instructions.size())
      continue;
    for (const Operand& operand : kernel.operands(kernel.instructions[task.instruction]))
      if (operand.kind == OperandKind::address && operand.has_elements)
        for (const Operand& part : kernel.elements(operand))
          collect_registers(kernel, part, registers);
  }
  return registers;
}

bool accesses_texels(const ptx::Function& kernel) {
  constexpr Opcode images[] = {Opcode::tex, Opcode::tld4, Opcode::suld, Opcode::sust, Opcode::sured};
  return std::any_of(kernel.instructions.begin(), kernel.instructions.end(), [&](const ptx::Instruction& i) {
    return std::find(std::begin(images), std::end(images), i.opcode) != std::end(images);
  });
}

void close_slice(const ptx::Function& kernel, const Definitions& definitions,
                 std::vector<ptx::RegisterId> open, std::vector<bool>& in_slice) {
  while (!open.empty()) {
    const ptx::RegisterId r = open.back();
    open.pop_back();
    if (in_slice[r])
      continue;
    in_slice[r] = true;
    for (const std::uint32_t i : definitions.of[r]) {
      const ptx::Instruction& instruction = kernel.instructions[i];
      if (instruction.guard != ptx::no_id)
        open.push_back(instruction.guard);
      if (is_computed(kernel, instruction) && !is_parameter_load(kernel, instruction) &&
          !is_phase_test(kernel, instruction))
        open.insert(open.end(), definitions.uses[i].reads.begin(), definitions.uses[i].reads.end());
    }
  }
}

// Registers that may hold what an instruction writes for which is_source holds.
template <class IsSource>
std::vector<bool> reached_from(const ptx::Function& kernel, const Definitions& definitions,
                               IsSource&& is_source) {
  std::vector<bool> loaded(kernel.registers.size() + hidden_registers);
  std::vector<ptx::RegisterId> open;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i)
    if (is_source(kernel.instructions[i]))
      open.insert(open.end(), definitions.uses[i].writes.begin(), definitions.uses[i].writes.end());
  while (!open.empty()) {
    const ptx::RegisterId r = open.back();
    open.pop_back();
    if (loaded[r])
      continue;
    loaded[r] = true;
    for (const std::uint32_t i : definitions.reads[r])
      if (!is_phase_test(kernel, kernel.instructions[i]))
        open.insert(open.end(), definitions.uses[i].writes.begin(), definitions.uses[i].writes.end());
  }
  return loaded;
}

bool loads_own_memory(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  return (instruction.opcode == Opcode::ld || instruction.opcode == Opcode::ldmatrix) &&
         names_own_memory(kernel, instruction);
}

// Whether an instruction may change own memory: generic addresses may lead there.
bool stores_to_own_memory(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
  case Opcode::st:
  case Opcode::atom:
  case Opcode::red:
    return !kernel.has(instruction, Modifier::global);
  case Opcode::stmatrix:
  case Opcode::wmma:
  case Opcode::tcgen05:
  case Opcode::cp:
    return true;
  default:
    return false;
  }
}

bool names_parameters(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  constexpr Modifier parameters[] = {Modifier::param, Modifier::param_func};
  const auto modifiers = kernel.modifiers(instruction);
  return std::find_first_of(modifiers.begin(), modifiers.end(), std::begin(parameters),
                            std::end(parameters)) != modifiers.end();
}

// The .param variable that an access names; empty if it goes elsewhere or through a register.
std::string_view parameter_of(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  if (names_parameters(kernel, instruction))
    for (const Operand& operand : kernel.operands(instruction))
      if (operand.kind == OperandKind::address)
        return operand.name;
  return {};
}

// Whether the slice may depend on what lies in buffers, if shared, local and parameter memory are followed
// too.
class BufferDependence {
public:
  BufferDependence(const ptx::Function& kernel, const Definitions& definitions)
      : kernel_(kernel), definitions_(definitions) {}

  bool run(const std::vector<ptx::RegisterId>& roots) {
    for (bool is_new = true; is_new;) {
      const std::vector<bool> loaded =
          reached_from(kernel_, definitions_, [this](const ptx::Instruction& i) { return gives_loaded(i); });
      const auto is_loaded = [&](ptx::RegisterId r) { return loaded[r]; };
      if (std::any_of(roots.begin(), roots.end(), is_loaded))
        return true;
      is_new = false;
      for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
        const ptx::Instruction& instruction = kernel_.instructions[i];
        const auto& reads = definitions_.uses[i].reads;
        if (!stores_to_own_memory(kernel_, instruction) ||
            (instruction.opcode != Opcode::cp && std::none_of(reads.begin(), reads.end(), is_loaded)))
          continue;
        const std::string_view parameter = parameter_of(kernel_, instruction);
        if (parameter.empty())
          return true; // memory that takes a loaded value may give it back
        is_new = parameters_.insert(parameter).second || is_new;
      }
    }
    return false;
  }

private:
  // What the driver's functions give, malloc's addresses above all, and alloca does not come from buffers.
  bool gives_loaded(const ptx::Instruction& i) const {
    if (loads_own_memory(kernel_, i)) {
      const std::string_view parameter = parameter_of(kernel_, i);
      return parameter.empty() ? names_parameters(kernel_, i) && !parameters_.empty()
                               : parameters_.count(parameter) != 0;
    }
    const bool gives_place =
        i.opcode == Opcode::call || i.opcode == Opcode::alloca || i.opcode == Opcode::stacksave;
    return !is_computed(kernel_, i) && !gives_place;
  }

  const ptx::Function& kernel_;
  const Definitions& definitions_;
  std::set<std::string_view> parameters_; // of calls, that take a loaded value
};

} // namespace

bool is_parameter_load(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  if (instruction.opcode != Opcode::ld)
    return false;
  const auto operands = kernel.operands(instruction);
  if (operands.size() != 2 || operands[1].kind != OperandKind::address || operands[1].name.empty())
    return false;
  return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                     [&](const ptx::Variable& p) { return p.name == operands[1].name; });
}

bool names_own_memory(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  constexpr Modifier own[] = {Modifier::shared, Modifier::shared_cta, Modifier::local, Modifier::param,
                              Modifier::param_func};
  const auto modifiers = kernel.modifiers(instruction);
  return std::find_first_of(modifiers.begin(), modifiers.end(), std::begin(own), std::end(own)) !=
         modifiers.end();
}

bool is_computed(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  if (is_parameter_load(kernel, instruction) || is_query_of_cancel(kernel, instruction) ||
      is_phase_test(kernel, instruction))
    return true;
  const auto operands = kernel.operands(instruction);
  const bool unknown_special = std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.kind == OperandKind::special && operand.name != "WARP_SZ" && !find_special(operand.name);
  });
  const InstructionForm form = form_of(kernel, instruction);
  const auto selection = select_operation(form);
  return !unknown_special && ((selection && !selection->inexact) || select_exchange(form) ||
                              select_carry(form) || select_video(form) || form.opcode == Opcode::isspacep ||
                              (form.opcode == Opcode::mov && form.type() == ptx::Type::b128));
}

bool is_bulk_copy(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  const bool copies = instruction.opcode == Opcode::cp || instruction.opcode == Opcode::multimem;
  return (copies && kernel.has(instruction, Modifier::bulk)) ||
         (instruction.opcode == Opcode::clusterlaunchcontrol &&
          kernel.has(instruction, Modifier::try_cancel));
}

bool is_query_of_cancel(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  return instruction.opcode == Opcode::clusterlaunchcontrol && !is_bulk_copy(kernel, instruction);
}

bool is_phase_test(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  if (instruction.opcode != Opcode::mbarrier)
    return false;
  const InstructionForm form = form_of(kernel, instruction);
  return form.has(Modifier::test_wait) || form.has(Modifier::try_wait);
}

// Of [to], [from], bytes, [barrier], or of a tensor copy, whose map has coordinates.
static const Operand* bulk_address(const ptx::Function& kernel, const ptx::Instruction& instruction,
                                   const tasklist::Task& task) {
  const Operand* first = nullptr;
  for (const Operand& operand : kernel.operands(instruction)) {
    if (operand.kind != OperandKind::address)
      continue;
    if (operand.has_elements || (first != nullptr && task.kind == tasklist::TaskKind::load))
      return &operand;
    first = first == nullptr ? &operand : first;
  }
  return first;
}

const Operand* address_operand(const ptx::Function& kernel, const ptx::Instruction& instruction,
                               const tasklist::Task& task) {
  if (is_bulk_copy(kernel, instruction))
    return bulk_address(kernel, instruction, task);
  const Operand* found = nullptr;
  // cp.async [shared], [global]: the first address is the destination.
  const bool first_only = task.space == tasklist::Space::shared;
  for (const Operand& operand : kernel.operands(instruction))
    if (operand.kind == OperandKind::address) {
      found = &operand;
      if (first_only || instruction.opcode != Opcode::cp)
        break;
    }
  return found;
}

std::vector<bool> deciding_registers(const ptx::Function& kernel, const tasklist::Tasklist& list,
                                     bool with_texels) {
  const Definitions definitions = definitions_of(kernel);
  std::vector<ptx::RegisterId> open = slice_roots(kernel, list, definitions);
  if (with_texels) {
    const auto coordinates = texel_coordinates(kernel, list);
    open.insert(open.end(), coordinates.begin(), coordinates.end());
  }
  std::vector<bool> decides(definitions.of.size());
  while (!open.empty()) {
    const ptx::RegisterId r = open.back();
    open.pop_back();
    if (decides[r])
      continue;
    decides[r] = true;
    for (const std::uint32_t i : definitions.of[r])
      open.insert(open.end(), definitions.uses[i].reads.begin(), definitions.uses[i].reads.end());
  }
  return decides;
}

RegisterFlow analyse_registers(const ptx::Function& kernel, const tasklist::Tasklist& list, Scope scope) {
  const Definitions definitions = definitions_of(kernel);
  RegisterFlow flow;
  const std::size_t registers = kernel.registers.size() + hidden_registers;
  flow.in_slice.resize(registers, scope == Scope::everything);
  for (const auto& of : definitions.of)
    flow.definition_count.push_back(static_cast<std::uint32_t>(of.size()));
  const std::vector<ptx::RegisterId> roots = slice_roots(kernel, list, definitions);
  close_slice(kernel, definitions, roots, flow.in_slice);
  flow.depends_on_loads =
      reached_from(kernel, definitions, [&](const ptx::Instruction& i) { return !is_computed(kernel, i); });
  flow.slice_depends_on_loads =
      std::any_of(roots.begin(), roots.end(), [&](ptx::RegisterId r) { return flow.depends_on_loads[r]; });
  flow.slice_depends_on_buffers =
      flow.slice_depends_on_loads && BufferDependence(kernel, definitions).run(roots);
  flow.has_texels = accesses_texels(kernel);
  flow.texels_depend_on_buffers =
      flow.has_texels && BufferDependence(kernel, definitions).run(texel_coordinates(kernel, list));
  return flow;
}

} // namespace kerncast::warp
