#include "function_copy.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "parameter_registers.h"

namespace kerncast::lowering {

using ptx::Operand;
using ptx::OperandKind;

namespace {

Operand label_operand(ptx::LabelId label, Place place) {
  Operand operand;
  operand.kind = OperandKind::label;
  operand.id = label;
  operand.place = place;
  return operand;
}

} // namespace

FunctionCopy::FunctionCopy(const ptx::Function& kernel)
    : kernel_(kernel), names_(std::make_shared<std::deque<std::string>>()) {
  out_ = kernel;
  out_.variables.clear();
  out_.registers.clear();
  out_.labels.clear();
  out_.instructions.clear();
  out_.source_lines.clear();
  out_.pragmas.clear();
  out_.items.clear();
  out_.operand_pool.clear();
  out_.modifier_pool.clear();
}

InlinedKernel FunctionCopy::finish() && {
  put_parameters_in_registers(out_, *names_);
  return {std::move(out_), std::move(call_of_), std::move(calls_), {}, std::move(names_)};
}

void FunctionCopy::append(ptx::Instruction instruction) {
  out_.instructions.push_back(instruction);
  call_of_.push_back(call_);
}

const FunctionCopy::Shared& FunctionCopy::shared_of(const ptx::Function& function) {
  const auto found = shared_.find(&function);
  return found != shared_.end() ? found->second : shared_.emplace(&function, share(function)).first->second;
}

FunctionCopy::Shared FunctionCopy::share(const ptx::Function& function) {
  Shared shared;
  shared.modifier_base = static_cast<std::uint32_t>(out_.modifier_pool.size());
  out_.modifier_pool.insert(out_.modifier_pool.end(), function.modifier_pool.begin(),
                            function.modifier_pool.end());
  shared.source_base = static_cast<std::uint32_t>(out_.source_lines.size());
  out_.source_lines.insert(out_.source_lines.end(), function.source_lines.begin(),
                           function.source_lines.end());
  shared.labels.resize(function.labels.size());
  std::iota(shared.labels.begin(), shared.labels.end(), 0U);
  std::stable_sort(shared.labels.begin(), shared.labels.end(), [&](ptx::LabelId a, ptx::LabelId b) {
    return function.labels[a].instruction < function.labels[b].instruction;
  });
  for (std::uint32_t i = 0; i < function.variables.size(); ++i) {
    const ptx::Variable& variable = function.variables[i];
    shared.variables[variable.name].push_back(i);
    // A function is not called while it is being called, so its calls may share .local variables.
    const bool is_shared = variable.space != ptx::Space::param;
    shared.names.push_back(is_shared ? add_variable(variable, new_name(variable.name)) : std::string_view{});
  }
  return shared;
}

std::string_view FunctionCopy::new_name(std::string_view name) {
  return names_->emplace_back(fmt::format("{}.{}", name, names_->size()));
}

std::string_view FunctionCopy::add_variable(ptx::Variable variable, std::string_view name) {
  variable.name = name;
  out_.variables.push_back(std::move(variable));
  return name;
}

FunctionInstance FunctionCopy::start(const ptx::Function& function, const NameBindings& bindings) {
  FunctionInstance instance;
  instance.function = &function;
  instance.register_base = static_cast<std::uint32_t>(out_.registers.size());
  instance.label_base = static_cast<std::uint32_t>(out_.labels.size());
  instance.parameters = bindings;
  const Shared& shared = shared_of(function);
  out_.registers.insert(out_.registers.end(), function.registers.begin(), function.registers.end());
  out_.labels.insert(out_.labels.end(), function.labels.begin(), function.labels.end());
  for (std::uint32_t i = 0; i < function.variables.size(); ++i) {
    const bool is_shared = !shared.names[i].empty();
    instance.variables.push_back(
        is_shared ? shared.names[i]
                  : add_variable(function.variables[i], new_name(function.variables[i].name)));
  }
  if (&function != &kernel_) {
    instance.call = static_cast<std::uint32_t>(calls_.size());
    calls_.push_back(function.name);
    for (const auto* formals : {&function.parameters, &function.return_parameters}) {
      for (const ptx::Variable& parameter : *formals) {
        if (parameter.space != ptx::Space::reg && bindings.count(parameter.name) == 0) {
          instance.parameters[parameter.name] = add_variable(parameter, new_name(parameter.name));
        }
      }
    }
  }
  return instance;
}

void FunctionCopy::place_labels(FunctionInstance& instance, std::uint32_t next) {
  const auto& labels = shared_of(*instance.function).labels;
  while (instance.next_label < labels.size() &&
         instance.function->labels[labels[instance.next_label]].instruction <= next) {
    place_label(instance.label_base + labels[instance.next_label++]);
  }
  const auto& pragmas = instance.function->pragmas;
  for (; instance.next_pragma < pragmas.size() && pragmas[instance.next_pragma].instruction <= next;
       ++instance.next_pragma) {
    out_.pragmas.push_back(pragmas[instance.next_pragma]);
    out_.pragmas.back().instruction = static_cast<std::uint32_t>(out_.instructions.size());
  }
}

ptx::LabelId FunctionCopy::new_label(Place place) {
  out_.labels.push_back({{}, ptx::no_id, place});
  return static_cast<ptx::LabelId>(out_.labels.size() - 1);
}

void FunctionCopy::place_label(ptx::LabelId label) {
  out_.labels[label].instruction = static_cast<std::uint32_t>(out_.instructions.size());
}

void FunctionCopy::add(const FunctionInstance& instance, const ptx::Instruction& instruction) {
  const Shared& shared = shared_of(*instance.function);
  ptx::Instruction copied = instruction;
  if (copied.guard != ptx::no_id) {
    copied.guard += instance.register_base;
  }
  copied.modifiers.begin += shared.modifier_base;
  copied.operands = copy_range(instance, instruction.operands);
  if (copied.source != ptx::no_id) {
    copied.source += shared.source_base;
  }
  append(copied);
}

void FunctionCopy::add_branch(const FunctionInstance& instance, const ptx::Instruction& like,
                              bool guard_negated, ptx::LabelId target) {
  add_branch(target, like.place);
  if (like.guard != ptx::no_id) {
    out_.instructions.back().guard = like.guard + instance.register_base;
    out_.instructions.back().guard_negated = guard_negated;
  }
}

void FunctionCopy::add_branch(ptx::LabelId target, Place place) {
  ptx::Instruction branch;
  branch.opcode = ptx::Opcode::bra;
  branch.place = place;
  branch.operands = add_operands({label_operand(target, place)});
  append(branch);
}

void FunctionCopy::add_dispatch(const Operand& address, const std::vector<ptx::LabelId>& targets,
                                std::string_view first_function, Place place) {
  Operand first;
  first.kind = OperandKind::symbol;
  first.name = first_function;
  first.place = place;
  std::vector<Operand> labels;
  for (const ptx::LabelId target : targets) {
    labels.push_back(target == ptx::no_id ? Operand{} : label_operand(target, place));
  }
  ptx::Instruction branch;
  branch.opcode = ptx::Opcode::brx;
  branch.place = place;
  branch.modifiers = add_modifiers({"idx"});
  const Operand list = vector_of(labels, place);
  branch.operands = add_operands({address, list, first});
  append(branch);
}

void FunctionCopy::add_move(const Operand& to, const Operand& from, ptx::Type type, Place place) {
  if (to.kind == OperandKind::sink || from.kind == OperandKind::sink) {
    return;
  }
  ptx::Instruction move;
  move.place = place;
  move.operands = add_operands({to, from});
  if (to.kind == OperandKind::address || from.kind == OperandKind::address) {
    move.opcode = to.kind == OperandKind::address ? ptx::Opcode::st : ptx::Opcode::ld;
    move.modifiers = add_modifiers({"param", ptx::name(type)});
  } else {
    move.opcode = ptx::Opcode::mov;
    move.modifiers = add_modifiers({ptx::name(type)});
  }
  append(move);
}

Operand FunctionCopy::new_register(ptx::Type type, Place place) {
  Operand operand;
  operand.kind = OperandKind::reg;
  operand.place = place;
  operand.id = static_cast<ptx::RegisterId>(out_.registers.size());
  out_.registers.push_back(
      {names_->emplace_back(fmt::format("{}{}", made_register, operand.id)), type, 1, place});
  return operand;
}

Operand FunctionCopy::vector_of(const std::vector<Operand>& elements, Place place) {
  Operand operand;
  operand.kind = OperandKind::vector;
  operand.place = place;
  operand.set_elements(
      {static_cast<std::uint32_t>(out_.operand_pool.size()), static_cast<std::uint32_t>(elements.size())});
  out_.operand_pool.insert(out_.operand_pool.end(), elements.begin(), elements.end());
  return operand;
}

Operand FunctionCopy::save_stack(std::uint32_t address_bits, Place place) {
  const ptx::Type type = address_bits == 32 ? ptx::Type::u32 : ptx::Type::u64;
  ptx::Instruction save;
  save.opcode = ptx::Opcode::stacksave;
  save.place = place;
  save.modifiers = add_modifiers({ptx::name(type)});
  const Operand saved = new_register(type, place);
  save.operands = add_operands({saved});
  append(save);
  return saved;
}

void FunctionCopy::restore_stack(const Operand& saved, Place place) {
  ptx::Instruction restore;
  restore.opcode = ptx::Opcode::stackrestore;
  restore.place = place;
  restore.modifiers = add_modifiers({ptx::name(out_.registers[saved.id].type)});
  restore.operands = add_operands({saved});
  append(restore);
}

void FunctionCopy::add_system_call(const FunctionInstance& caller, const ptx::Instruction& call,
                                   const ptx::Function& callee) {
  const auto operands = caller.function->operands(call);
  // A .param variable's name, or a register or number.
  const auto actual = [&](const Operand& operand) {
    Operand copied = copy(caller, operand);
    copied.kind = copied.kind == OperandKind::symbol ? OperandKind::address : copied.kind;
    return copied;
  };
  std::vector<Operand> arguments, results;
  for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
    arguments.push_back(new_register(callee.parameters[i].type, call.place));
    add_move(arguments.back(), actual(caller.function->elements(operands[2])[i]), callee.parameters[i].type,
             call.place);
  }
  for (const ptx::Variable& formal : callee.return_parameters) {
    results.push_back(new_register(formal.type, call.place));
  }
  Operand name = copy(caller, operands[1]);
  name.name = callee.name;
  ptx::Instruction kept;
  kept.opcode = call.opcode;
  kept.place = call.place;
  kept.source =
      call.source == ptx::no_id ? call.source : call.source + shared_of(*caller.function).source_base;
  const Operand to = vector_of(results, call.place), from = vector_of(arguments, call.place);
  kept.operands = add_operands({to, name, from});
  append(kept);
  for (std::size_t i = 0; i < results.size(); ++i) {
    add_move(actual(caller.function->elements(operands[0])[i]), results[i], callee.return_parameters[i].type,
             call.place);
  }
}

