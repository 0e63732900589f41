#include "callee.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "ptx_parser/addressed_functions.h"
#include "system_call.h"

namespace kerncast::lowering {

namespace {

tl::unexpected<Diagnostics> refuse(const ptx::Module& module, const ptx::Operand& callee, std::string message,
                                   std::string note) {
  static const SourceText no_source;
  const SourceText& source = module.source ? *module.source : no_source;
  const auto length = static_cast<std::uint32_t>(std::max<std::size_t>(callee.name.size(), 1));
  return fail(source.error(callee.place, length, std::move(message), {std::move(note)}));
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

std::optional<ptx::CallShape> called_shape(const ptx::Module& module, const ptx::Function& caller,
                                           const ptx::Instruction& call) {
  const std::string_view list = caller.operands(call)[3].name;
  const auto number = static_cast<std::uint32_t>(&call - caller.instructions.data());
  if (const auto* prototype =
          declared_above(caller, caller.prototypes, ptx::ItemKind::prototype, list, number))
    return ptx::call_shape_of(prototype->results, prototype->parameters);
  const auto* targets =
      declared_above(caller, caller.call_targets, ptx::ItemKind::call_targets, list, number);
  const ptx::Function* first =
      targets == nullptr || targets->functions.empty() ? nullptr : module.find(targets->functions.front());
  if (first == nullptr)
    return std::nullopt;
  return ptx::call_shape_of(first->return_parameters, first->parameters);
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

Expected<std::vector<Candidate>> find_candidates(const ptx::Module& module, const ptx::Function& caller,
                                                 const ptx::Instruction& call) {
  const ptx::Operand& callee = caller.operands(call)[1];
  const auto shape = called_shape(module, caller, call);
  std::vector<Candidate> candidates;
  for (const ptx::AddressedFunction& f : ptx::addressed_functions(module)) {
    if (shape != f.shape)
      continue;
    if (!f.function->has_body)
      return refuse_without_body(module, callee, f.name);
    candidates.push_back({f.name, f.function});
  }
  if (candidates.empty())
    return refuse(module, callee, "this call can reach no function of the module",
                  "no function of its signature has its address taken, by mov or in a variable's initial "
                  "value; add the PTX that does so");
  return candidates;
}

} // namespace kerncast::lowering
