#include "callee.h"

#include <algorithm>

#include <fmt/format.h>

#include "system_call.h"

namespace kerncast::lowering {

namespace {

std::string_view resolve_alias(const ptx::Module& module, std::string_view name) {
  const auto alias = std::find_if(module.aliases.begin(), module.aliases.end(),
                                  [&](const ptx::Alias& a) { return a.name == name; });
  return alias == module.aliases.end() ? name : alias->aliasee;
}

tl::unexpected<Diagnostics> refuse(const ptx::Module& module, const ptx::Operand& callee, std::string message,
                                   std::string note) {
  static const SourceText no_source;
  const SourceText& source = module.source ? *module.source : no_source;
  const auto length = static_cast<std::uint32_t>(std::max<std::size_t>(callee.name.size(), 1));
  return fail(source.error(callee.place, length, std::move(message), {std::move(note)}));
}

} // namespace

Expected<const ptx::Function*> find_callee(const ptx::Module& module, const ptx::Function& caller,
                                           const ptx::Instruction& call) {
  const auto operands = caller.operands(call);
  const ptx::Operand& callee = operands[1];
  if (callee.kind != ptx::OperandKind::symbol) {
    return refuse(module, callee, "an indirect call cannot be followed",
                  "call the function by its name, or choose between direct calls with branches");
  }
  const ptx::Function* function = module.find(resolve_alias(module, callee.name));
  const bool is_system = function != nullptr && !function->has_body && is_system_call(function->name);
  if (function == nullptr || (!function->has_body && !is_system)) {
    return refuse(
        module, callee, fmt::format("the called function '{}' has no body here", callee.name),
        "compile the whole program into one PTX file (without -rdc=true), or add the function's PTX");
  }
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

} // namespace kerncast::lowering
