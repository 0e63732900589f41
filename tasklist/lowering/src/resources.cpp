#include "resources.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace kerncast::lowering {

namespace {

std::uint32_t alignment_of(const ptx::Variable& variable) {
  const std::uint32_t natural = ptx::size_bytes(variable.type) * variable.vector_length;
  return std::max(variable.alignment == 0 ? natural : variable.alignment, 1U);
}

// Lays variables one after the other, each at its alignment.
struct Layout {
  std::uint64_t end = 0;
  std::uint32_t place(const ptx::Variable& variable) {
    const std::uint32_t alignment = alignment_of(variable);
    const std::uint64_t begin = (end + alignment - 1) / alignment * alignment;
    end = begin + variable.bytes();
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(begin, UINT32_MAX));
  }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(std::min<std::uint64_t>(end, UINT32_MAX)); }
};

// Parameters that are pointers: loaded, perhaps copied or converted, and then used as an address. Pointers
// inside structures and pointers that only take part in sums are not seen.
class PointerFinder {
public:
  PointerFinder(const ptx::Function& kernel, std::vector<tasklist::Parameter>& parameters)
      : kernel_(kernel), parameters_(parameters), parameter_of_(kernel.registers.size(), tasklist::no_id),
        names_(kernel) {}
  void run() {
    left_ = static_cast<std::size_t>(std::ranges::count_if(
        parameters_, [](const tasklist::Parameter& p) { return p.bytes == 8 && !p.is_pointer; }));
    for (auto i = kernel_.instructions.begin(); i != kernel_.instructions.end() && left_ > 0; ++i) {
      visit(*i);
    }
  }

private:
  void visit(const ptx::Instruction& instruction) {
    const auto operands = kernel_.operands(instruction);
    for (const ptx::Operand& operand : operands) {
      if (operand.kind == ptx::OperandKind::address) {
        mark(operand);
      }
    }
    const bool passes_argument = instruction.opcode == ptx::Opcode::st && operands.size() == 2 &&
                                 operands[0].kind == ptx::OperandKind::address && !operands[0].name.empty();
    if (passes_argument) {
      pass(operands[0], operands[1]);
    }
    const bool has_two = operands.size() == 2 && operands[0].kind == ptx::OperandKind::reg;
    if (!has_two) {
      return;
    }
    if (instruction.opcode == ptx::Opcode::ld && operands[1].kind == ptx::OperandKind::address) {
      load(operands[0].id, operands[1]);
    } else if (instruction.opcode == ptx::Opcode::cvta) {
      mark(operands[1]);
      copy(operands[0].id, operands[1]);
    } else if (instruction.opcode == ptx::Opcode::mov) {
      copy(operands[0].id, operands[1]);
    }
  }

  void load(ptx::RegisterId result, const ptx::Operand& address) {
    if (address.name.empty()) {
      return;
    }
    const auto parameter = names_.find(address.name);
    if (parameter && parameters_[*parameter].bytes == 8) {
      parameter_of_[result] = *parameter;
    } else if (const auto passed = passed_.find({address.name, address.value}); passed != passed_.end()) {
      parameter_of_[result] = passed->second;
    }
  }
  // An argument of an inlined call: st.param [name+offset], register.
  void pass(const ptx::Operand& address, const ptx::Operand& source) {
    if (source.kind == ptx::OperandKind::reg && parameter_of_[source.id] != tasklist::no_id) {
      passed_[{address.name, address.value}] = parameter_of_[source.id];
    }
  }
  void copy(ptx::RegisterId result, const ptx::Operand& source) {
    if (source.kind == ptx::OperandKind::reg) {
      parameter_of_[result] = parameter_of_[source.id];
    }
  }
  void mark(const ptx::Operand& operand) {
    const bool has_register = operand.kind == ptx::OperandKind::reg ||
                              (operand.kind == ptx::OperandKind::address && operand.name.empty());
    if (!has_register || operand.id == ptx::no_id || parameter_of_[operand.id] == tasklist::no_id) {
      return;
    }
    tasklist::Parameter& parameter = parameters_[parameter_of_[operand.id]];
    left_ -= parameter.is_pointer ? 0 : 1;
    parameter.is_pointer = true;
  }

  const ptx::Function& kernel_;
  std::vector<tasklist::Parameter>& parameters_;
  std::vector<std::uint32_t> parameter_of_; // by register
  std::size_t left_ = 0;                    // parameters that may be pointers and have not been seen to be
  ParameterNames names_;
  std::map<std::pair<std::string_view, std::int64_t>, std::uint32_t> passed_; // by variable and offset
};

void read_parameters(const ptx::Function& kernel, tasklist::Tasklist& list) {
  list.parameters.reserve(kernel.parameters.size());
  Layout layout;
  for (const ptx::Variable& variable : kernel.parameters) {
    tasklist::Parameter& parameter = list.parameters.emplace_back();
    parameter.name = variable.name;
    parameter.bytes = static_cast<std::uint32_t>(variable.bytes());
    parameter.offset = layout.place(variable);
    parameter.is_pointer = variable.is_pointer;
    parameter.is_float = ptx::is_float(variable.type) && !variable.is_array;
  }
  PointerFinder(kernel, list.parameters).run();
}

