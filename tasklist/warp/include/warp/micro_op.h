// One decoded instruction of the slice: a function over 32 lanes and the slots it works on.
#pragma once

#include <array>
#include <cstdint>

#include "ptx_parser/opcode.h"

#include "warp/lane_file.h"

namespace kerncast::warp {

struct MicroOp;

// Computes all 32 lanes of `op` into slot `destination` of the result's pool; inactive lanes are restored
// by the caller, so an operation must not fail on whatever they hold.
using LaneFunction = void (*)(LaneFile& file, const MicroOp& op, std::uint32_t destination);

// What must hold of an operation's operands for its result to stay affine in the iteration number while a
// steady loop is advanced in closed form (advance.h).
enum class AdvanceRule : std::uint8_t {
  linear,           // sums, moves, selections by an unchanged predicate: always affine
  product,          // one factor (source 0 or 1) must not change
  shift,            // the amount (source 1) must not change
  widen,            // source 0 must not wrap in its type
  widening_product, // one factor unchanged and the other does not wrap
  compare,          // sources 0 and 1 keep their order
  constant,         // no source may change
  exchange,         // likewise, and the result of a lane depends on other lanes
  opaque,           // the result is unknown whatever the operands
  loaded, // likewise, unless contents are known; lanes that load from one address (source 0, and immediate
          // bytes) get the same
  loaded_own, // likewise, from memory that the CTA or thread itself fills
};

constexpr bool has_unknown_result(AdvanceRule rule) { return rule >= AdvanceRule::opaque; }

// MicroOp::immediate of a comparison: how it joins the predicate in source 2 (low bits), and whether it is
// inverted first, for the second destination q of p|q, or is that of the upper halves.
enum : std::uint32_t {
  compare_alone,
  compare_and,
  compare_or,
  compare_xor,
  inverted_comparison = 4,
  compare_upper_halves = 8,
  compare_flushed = 16, // .ftz: subnormal operands are zeros
};

struct MicroOp {
  LaneFunction apply = nullptr;
  LaneFunction inner = nullptr; // what `apply` calls under another rounding mode
  std::array<SlotId, 4> sources{};
  SlotId destination;
  bool source2_negated = false; // setp's combining predicate is !p
  bool has_members = false;     // the last source is a member mask, whose lanes wait for each other
  bool needs_all = false;       // a lane of which a source is unknown has an unknown result
  std::uint8_t source_count = 0;
  AdvanceRule rule = AdvanceRule::constant;
  ptx::Type type = ptx::Type::none; // of sources 0 and 1; of a load: what lies in memory, none: not followed
  std::uint32_t immediate = 0; // truth table, shift of a part, combining operator, offset: see the function

  // Whether the result is what lies in memory at source 0, so that who knows the contents can compute it.
  bool loads_value() const {
    return rule == AdvanceRule::loaded && source_count == 1 && type != ptx::Type::none;
  }
};

} // namespace kerncast::warp
