// Where the lanes of one warp are: groups that execute apart until they meet again.
//
// Groups lie on a stack. A divergent branch leaves the continuation at its immediate post-dominator below one
// group per side; a group that comes to where its side ends is popped, so that its lanes are in the one below
// again. As a rule the top executes. A group that waits for other lanes of the warp lets the next one below
// execute; where none can, lanes that are at a post-dominator before the others go on without them, as
// threads do from Volta on (NVIDIA Tesla V100 white paper, "Independent Thread Scheduling").
#pragma once

#include <optional>
#include <vector>

#include "warp/program.h"

namespace kerncast::functional {

struct LaneGroup {
  tasklist::BlockId block = tasklist::no_id;
  tasklist::BlockId reconvergence = tasklist::no_id; // popped when it gets there
  warp::LaneMask mask = 0;
};

// A group stopped within its block, at an operation over lanes.
struct Stop {
  std::uint32_t step = 0;                 // the check of its members
  warp::LaneMask entered = 0, active = 0; // of the block: that came to it, and have not left the kernel
  warp::LaneMask arrived = 0;             // that execute the operation
  warp::LaneMask wanted = 0;              // of other groups, by the member masks of these
  bool waits = true;                      // false: it may go on
  std::vector<std::uint32_t> shapes;      // of the accesses that were recorded in the block
};

class LaneGroups {
public:
  void start(warp::LaneMask lanes);

  // Makes a group current that can execute, if there is one.
  bool select();
  bool empty() const { return groups_.empty(); }
  std::size_t depth() const { return groups_.size(); }
  LaneGroup& current() { return groups_[current_].group; }
  // Those that have not left the kernel.
  warp::LaneMask alive() const { return alive_; }
  // Those whose registers the current group must not touch.
  warp::LaneMask others() const { return alive_ & ~groups_[current_].group.mask; }

  void exit(warp::LaneMask lanes);
  // A side of the branch at which the current group is, whose own block is where the sides join by now. The
  // side that is added last executes first.
  void add_side(const LaneGroup& side);

  void stop(Stop stop);
  // Lanes of the current group stop by themselves.
  void stop_apart(warp::LaneMask lanes, Stop stop);
  // What the current group goes on from, if it had stopped.
  std::optional<Stop> take_stop();
  // All that are stopped and wait.
  std::vector<Stop*> waiting();
  // They have met: those at one step that shall join at one place go on as one group.
  void release(const std::vector<Stop*>& met);
  // Lets lanes that wait for others to join them go on by themselves. False: there are none.
  bool split();

private:
  struct Entry {
    LaneGroup group;
    std::optional<Stop> stop;
  };
  bool select_below_top();

  std::vector<Entry> groups_;
  std::size_t current_ = 0;
  std::size_t sides_ = 0; // that lie on the current group since it was selected
  warp::LaneMask alive_ = 0;
};

} // namespace kerncast::functional