bool is_shared(const ptx::Variable& variable) { return variable.space == ptx::Space::shared; }

// Module-scope shared variables that the kernel names: by global, 1 if it does.
std::vector<std::uint8_t> shared_globals_named(const ptx::Module& module, const ptx::Function& kernel) {
  std::vector<std::uint8_t> are_named(module.globals.size(), 0);
  std::vector<std::pair<std::string_view, std::size_t>> by_name;
  for (std::size_t i = 0; i < module.globals.size(); ++i) {
    if (is_shared(module.globals[i])) {
      by_name.emplace_back(module.globals[i].name, i);
    }
  }
  if (by_name.empty()) {
    return are_named;
  }
  std::ranges::sort(by_name);
  for (const ptx::Operand& operand : kernel.operand_pool) {
    if (operand.name.empty() || operand.kind == ptx::OperandKind::label) {
      continue;
    }
    const auto [first, last] =
        std::ranges::equal_range(by_name, operand.name, {}, &std::pair<std::string_view, std::size_t>::first);
    for (auto named = first; named != last; ++named) {
      are_named[named->second] = 1;
    }
  }
  return are_named;
}

Layout local_layout(const ptx::Function& function) {
  Layout layout;
  for (const ptx::Variable& variable : function.variables) {
    if (variable.space == ptx::Space::local) {
      layout.place(variable);
    }
  }
  return layout;
}

void read_memory(const ptx::Module& module, const ptx::Function& kernel, tasklist::Tasklist& list) {
  Layout shared;
  const std::vector<std::uint8_t> are_named = shared_globals_named(module, kernel);
  for (std::size_t i = 0; i < module.globals.size(); ++i) {
    if (are_named[i] != 0) {
      shared.place(module.globals[i]);
    }
  }
  for (const ptx::Variable& variable : kernel.variables) {
    if (is_shared(variable)) {
      shared.place(variable);
    }
  }
  list.static_shared_bytes = shared.bytes();
  list.local_bytes_per_thread = local_layout(kernel).bytes();
}

std::uint32_t threads(const std::uint32_t (&extent)[3]) {
  std::uint64_t product = extent[0];
  for (const std::uint32_t size : {extent[1], extent[2]}) {
    product *= std::max(size, 1U);
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(product, UINT32_MAX));
}

} // namespace

std::optional<std::uint32_t> ParameterNames::find(std::string_view name) {
  const auto count = static_cast<std::uint32_t>(kernel_.parameters.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t parameter = (next_ + i) % count;
    if (kernel_.parameters[parameter].name == name) {
      next_ = parameter + 1;
      return parameter;
    }
  }
  return std::nullopt;
}

ParameterOffsets::ParameterOffsets(const ptx::Function& kernel) : names_(kernel) {
  Layout layout;
  offsets_.reserve(kernel.parameters.size());
  for (const ptx::Variable& variable : kernel.parameters) {
    offsets_.push_back(layout.place(variable));
  }
}

std::optional<std::uint32_t> ParameterOffsets::offset_of(std::string_view name) {
  const auto parameter = names_.find(name);
  return parameter ? std::optional(offsets_[*parameter]) : std::nullopt;
}

bool is_debug(const ptx::Module& module) {
  return std::ranges::find(module.target_options, "debug") != module.target_options.end();
}

void read_resources(const ptx::Module& module, const ptx::Function& kernel, tasklist::Tasklist& list) {
  list.kernel = kernel.name;
  list.target = module.target;
  list.source_name = module.source ? module.source->name() : std::string{};
  read_parameters(kernel, list);
  read_memory(module, kernel, list);
  list.max_threads_per_cta = std::max(threads(kernel.max_threads), threads(kernel.required_threads));
  list.min_ctas_per_sm = kernel.min_ctas_per_sm;
  list.max_registers = kernel.max_registers;
  list.is_debug = is_debug(module);
}

std::uint64_t local_bytes_of(const ptx::Function& function) { return local_layout(function).end; }

// "Maximum amount of local memory per thread" of all devices since compute capability 2.0 (CUDA Programming
// Guide, Technical Specifications per Compute Capability); ptxas takes more, which no device launches.
Expected<void> check_local_memory(const ptx::Module& module, const ptx::Function& kernel,
                                  std::uint64_t bytes) {
  constexpr std::uint64_t most = 512 * 1024;
  if (bytes <= most) {
    return {};
  }
  return fail(module.text().error(
      kernel.place, 1, fmt::format("its .local variables take {} bytes a thread", bytes),
      {fmt::format("a thread has at most {} bytes of local memory; put large arrays into buffers", most)}));
}

} // namespace kerncast::lowering
