// Decoded operations on mbarrier objects and bulk copies, which signal them (PTX ISA, sections 9.7.13.15,
// mbarrier, and 9.7.9.25, asynchronous copies).
#pragma once

#include <optional>

#include "warp/memory_op.h"

namespace kerncast::warp {

struct MbarrierOp {
  enum class Kind : std::uint8_t {
    init,
    invalidate,
    expect_tx,
    complete_tx,
    arrive,
    arrive_expect_tx,
    arrive_drop,
    drop_expect_tx,
    test,        // whether the phase of a state is over
    test_parity, // whether the phase with this parity is over
  };
  Kind kind = Kind::init;
  AddressOf address;
  SlotId value;       // count, bytes, state or parity; Pool::none: a count of 1
  SlotId destination; // arrive: the state; test: a predicate; Pool::none: not wanted
};

// Whom a bulk copy tells, and who gets it.
struct BulkSignal {
  bool signals = false; // complete_tx on `barrier`
  AddressOf barrier;
  SlotId ctas; // a bit per CTA of the cluster that gets a copy; Pool::none: only the one at the address
  bool to_all = false; // `ctas` is the number of the cluster's CTAs, each of which gets one
};

// Done at once: what the other side waits for is there when it looks.
struct BulkCopy {
  // clusterlaunchcontrol.try_cancel: not a copy, but an answer of 16 zeros, that no cluster was cancelled.
  bool is_answer = false;
  ptx::Space to_space = ptx::Space::shared;
  ptx::Space from_space = ptx::Space::global;
  AddressOf to, from;
  SlotId bytes;
  SlotId mask; // of each 16 bytes those that are copied, a bit per byte; Pool::none: all
  SlotId ignored_before, ignored_behind; // bytes at the ends that are not copied; Pool::none: none
  BulkSignal signal;
  std::optional<Atomic> reduces;    // cp.reduce: what is there is combined with what comes
  ptx::Type type = ptx::Type::none; // of its elements
};

// The 64 bits of an mbarrier object, which the manual leaves open.
struct MbarrierState {
  std::uint32_t expected = 0; // arrivals of each phase
  std::uint32_t pending = 0;  // of this one
  std::int32_t bytes = 0;     // tx-count; negative while copies are ahead of what is expected
  bool phase = false;

  static constexpr std::uint32_t pending_at = 20, pending_bits = 20; // in the object
  static constexpr std::uint32_t most_arrivals = (1U << 20) - 1;
  static constexpr std::int32_t most_bytes = (1 << 20) - 1;

  static MbarrierState of(std::uint64_t bits);
  std::uint64_t bits() const;
  // The phase ends where nobody and nothing is waited for any more.
  void end_phase_if_complete();
};

} // namespace kerncast::warp
