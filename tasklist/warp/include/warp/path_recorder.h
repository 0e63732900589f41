// Records the visits of one warp and folds loops while it runs.
#pragma once

#include <vector>

#include "warp/behaviour_builder.h"
#include "warp/loop_run.h"
#include "warp/program.h"

namespace kerncast::warp {

// A loop that the warp is in.
struct LoopFrame {
  std::uint32_t loop = no_id;       // no_id: the kernel itself
  std::uint64_t header_visits = 0;  // since the loop was entered
  std::uint64_t next_attempt = 0;   // header visit at which closed-form advance is tried again
  std::vector<std::uint32_t> items; // of the current iteration
  LoopRun run;                      // iterations before it
};

class PathRecorder {
public:
  PathRecorder(const Program& program, BehaviourBuilder& builder) : program_(program), builder_(builder) {
    frames_.emplace_back();
  }

  void start();
  // Leaves and enters loops for a visit of `block`. True if this ends an iteration of the innermost one.
  bool enter(BlockId block);
  void visit(std::uint32_t visit) { frames_[depth_].items.push_back(visit); }
  // Number of the warp's path.
  std::uint32_t finish();

  std::size_t depth() const { return depth_; }
  LoopFrame& innermost() { return frames_[depth_]; }
  const LoopFrame& frame_at(std::size_t depth) const { return frames_[depth]; }
  // The frame of a loop that the warp is in; null if it is in none of that loop.
  const LoopFrame* frame_of(std::uint32_t loop) const;

private:
  bool contains(std::uint32_t outer, std::uint32_t inner) const;
  void open(std::uint32_t loop);
  void close_innermost();
  void end_iteration(LoopFrame& frame);

  const Program& program_;
  BehaviourBuilder& builder_;
  std::vector<LoopFrame> frames_; // [0] is the kernel; storage is kept between warps
  std::size_t depth_ = 0;
};

} // namespace kerncast::warp