Operand FunctionCopy::formal(const FunctionInstance& instance, const ptx::Variable& parameter) const {
  Operand operand;
  operand.place = parameter.place;
  if (parameter.space != ptx::Space::reg) {
    operand.kind = OperandKind::address;
    operand.name = instance.parameters.at(parameter.name);
    return operand;
  }
  const auto& registers = instance.function->registers;
  const auto found = std::find_if(registers.begin(), registers.end(),
                                  [&](const ptx::Register& r) { return r.name == parameter.name; });
  operand.kind = found == registers.end() ? OperandKind::sink : OperandKind::reg; // never used in the body
  operand.id = instance.register_base + static_cast<std::uint32_t>(found - registers.begin());
  return operand;
}

// A name means the variable declared last before it; inner scopes reuse names such as param0.
std::string_view FunctionCopy::name_of(const FunctionInstance& instance, const Operand& operand) {
  const auto& variables = shared_of(*instance.function).variables;
  if (const auto same_name = variables.find(operand.name); same_name != variables.end()) {
    std::uint32_t chosen = same_name->second.front();
    for (const std::uint32_t candidate : same_name->second) {
      const Place& declared = instance.function->variables[candidate].place;
      const bool before = declared.line < operand.place.line ||
                          (declared.line == operand.place.line && declared.column < operand.place.column);
      chosen = before ? candidate : chosen;
    }
    return instance.variables[chosen];
  }
  const auto parameter = instance.parameters.find(operand.name);
  return parameter != instance.parameters.end() ? parameter->second : operand.name;
}

