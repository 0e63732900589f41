#include "decode_system_call.h"

#include <algorithm>

namespace kerncast::warp {
namespace {

struct SystemCallRow {
  std::string_view name;
  SystemCall::Kind kind;
};
constexpr SystemCallRow system_calls[] = {{"vprintf", SystemCall::Kind::print},
                                          {"__assertfail", SystemCall::Kind::assertion},
                                          {"malloc", SystemCall::Kind::allocate},
                                          {"free", SystemCall::Kind::release}};

} // namespace

std::optional<SystemCall> decode_system_call(const ptx::Function& kernel, const ptx::Instruction& instruction,
                                             SlotTable& slots) {
  const auto operands = kernel.operands(instruction);
  const auto* row = std::ranges::find(system_calls, operands[1].name, &SystemCallRow::name);
  const auto results = kernel.elements(operands[0]), arguments = kernel.elements(operands[2]);
  if (row == std::end(system_calls) || arguments.size() > SystemCall::most_arguments)
    return std::nullopt;
  SystemCall call;
  call.kind = row->kind;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    call.arguments[i] = slots.of_register(arguments[i].id);
  if (!results.empty())
    call.result = slots.of_register(results[0].id);
  return call;
}

} // namespace kerncast::warp
