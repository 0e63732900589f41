#include "immediate_rules.h"

#include <algorithm>

#include <fmt/format.h>

namespace kerncast::ptx {
namespace {

constexpr std::int64_t no_limit = INT64_MAX;

// In the order of Opcode's names within one opcode only: rules of an opcode stand together. Ranges are those
// of the manual's sections of the instructions, as ptxas 13.0 enforces them.
constexpr ImmediateRule rules[] = {
    // Named barriers 0 to 15; a number of threads is a multiple of the warp's size.
    {Opcode::bar, Modifier::sync, Modifier::warp, 0, 0, 15, 1},
    {Opcode::bar, Modifier::sync, Modifier::warp, 1, 0, no_limit, 32},
    {Opcode::bar, Modifier::arrive, {}, 0, 0, 15, 1},
    {Opcode::bar, Modifier::arrive, {}, 1, 0, no_limit, 32},
    {Opcode::bar, Modifier::red, {}, 1, 0, 15, 1},
    {Opcode::bar, Modifier::red, {}, 2, 0, no_limit, 32},
    {Opcode::barrier, Modifier::sync, {}, 0, 0, 15, 1},
    {Opcode::barrier, Modifier::sync, {}, 1, 0, no_limit, 32},
    {Opcode::barrier, Modifier::arrive, {}, 0, 0, 15, 1},
    {Opcode::barrier, Modifier::arrive, {}, 1, 0, no_limit, 32},
    {Opcode::barrier, Modifier::red, {}, 1, 0, 15, 1},
    {Opcode::barrier, Modifier::red, {}, 2, 0, no_limit, 32},
    // Position and length of a bit field.
    {Opcode::bfe, {}, {}, 2, 0, 255, 1},
    {Opcode::bfe, {}, {}, 3, 0, 255, 1},
    {Opcode::bfi, {}, {}, 3, 0, 255, 1},
    {Opcode::bfi, {}, {}, 4, 0, 255, 1},
    // Sizes in bytes.
    {Opcode::applypriority, {}, {}, 1, 128, 128, 1},
    {Opcode::discard, {}, {}, 1, 128, 128, 1},
    {Opcode::fence, Modifier::tensormap_generic, Modifier::release, 1, 128, 128, 1},
    {Opcode::st, Modifier::bulk, {}, 1, 0, no_limit, 8},
    {Opcode::st, Modifier::bulk, {}, 2, 0, 0, 1},
    {Opcode::cp, Modifier::ca, {}, 2, 4, 16, ImmediateRule::power_of_two},
    {Opcode::cp, Modifier::cg, {}, 2, 16, 16, 1},
    {Opcode::cp, Modifier::ca, {}, 3, 0, 16, 1},
    {Opcode::cp, Modifier::cg, {}, 3, 0, 16, 1},
    // The phase's parity.
    {Opcode::mbarrier, Modifier::parity, {}, 2, 0, 1, 1},
    // Which threads of four have the metadata of sparse matrices, by shape and element.
    {Opcode::mma, Modifier::m16n8k8, {}, 5, 0, 3, 1},
    {Opcode::mma, Modifier::m16n8k16, {}, 5, 0, 3, 1},
    {Opcode::mma, Modifier::m16n8k16, {}, 5, 0, 1, 1, Modifier::tf32},
    {Opcode::mma, Modifier::m16n8k32, {}, 5, 0, 1, 1},
    {Opcode::mma, Modifier::m16n8k64, {}, 5, 0, 1, 1},
    {Opcode::mma, Modifier::m16n8k64, {}, 5, 0, 0, 1, Modifier::u8},
    {Opcode::mma, Modifier::m16n8k64, {}, 5, 0, 0, 1, Modifier::s8},
    {Opcode::mma, Modifier::m16n8k64, Modifier::s32, 5, 0, 0, 1},
    {Opcode::mma, Modifier::m16n8k128, {}, 5, 0, 0, 1},
    {Opcode::pmevent, {}, Modifier::mask, 0, 0, 15, 1},
    {Opcode::pmevent, Modifier::mask, {}, 0, 0, 0xFFFF, 1},
    // Registers per thread.
    {Opcode::setmaxnreg, {}, {}, 0, 24, 256, 8},
    {Opcode::tensormap, Modifier::cp_fenceproxy, {}, 2, 128, 128, 1},
    // Columns of tensor memory; the accumulator is scaled by 2 to the power of minus this.
    {Opcode::tcgen05, Modifier::alloc, {}, 1, 32, 512, ImmediateRule::power_of_two},
    {Opcode::tcgen05, Modifier::dealloc, {}, 1, 0, no_limit, 32},
    {Opcode::tcgen05, Modifier::mma, Modifier::ws, 5, 0, 15, 1},
    {Opcode::tcgen05, Modifier::mma, Modifier::ws, 6, 0, 15, 1},
    {Opcode::tcgen05, Modifier::mma, Modifier::ws, 7, 0, 15, 1},
    {Opcode::wgmma, Modifier::wait_group, {}, 0, 0, no_limit, 1},
    // Whether the accumulator is added; signs of a and b; whether they are transposed.
    {Opcode::wgmma, Modifier::mma_async, Modifier::sp, 3, 0, 1, 1},
    {Opcode::wgmma, Modifier::mma_async, Modifier::sp, 4, -1, 1, ImmediateRule::odd},
    {Opcode::wgmma, Modifier::mma_async, Modifier::sp, 5, -1, 1, ImmediateRule::odd},
    {Opcode::wgmma, Modifier::mma_async, Modifier::sp, 6, 0, 1, 1},
    {Opcode::wgmma, Modifier::mma_async, Modifier::sp, 7, 0, 1, 1},
    {Opcode::wgmma, Modifier::sp, {}, 5, 0, 1, 1},
    {Opcode::wgmma, Modifier::sp, {}, 6, -1, 1, ImmediateRule::odd},
    {Opcode::wgmma, Modifier::sp, {}, 7, -1, 1, ImmediateRule::odd},
    {Opcode::wgmma, Modifier::sp, {}, 8, 0, 1, 1},
    {Opcode::wgmma, Modifier::sp, {}, 9, 0, 1, 1},
    // The selector of sparse matrices, by the size of their elements.
    {Opcode::wgmma, Modifier::sp, {}, 4, 0, 1, 1},
    {Opcode::wgmma, Modifier::sp, {}, 4, 0, 0, 1, Modifier::e4m3},
    {Opcode::wgmma, Modifier::sp, {}, 4, 0, 0, 1, Modifier::e5m2},
    {Opcode::wgmma, Modifier::sp, {}, 4, 0, 0, 1, Modifier::u8},
    {Opcode::wgmma, Modifier::sp, {}, 4, 0, 0, 1, Modifier::s8},
};

} // namespace

std::span<const ImmediateRule> immediate_rules(Opcode opcode) {
  const auto is_of_opcode = [&](const ImmediateRule& rule) { return rule.opcode == opcode; };
  const auto* const begin = std::find_if(std::begin(rules), std::end(rules), is_of_opcode);
  const auto* const end = std::find_if_not(begin, std::end(rules), is_of_opcode);
  return {begin, end};
}

std::int64_t good_constant(std::span<const ImmediateRule> rules_of_opcode,
                           std::span<const Modifier> modifiers, std::size_t operand) {
  Operand constant;
  constant.kind = OperandKind::integer;
  constant.value = 1;
  for (const ImmediateRule& rule : rules_of_opcode)
    if (rule.operand == operand && !broken(rule, modifiers, constant).empty())
      constant.value = rule.high == no_limit ? rule.low : rule.high;
  return constant.value;
}

std::string broken(const ImmediateRule& rule, std::span<const Modifier> modifiers, const Operand& constant) {
  const bool applies =
      (!rule.with || has(modifiers, *rule.with)) && (!rule.also_with || has(modifiers, *rule.also_with)) &&
      !(rule.without && has(modifiers, *rule.without)) && constant.kind == OperandKind::integer;
  if (!applies)
    return {};
  const std::int64_t value = constant.value;
  if (rule.low == rule.high && value != rule.low)
    return fmt::format("must be {}, but is {}", rule.low, value);
  if (rule.high == no_limit && value < rule.low)
    return fmt::format("must be at least {}, but is {}", rule.low, value);
  if (value < rule.low || value > rule.high)
    return fmt::format("must be from {} to {}, but is {}", rule.low, rule.high, value);
  if (rule.multiple == ImmediateRule::odd)
    return value % 2 != 0 ? "" : fmt::format("must be {} or {}, but is {}", rule.low, rule.high, value);
  if (rule.multiple == ImmediateRule::power_of_two)
    return (value & (value - 1)) == 0 ? "" : fmt::format("must be a power of two, but is {}", value);
  if (value % rule.multiple != 0)
    return fmt::format("must be a multiple of {}, but is {}", rule.multiple, value);
  return {};
}

} // namespace kerncast::ptx
