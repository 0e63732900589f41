// Which slots decide how a loop goes on, and whether they come to hold again what they held before: such a
// loop never ends.
//
// Known only of loops that nothing from memory, clocks or other warps decides.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "warp/program.h"

namespace kerncast::warp {

struct LoopControl {
  // Written in the loop, and what its branches, exits and traps are computed from.
  std::vector<SlotId> slots;
};

// By loop of the program; nothing where something else decides.
std::vector<std::optional<LoopControl>> loop_controls(const Program& program);

// What a warp has seen at the headers of its loops.
class RepeatedStates {
public:
  explicit RepeatedStates(const std::vector<std::optional<LoopControl>>& controls)
      : controls_(&controls), seen_(controls.size()) {}

  // The loop is entered from outside.
  void enter(std::uint32_t loop) { seen_[loop].headers = 0; }
  // At the loop's header, with so many entries on the stack: whether lanes and slots are those of an earlier
  // iteration. Remembered are iterations 1, 2, 4, 8, ...
  bool repeats(std::uint32_t loop, std::size_t stack_depth, LaneMask lanes, LaneFile& file);
  // Something has changed that no slot holds: what was seen says nothing.
  void forget() { std::fill(seen_.begin(), seen_.end(), Seen{}); }

private:
  struct Seen {
    std::uint64_t headers = 0, next = 1; // the next to be remembered
    std::size_t stack_depth = 0;
    LaneMask lanes = 0;
    std::vector<std::uint64_t> values;
  };
  void remember(Seen& seen, const LoopControl& control, LaneFile& file) const;
  static bool equals(const Seen& seen, const LoopControl& control, LaneFile& file);

  const std::vector<std::optional<LoopControl>>* controls_;
  std::vector<Seen> seen_; // by loop
};

} // namespace kerncast::warp
