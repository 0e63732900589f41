// Advances a loop in closed form once its iterations repeat, so that ten million iterations cost as much
// as a few hundred.
//
// Two iterations are executed under observation. If every written slot moves by the same step in both, and
// every operation observed keeps results affine in the iteration number (AdvanceRule), then by induction
// all further iterations do the same with the next values, until an operand wraps in its type or a
// comparison changes its order. Iterations up to there are skipped exactly: slots move by their steps, the
// recorded pattern of visits repeats. Anything outside these rules leaves the loop to be executed.
#pragma once

#include <algorithm>
#include <vector>

#include "warp/lane_file.h"
#include "warp/path_recorder.h"
#include "warp/program.h"
#include "warp_names.h"

namespace kerncast::slice {

// One operation or access as executed, with its operands.
struct Observation {
  const MicroOp* op = nullptr;   // null: an access
  LaneMask lanes = 0;            // executed in, and operands known
  std::uint32_t first_value = 0; // index of 32 values per source in Trace::values; access: addresses
};

struct Trace {
  std::vector<Observation> observations;
  std::vector<std::uint64_t> values;
  void clear() {
    observations.clear();
    values.clear();
  }
};

// What decides whether two headers are the same point of execution.
struct HeaderState {
  std::size_t stack_depth = 0;
  LaneMask mask = 0;
  friend bool operator==(const HeaderState&, const HeaderState&) = default;
};

class SteadyLoop {
public:
  explicit SteadyLoop(const Program& program) : program_(program) {}

  bool observing() const { return observing_; }
  std::size_t depth() const { return depth_; }
  void start(std::size_t depth, const LoopFrame& frame, HeaderState state, LaneFile& file);
  // `is_known`: of a load that its result is.
  void observe(const MicroOp& op, LaneMask lanes, LaneFile& file, bool is_known);
  void observe_access(const Lanes<std::uint64_t>& addresses, LaneMask lanes);
  // The observed loop stays for an unknown branch while its header visits are below `limit`.
  void limit_header_visits(std::uint64_t limit) { visit_limit_ = std::min(visit_limit_, limit); }
  // Something happened that another iteration need not repeat.
  void give_up() { observing_ = false; }

  static constexpr std::uint64_t endless = UINT64_MAX;
  // At each header of the observed loop. After the second iteration: the number of iterations skipped,
  // with slots and frame moved on; endless if no iteration can ever leave the loop. Else 0.
  std::uint64_t next_header(LoopFrame& frame, HeaderState state, LaneFile& file);

private:
  struct Snapshot {
    std::vector<std::uint64_t> values; // 32 per slot; predicates: one mask
    std::vector<LaneMask> known;
  };
  void take(Snapshot& snapshot, LaneFile& file) const;
  bool steps_are_equal() const;
  std::uint64_t iterations_until_change() const;
  std::uint64_t alignment_period() const;
  void move_slots(std::uint64_t iterations, LaneFile& file) const;

  const Program& program_;
  bool observing_ = false;
  std::size_t depth_ = 0;
  std::uint32_t loop_ = no_id;
  HeaderState state_;
  std::uint32_t headers_ = 0; // seen since the start
  std::uint64_t visit_limit_ = endless;
  Snapshot snapshots_[3];
  Trace traces_[2];
};

} // namespace kerncast::slice
