// Which parameters a register may be computed from, forwards to a fixed point; then what each instruction
// does with its addresses.
#include "warp/memory_use.h"

#include <algorithm>

#include "register_flow.h"

namespace kerncast::warp {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

// What a value may be made from: a bit per parameter, and three more.
class Origins {
public:
  explicit Origins(std::size_t parameters) : bits_(parameters + first_parameter) {}

  void add_parameter(std::size_t p) { bits_[p + first_parameter] = true; }
  void add_variables() { bits_[0] = true; }
  void add_own() { bits_[1] = true; } // shared and local memory
  void add_loaded() { bits_[loaded] = true; }
  bool names_no_place() const {
    return std::count(bits_.begin(), bits_.end(), true) == (bits_[loaded] ? 1 : 0);
  }
  bool may_be_own() const { return bits_[1]; }
  // Whether that changes anything.
  bool add(const Origins& other) {
    bool changed = false;
    for (std::size_t i = 0; i < bits_.size(); ++i)
      if (other.bits_[i] && !bits_[i])
        changed = bits_[i] = true;
    return changed;
  }
  void add_to(MemoryPlaces& places) const {
    places.variables = places.variables || bits_[0];
    places.loaded = places.loaded || bits_[loaded];
    for (std::size_t p = 0; p < places.parameters.size(); ++p)
      if (bits_[p + first_parameter])
        places.parameters[p] = true;
  }

private:
  static constexpr std::size_t loaded = 2, first_parameter = 3;
  std::vector<bool> bits_; // .global and .const variables, own memory, loaded values, parameters
};

bool is_any_of(Opcode opcode, std::initializer_list<Opcode> list) {
  return std::find(list.begin(), list.end(), opcode) != list.end();
}

// Forwards to a fixed point.
class OriginFinder {
public:
  OriginFinder(const ptx::Module& module, const ptx::Function& kernel)
      : module_(module), kernel_(kernel), definitions_(definitions_of(kernel)),
        origins_(definitions_.of.size(), Origins(kernel.parameters.size())) {
    spread_origins();
  }

  const Definitions& definitions() const { return definitions_; }

  Origins origins_of(const Operand& operand) const {
    std::vector<ptx::RegisterId> registers;
    collect_registers(kernel_, operand, registers);
    Origins origins(kernel_.parameters.size());
    for (const ptx::RegisterId r : registers)
      origins.add(origins_[r]);
    const bool is_named = operand.kind == OperandKind::symbol || operand.kind == OperandKind::address;
    if (is_named && !operand.name.empty())
      origins.add(origins_of_name(operand.name));
    return origins;
  }

  bool has_address(const Instruction& instruction) const {
    const auto operands = kernel_.operands(instruction);
    return std::any_of(operands.begin(), operands.end(),
                       [](const Operand& o) { return o.kind == OperandKind::address; });
  }

private:
  bool is_predicate(ptx::RegisterId r) const {
    return r >= kernel_.registers.size() || kernel_.registers[r].type == ptx::Type::pred;
  }

  Origins origins_of_name(std::string_view name) const {
    Origins origins(kernel_.parameters.size());
    for (std::size_t p = 0; p < kernel_.parameters.size(); ++p)
      if (kernel_.parameters[p].name == name) {
        origins.add_parameter(p);
        return origins;
      }
    const auto is_own = [&](const ptx::Variable& v) {
      return v.name == name && v.space != ptx::Space::global && v.space != ptx::Space::constant;
    };
    if (std::any_of(kernel_.variables.begin(), kernel_.variables.end(), is_own) ||
        std::any_of(module_.globals.begin(), module_.globals.end(), is_own))
      origins.add_own();
    else
      origins.add_variables();
    return origins;
  }

  // What loads give is a pointer only where some launch has stored one.
  Origins result_of(std::uint32_t instruction) const {
    Origins result(kernel_.parameters.size());
    const Instruction& i = kernel_.instructions[instruction];
    if (!is_parameter_load(kernel_, i) && has_address(i)) {
      result.add_loaded();
      return result;
    }
    for (const ptx::RegisterId r : definitions_.uses[instruction].reads)
      result.add(origins_[r]);
    for (const Operand& operand : kernel_.operands(i))
      if (operand.kind == OperandKind::symbol || operand.kind == OperandKind::address)
        result.add(origins_of(operand));
    return result;
  }

  void spread_origins() {
    std::vector<std::uint32_t> open(kernel_.instructions.size());
    for (std::uint32_t i = 0; i < open.size(); ++i)
      open[i] = static_cast<std::uint32_t>(open.size()) - 1 - i; // the first one is looked at first
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      const Origins result = result_of(i);
      for (const ptx::RegisterId r : definitions_.uses[i].writes)
        if (!is_predicate(r) && origins_[r].add(result))
          open.insert(open.end(), definitions_.reads[r].begin(), definitions_.reads[r].end());
    }
  }

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  const Definitions definitions_;
  std::vector<Origins> origins_; // by register
};