Operand FunctionCopy::copy(const FunctionInstance& instance, const Operand& operand) {
  Operand copied = operand;
  const bool has_register =
      operand.kind == OperandKind::reg ||
      (operand.kind == OperandKind::address && operand.name.empty() && operand.id != ptx::no_id);
  if (has_register) {
    copied.id += instance.register_base;
  } else if (operand.kind == OperandKind::label) {
    copied.id += instance.label_base;
  } else if (operand.kind == OperandKind::symbol || operand.kind == OperandKind::address) {
    copied.name = name_of(instance, operand);
  }
  if (operand.has_elements) { // at most two levels: an address's coordinates
    copied.set_elements(copy_range(instance, operand.elements()));
  }
  return copied;
}

ptx::Range FunctionCopy::copy_range(const FunctionInstance& instance, ptx::Range range) {
  const ptx::Range result{static_cast<std::uint32_t>(out_.operand_pool.size()), range.count};
  out_.operand_pool.resize(out_.operand_pool.size() + range.count);
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const Operand copied = copy(instance, instance.function->operand_pool[range.begin + i]);
    out_.operand_pool[result.begin + i] = copied;
  }
  return result;
}

ptx::Range FunctionCopy::add_operands(std::initializer_list<Operand> operands) {
  const ptx::Range range{static_cast<std::uint32_t>(out_.operand_pool.size()),
                         static_cast<std::uint32_t>(operands.size())};
  out_.operand_pool.insert(out_.operand_pool.end(), operands);
  return range;
}

ptx::Range FunctionCopy::add_modifiers(std::initializer_list<std::string_view> names) {
  const ptx::Range range{static_cast<std::uint32_t>(out_.modifier_pool.size()),
                         static_cast<std::uint32_t>(names.size())};
  for (const std::string_view name : names) {
    out_.modifier_pool.push_back(*ptx::find_modifier(name));
  }
  return range;
}

} // namespace kerncast::lowering
