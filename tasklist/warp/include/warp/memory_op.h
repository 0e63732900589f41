// Decoded memory operations and barriers, for functional execution.
#pragma once

#include <array>
#include <cstdint>

#include "ptx_parser/opcode.h"
#include "warp/lane_file.h"

namespace kerncast::warp {

// Base register, if any, plus offset.
struct AddressOf {
  SlotId base; // Pool::none: no register
  std::uint64_t offset = 0;
};

enum class Atomic : std::uint8_t { add, min, max, inc, dec, and_, or_, xor_, exch, cas };

struct MemoryOp {
  enum class Kind : std::uint8_t {
    load,
    store,
    atomic, // data receives the old values; Pool::none: not wanted, or red
    copy,   // cp.async: `address` is written with `bytes` from `from`
    clear,  // st.bulk: `from_bytes` bytes at `address` become zeros
  };
  static constexpr std::uint32_t most_elements = 8;

  Kind kind = Kind::load;
  ptx::Space space = ptx::Space::generic;
  ptx::Type type = ptx::Type::none; // of one element
  std::uint8_t element_bytes = 0;
  std::uint8_t elements = 1;
  std::uint8_t register_bytes = 0; // load: what a signed element is extended to
  bool is_weak = true;             // false: volatile, relaxed, acquire, atomic: meant to race
  AddressOf address;
  std::array<SlotId, most_elements> data{}; // load: destinations, Pool::none where unused; store: sources
  Atomic function = Atomic::add;
  std::array<SlotId, most_elements> operands{}; // atomic: b
  SlotId swap;                                  // atomic: c of cas
  SlotId swap_high;                             // of b128; data and operands have the upper halves behind
  AddressOf from;                               // copy
  ptx::Space from_space = ptx::Space::global;
  SlotId from_bytes;     // copy: bytes read, the others are zeros; Pool::none: all; clear: bytes
  SlotId ignores_source; // copy: a predicate with which none are read; Pool::none: no such
  bool ignores_negated = false;

  std::uint32_t bytes() const { return std::uint32_t{element_bytes} * elements; }
};

// bar, barrier, barrier.cluster
struct BarrierOp {
  // cluster_arrive and cluster_wait: of all CTAs of the cluster, and without a number.
  enum class Kind : std::uint8_t {
    sync,
    arrive,
    count_true,
    all_true,
    any_true,
    cluster_arrive,
    cluster_wait
  };
  static constexpr std::uint32_t barriers_per_cta = 16;

  Kind kind = Kind::sync;
  SlotId number;
  SlotId threads; // Pool::none: all of the CTA
  SlotId condition;
  bool condition_negated = false;
  SlotId destination; // count_true: a word; all_true, any_true: a predicate
};

} // namespace kerncast::warp
