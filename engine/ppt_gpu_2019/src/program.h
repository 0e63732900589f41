// The tasklist in the form that the SM steps through: which port an item takes, how long it takes, and
// where its completion time is kept.
//
// A completion time is kept only until its last reader has read it: slots are reused, so that the state of
// a warp stays small however long the tasklist is.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ppt_gpu_2019/input.h"

namespace kerncast::ppt_gpu_2019 {

// What an item needs to issue. Only the first four are ever refused.
enum class Port : std::uint8_t { sp, dp, sf, ls, shared, barrier };
inline constexpr std::size_t ports = 6;

// Slots with a meaning of their own. A barrier waits for `latest_slot`; an item without dependencies, and
// one that depends on a barrier (which completes at time 0), for `zero_slot`.
inline constexpr std::uint32_t zero_slot = 0;   // always 0
inline constexpr std::uint32_t latest_slot = 1; // the latest completion of all items of the warp
inline constexpr std::uint32_t unread_slot = 2; // completions that nobody reads
inline constexpr std::uint32_t first_free_slot = 3;

struct Op {
  double latency = 0;
  std::array<std::uint32_t, 2> sources{zero_slot, zero_slot};
  std::uint32_t first_more = 0; // in Program::more_sources, for the few items with more than two
  std::uint32_t more_count = 0;
  std::uint32_t destination = unread_slot;
  Port port = Port::sp;
};

struct Program {
  std::vector<Op> ops;
  std::vector<std::uint32_t> more_sources; // slots
  std::uint32_t slot_count = 0;

  std::span<const std::uint32_t> more_sources_of(const Op& op) const {
    return std::span(more_sources).subspan(op.first_more, op.more_count);
  }
};

Program compile(const Input& input);

} // namespace kerncast::ppt_gpu_2019
