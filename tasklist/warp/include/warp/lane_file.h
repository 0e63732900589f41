// The register file of one warp during slice execution: 32 lanes per slot, and which lanes are known.
//
// Slots lie in three pools by width, so that every loop over lanes works on one plain array: predicates
// (one bit per lane), words (values up to 32 bits, zero-extended) and longs (64 bits). A lane that is not
// known holds no meaning. Slot 0 of each pool is scratch, then come registers, then constants.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "tasklist/behaviour.h"

namespace kerncast::warp {

using tasklist::lanes_per_warp;
using LaneMask = std::uint32_t;
inline constexpr LaneMask all_lanes = ~LaneMask{0};

constexpr bool has(LaneMask lanes, std::uint32_t lane) { return (lanes >> lane & 1) != 0; }

// Visits these lanes by number.
template <class Visit> void for_each_lane(LaneMask lanes, const Visit& visit) {
  for (; lanes != 0; lanes &= lanes - 1)
    visit(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

enum class Pool : std::uint8_t { none, predicate, word, longword };

struct SlotId {
  Pool pool = Pool::none;
  std::uint32_t index = 0;
  friend bool operator==(const SlotId&, const SlotId&) = default;
};

template <class Word> using Lanes = std::array<Word, lanes_per_warp>;

// The word type that holds a value of type T.
template <class T> using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T> T from_bits(BitsOf<T> bits) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>(bits);
  else
    return static_cast<T>(bits);
}

template <class T> BitsOf<T> to_bits(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<BitsOf<T>>(value);
  else
    return static_cast<BitsOf<T>>(static_cast<std::make_unsigned_t<T>>(value));
}

class LaneFile {
public:
  LaneFile(std::uint32_t predicates, std::uint32_t words, std::uint32_t longs)
      : predicates_(predicates), predicate_known_(predicates), words_(words), word_known_(words),
        longs_(longs), long_known_(longs) {}

  LaneMask& predicate(std::uint32_t i) { return predicates_[i]; }
  LaneMask& predicate_known(std::uint32_t i) { return predicate_known_[i]; }

  template <class Word> Lanes<Word>& lanes(std::uint32_t i) {
    if constexpr (sizeof(Word) == 8)
      return longs_[i];
    else
      return words_[i];
  }
  template <class Word> LaneMask& lanes_known(std::uint32_t i) {
    if constexpr (sizeof(Word) == 8)
      return long_known_[i];
    else
      return word_known_[i];
  }

  LaneMask& known(SlotId slot) {
    if (slot.pool == Pool::predicate)
      return predicate_known_[slot.index];
    assert(slot.pool != Pool::none && "only real slots have lanes");
    return slot.pool == Pool::word ? word_known_[slot.index] : long_known_[slot.index];
  }

  // Lanes that execute the operation at hand: votes, shuffles and the like see no others.
  LaneMask executing() const { return executing_; }
  void set_executing(LaneMask lanes) { executing_ = lanes; }

  // What clock registers show: steps that the warp has come by.
  void set_clock(std::uint64_t now) { clock_ = now; }
  void advance_clock(std::uint64_t steps) { clock_ += steps; }
  std::uint64_t read_clock() { return clock_++; }

  // The same value in every lane.
  void broadcast(SlotId slot, std::uint64_t bits, LaneMask known_lanes = all_lanes) {
    if (slot.pool == Pool::word)
      words_[slot.index].fill(static_cast<std::uint32_t>(bits));
    else if (slot.pool == Pool::longword)
      longs_[slot.index].fill(bits);
    else
      predicates_[slot.index] = (bits & 1) != 0 ? all_lanes : 0;
    known(slot) = known_lanes;
  }

  // Moves `from` into `to` in the given lanes only.
  void blend(SlotId to, std::uint32_t from, LaneMask lanes) {
    if (to.pool == Pool::predicate) {
      predicates_[to.index] = (predicates_[to.index] & ~lanes) | (predicates_[from] & lanes);
      predicate_known_[to.index] = (predicate_known_[to.index] & ~lanes) | (predicate_known_[from] & lanes);
    } else if (to.pool == Pool::word) {
      blend_lanes(words_[to.index], words_[from], lanes);
      word_known_[to.index] = (word_known_[to.index] & ~lanes) | (word_known_[from] & lanes);
    } else {
      blend_lanes(longs_[to.index], longs_[from], lanes);
      long_known_[to.index] = (long_known_[to.index] & ~lanes) | (long_known_[from] & lanes);
    }
  }

  // The registers of a new warp are unknown. They lie behind the scratch slot 0 of each pool.
  void forget_registers(std::uint32_t predicates, std::uint32_t words, std::uint32_t longs) {
    std::fill_n(predicate_known_.begin() + 1, predicates, LaneMask{0});
    std::fill_n(word_known_.begin() + 1, words, LaneMask{0});
    std::fill_n(long_known_.begin() + 1, longs, LaneMask{0});
  }

  // All zeros, which functional execution takes registers to be before they are written.
  void clear_registers(std::uint32_t predicates, std::uint32_t words, std::uint32_t longs) {
    std::fill_n(predicates_.begin() + 1, predicates, LaneMask{0});
    std::fill_n(words_.begin() + 1, words, Lanes<std::uint32_t>{});
    std::fill_n(longs_.begin() + 1, longs, Lanes<std::uint64_t>{});
  }

private:
  template <class Word> static void blend_lanes(Lanes<Word>& to, const Lanes<Word>& from, LaneMask lanes) {
    if (lanes == all_lanes)
      to = from;
    else
      for_each_lane(lanes, [&](std::uint32_t i) { to[i] = from[i]; });
  }

  LaneMask executing_ = all_lanes;
  std::uint64_t clock_ = 0;
  std::vector<LaneMask> predicates_, predicate_known_;
  std::vector<Lanes<std::uint32_t>> words_;
  std::vector<LaneMask> word_known_;
  std::vector<Lanes<std::uint64_t>> longs_;
  std::vector<LaneMask> long_known_;
};

// Appends a slot's lanes: 32 values, or one mask for a predicate.
inline void append_lanes(LaneFile& file, SlotId slot, std::vector<std::uint64_t>& out) {
  if (slot.pool == Pool::predicate) {
    out.push_back(file.predicate(slot.index));
  } else if (slot.pool == Pool::word) {
    const auto& lanes = file.lanes<std::uint32_t>(slot.index);
    out.insert(out.end(), lanes.begin(), lanes.end());
  } else {
    const auto& lanes = file.lanes<std::uint64_t>(slot.index);
    out.insert(out.end(), lanes.begin(), lanes.end());
  }
}

// Writes some lanes of a slot back from what append_lanes put at `values`; returns how many values it took.
inline std::size_t restore_lanes(LaneFile& file, SlotId slot, const std::uint64_t* values, LaneMask lanes) {
  if (slot.pool == Pool::predicate) {
    LaneMask& bits = file.predicate(slot.index);
    bits = (bits & ~lanes) | (static_cast<LaneMask>(values[0]) & lanes);
    return 1;
  }
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if (has(lanes, i)) {
      if (slot.pool == Pool::word)
        file.lanes<std::uint32_t>(slot.index)[i] = static_cast<std::uint32_t>(values[i]);
      else
        file.lanes<std::uint64_t>(slot.index)[i] = values[i];
    }
  return lanes_per_warp;
}

} // namespace kerncast::warp
