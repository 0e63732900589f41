// Address patterns of an access that has too many to keep each: one stands for all that cost any GPU the
// same.
//
// Where loops and edges give lanes ever new offsets, masks and alignments, patterns still touch few different
// numbers of sectors, lines and banks. What these numbers are, the memory model says
// (memory_model/request.h); the pairs of lanes that wide loads from shared memory join are left out.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>

#include "tasklist/behaviour.h"
#include "warp/behaviour_builder.h"
#include "warp/lane_file.h"
#include "warp_names.h"

namespace kerncast::slice {

// Two patterns of one access that are equal in this cost the same.
struct PatternCost {
  bool place_known = true;
  std::uint32_t lanes = 0;              // active ones
  std::uint32_t sectors = 0, lines = 0; // of 32 and 128 bytes
  std::uint32_t addresses = 0;          // different ones, which constant caches serve in turn
  std::uint32_t narrow_wavefronts = 0, wide_wavefronts = 0; // of 32 banks of 4 and of 8 bytes
  friend auto operator<=>(const PatternCost&, const PatternCost&) = default;
};

PatternCost cost_of(const tasklist::AddressShape& shape, tasklist::Space space);

class PatternClasses {
public:
  // The shape that stands for this one; none: there are more classes than are kept. After many uses, so that
  // loops and CTAs become alike, the one that is most like the average of as many lanes.
  std::optional<std::uint32_t> find(const tasklist::AddressShape& shape, tasklist::Space space,
                                    BehaviourBuilder& builder);

private:
  struct Class {
    std::uint32_t shape = 0;
    std::uint64_t uses = 0;
  };
  void find_typical();

  std::map<PatternCost, Class> classes_;
  std::uint64_t uses_ = 0;
  std::array<std::optional<std::uint32_t>, lanes_per_warp + 1> typical_{}; // by active lanes, after many uses
};

} // namespace kerncast::slice