class UseFinder {
public:
  UseFinder(const ptx::Module& module, const ptx::Function& kernel, const tasklist::Tasklist& list,
            bool texels_are_known)
      : kernel_(kernel), origins_(module, kernel),
        decides_(deciding_registers(kernel, list, texels_are_known)) {
    for (MemoryPlaces* places : {&use_.reads, &use_.writes, &use_.decides, &use_.stored, &use_.left})
      places->parameters.resize(kernel.parameters.size());
  }

  MemoryUse run() {
    for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i)
      look_at(i);
    if (decides_all_)
      use_.decides = use_.reads;
    return std::move(use_);
  }

private:
  void look_at(std::uint32_t instruction) {
    const Instruction& i = kernel_.instructions[instruction];
    if (i.opcode == Opcode::call) // of the driver's functions, which change no buffer
      return;
    note_names_of_parameters(i);
    const auto& writes = origins_.definitions().uses[instruction].writes;
    const bool decides =
        std::any_of(writes.begin(), writes.end(), [&](ptx::RegisterId r) { return decides_[r]; });
    if (is_any_of(i.opcode, {Opcode::wgmma, Opcode::tcgen05})) // descriptors of shared memory are values
      decides_all_ = decides_all_ || decides;
    if (i.opcode == Opcode::tcgen05) // whose addresses lie in no buffer
      return look_at_values(i, true);
    if (!origins_.has_address(i) || is_parameter_load(kernel_, i))
      return;
    if (is_any_of(i.opcode, {Opcode::tex, Opcode::tld4, Opcode::txq, Opcode::suld, Opcode::suq, Opcode::sust,
                             Opcode::sured}))
      return look_at_texels(i, decides);
    const bool is_own = names_own_memory(kernel_, i) && i.opcode != Opcode::cp && !is_bulk_copy(kernel_, i);
    look_at_values(i, is_own);
    decides_all_ = decides_all_ || (is_own && decides);
    if (!is_own)
      look_at_addresses(i, decides);
  }

  // A parameter's own address: through it any parameter may be loaded.
  void note_names_of_parameters(const Instruction& i) {
    for (const Operand& operand : kernel_.operands(i))
      if (operand.kind == OperandKind::symbol &&
          std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(),
                      [&](const ptx::Variable& p) { return p.name == operand.name; }))
        add_everything();
  }

  void look_at_texels(const Instruction& i, bool decides) {
    use_.reads.texels = true;
    use_.decides.texels = use_.decides.texels || decides;
    if (is_any_of(i.opcode, {Opcode::sust, Opcode::sured}))
      use_.writes.texels = true;
  }

  void look_at_values(const Instruction& i, bool is_own) {
    if (is_any_of(i.opcode, {Opcode::ld, Opcode::ldu, Opcode::ldmatrix}))
      return;
    for (const Operand& operand : kernel_.operands(i))
      if (operand.kind != OperandKind::address) {
        origins_.origins_of(operand).add_to(use_.stored);
        if (!is_own)
          origins_.origins_of(operand).add_to(use_.left);
      }
  }

  void look_at_addresses(const Instruction& i, bool decides) {
    const bool only_reads = is_any_of(i.opcode, {Opcode::ld, Opcode::ldu, Opcode::prefetch});
    const bool only_writes = i.opcode == Opcode::st;
    for (const Operand& operand : kernel_.operands(i)) {
      if (operand.kind != OperandKind::address)
        continue;
      const Origins origins = origins_.origins_of(operand);
      if (origins.names_no_place())
        return add_everything();
      decides_all_ = decides_all_ || (decides && origins.may_be_own());
      if (!only_writes)
        origins.add_to(use_.reads);
      if (!only_reads)
        origins.add_to(use_.writes);
      if (decides && !only_writes)
        origins.add_to(use_.decides);
    }
  }

  void add_everything() { use_.reads.everything = use_.writes.everything = use_.decides.everything = true; }

  const ptx::Function& kernel_;
  const OriginFinder origins_;
  const std::vector<bool> decides_;
  bool decides_all_ = false; // some decision depends on shared or local memory
  MemoryUse use_;
};

} // namespace

MemoryUse memory_use(const ptx::Module& module, const ptx::Function& kernel, const tasklist::Tasklist& list,
                     bool texels_are_known) {
  return UseFinder(module, kernel, list, texels_are_known).run();
}

std::vector<std::vector<std::uint32_t>> address_parameters(const ptx::Module& module,
                                                           const ptx::Function& kernel,
                                                           const tasklist::Tasklist& list,
                                                           std::span<const tasklist::TaskId> tasks) {
  const OriginFinder origins(module, kernel);
  std::vector<std::vector<std::uint32_t>> found;
  for (const tasklist::TaskId t : tasks) {
    const Instruction& instruction = kernel.instructions[list.tasks[t].instruction];
    const Operand* address = address_operand(kernel, instruction, list.tasks[t]);
    MemoryPlaces places;
    places.parameters.resize(kernel.parameters.size());
    if (address != nullptr)
      origins.origins_of(*address).add_to(places);
    std::vector<std::uint32_t>& parameters = found.emplace_back();
    for (std::uint32_t p = 0; p < places.parameters.size(); ++p)
      if (places.parameters[p])
        parameters.push_back(p);
  }
  return found;
}

} // namespace kerncast::warp
