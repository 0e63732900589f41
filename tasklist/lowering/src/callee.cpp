#include "callee.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "system_call.h"

namespace kerncast::lowering {

namespace {

tl::unexpected<Diagnostics> refuse(const ptx::Module& module, const ptx::Operand& callee, std::string message,
                                   std::string note) {
  const auto length = static_cast<std::uint32_t>(std::max<std::size_t>(callee.name.size(), 1));
  return fail(module.text().error(callee.place, length, std::move(message), {std::move(note)}));
}

tl::unexpected<Diagnostics> refuse_without_body(const ptx::Module& module, const ptx::Operand& callee,
                                                std::string_view name) {
  return refuse(module, callee, fmt::format("the called function '{}' has no body here", name),
                "compile the whole program into one PTX file (without -rdc=true), or add the function's PTX");
}

// The latest one above an instruction: sibling scopes may give two lists the same name.
template <class List>
const List* declared_above(const ptx::Function& function, const std::vector<List>& lists, ptx::ItemKind kind,
                           std::string_view name, std::uint32_t instruction) {
  const List* found = nullptr;
  for (const ptx::Item& item : function.items)
    if (item.kind == kind && item.instruction <= instruction && lists[item.index].name == name)
      found = &lists[item.index];
  return found;
}

// What the call says of the functions that it may reach.
struct Wanted {
  ptx::CallShape shape;
  const ptx::CallTargets* list = nullptr; // null: any of the shape
};

Expected<Wanted> wanted_by(const ptx::Module& module, const ptx::Function& caller,
                           const ptx::Instruction& call) {
  const ptx::Operand& named = caller.operands(call)[3];
  const auto number = static_cast<std::uint32_t>(&call - caller.instructions.data());
  if (const auto* prototype =
          declared_above(caller, caller.prototypes, ptx::ItemKind::prototype, named.name, number))
    return Wanted{ptx::call_shape_of(prototype->results, prototype->parameters), nullptr};
  Wanted wanted;
  wanted.list = declared_above(caller, caller.call_targets, ptx::ItemKind::call_targets, named.name, number);
  for (const std::string_view name : wanted.list->functions) {
    const ptx::Function& f = *module.find_aliased(name);
    ptx::CallShape shape = ptx::call_shape_of(f.return_parameters, f.parameters);
    if (!wanted.shape.empty() && shape != wanted.shape)
      return refuse(module, named,
                    fmt::format("'{}' lists '{}', which takes other parameters or returns other results than "
                                "'{}'",
                                named.name, name, wanted.list->functions.front()),
                    "list functions of one prototype");
    wanted.shape = std::move(shape);
  }
  return wanted;
}

bool is_listed(const ptx::Module& module, const ptx::CallTargets* list, const ptx::Function* function) {
  return list == nullptr || std::ranges::any_of(list->functions, [&](std::string_view name) {
           return module.find_aliased(name) == function;
         });
}

} // namespace

bool is_indirect(const ptx::Function& caller, const ptx::Instruction& call) {
  return caller.operands(call)[1].kind == ptx::OperandKind::reg;
}

Expected<const ptx::Function*> find_callee(const ptx::Module& module, const ptx::Function& caller,
                                           const ptx::Instruction& call) {
  const auto operands = caller.operands(call);
  const ptx::Operand& callee = operands[1];
  const ptx::Function* function = module.find_aliased(callee.name);
  const bool is_system = function != nullptr && !function->has_body && is_system_call(function->name);
  if (function == nullptr || (!function->has_body && !is_system))
    return refuse_without_body(module, callee, callee.name);
  if (is_system && !has_system_signature(*function, module.address_bits)) {
    return refuse(
        module, callee,
        fmt::format("'{}' is declared with other parameters than CUDA's function of this name", callee.name),
        "rename the function, or give it a body");
  }
  if (function->parameters.size() != operands[2].elements().count ||
      function->return_parameters.size() != operands[0].elements().count) {
    return refuse(module, callee, fmt::format("'{}' takes a variable number of arguments", callee.name),
                  "such calls cannot be inlined; give the function fixed parameters");
  }
  return function;
}

Expected<Candidates> find_candidates(const ptx::Module& module,
                                     std::span<const ptx::AddressedFunction> addressed,
                                     const ptx::Function& caller, const ptx::Instruction& call) {
  const ptx::Operand& callee = caller.operands(call)[1];
  const auto wanted = wanted_by(module, caller, call);
  if (!wanted)
    return tl::unexpected(wanted.error());
  Candidates candidates;
  for (const ptx::AddressedFunction& f : addressed) {
    if (f.shape != wanted->shape)
      continue;
    const bool listed = is_listed(module, wanted->list, f.function);
    if (listed && !f.function->has_body)
      return refuse_without_body(module, callee, f.names.front());
    if (candidates.functions.empty())
      candidates.first = f.names.front();
    candidates.functions.push_back(listed ? f.function : nullptr);
  }
  if (std::ranges::all_of(candidates.functions, [](const auto* f) { return f == nullptr; }))
    return refuse(module, callee, "this call can reach no function of the module",
                  "no function of its prototype has its address taken, by mov or in a variable's initial "
                  "value; add the PTX that does so");
  return candidates;
}

} // namespace kerncast::lowering
