// Operations over the lanes of a warp: vote, activemask, match, shfl, redux, elect (PTX ISA, section 9.7.13).
#pragma once

#include "select_operation.h"

namespace kerncast::warp {

// How one of the (up to two) results of such an operation is computed.
struct Exchange {
  LaneFunction value = nullptr;     // into the first destination
  LaneFunction predicate = nullptr; // into the second one of `d|p`
  ptx::Type result = ptx::Type::b32;
  std::array<ptx::Type, 4> sources{}; // the member mask is the last one
  std::uint8_t source_count = 0;
};

std::optional<Exchange> select_exchange(const InstructionForm& form);
// redux.sync.{min,max}{.abs}{.NaN}.f32
Exchange select_float_reduction(const InstructionForm& form);

// The lanes that execute with `lane` and that its member mask, the last source, names.
LaneMask members_of(LaneFile& file, const MicroOp& op, std::uint32_t lane);

} // namespace kerncast::warp
