#include "callee.h"

#include <algorithm>

#include <fmt/format.h>

namespace kerncast::lowering {

namespace {

// Functions that the driver provides (CUDA: printf, malloc, free, assert and the device runtime).
struct SystemCall {
  std::string_view name;
  const char* advice;
};
constexpr SystemCall system_calls[] = {
    {"vprintf", "remove printf from the kernel, for example with #ifndef NDEBUG"},
    {"__assertfail", "compile with -DNDEBUG so that assert disappears"},
    {"malloc", "allocate the buffer before the launch"},
    {"free", "free the buffer after the launch"},
};

std::string advice_for(std::string_view name) {
  const auto* row = std::find_if(std::begin(system_calls), std::end(system_calls),
                                 [&](const SystemCall& call) { return call.name == name; });
  return row != std::end(system_calls)
             ? row->advice
             : "compile the whole program into one PTX file (without -rdc=true), or add the function's PTX";
}

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
  if (function == nullptr || !function->has_body) {
    return refuse(module, callee, fmt::format("the called function '{}' has no body here", callee.name),
                  advice_for(callee.name));
  }
  if (function->parameters.size() != operands[2].elements().count ||
      function->return_parameters.size() != operands[0].elements().count) {
    return refuse(module, callee, fmt::format("'{}' takes a variable number of arguments", callee.name),
                  "such calls cannot be inlined; give the function fixed parameters");
  }
  return function;
}

} // namespace kerncast::lowering
