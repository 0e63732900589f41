// Loop frames follow the natural loops that contain the visited block.
#include "warp/path_recorder.h"

namespace kerncast::warp {

void PathRecorder::start() {
  depth_ = 0;
  frames_[0].items.clear();
}

bool PathRecorder::contains(std::uint32_t outer, std::uint32_t inner) const {
  return outer == no_id || program_.is_within(inner, outer);
}

bool PathRecorder::enter(BlockId block) {
  const BlockProgram& b = program_.blocks[block];
  while (!contains(frames_[depth_].loop, b.loop))
    close_innermost();
  const bool again = b.is_header && frames_[depth_].loop == b.loop;
  open(b.loop);
  if (!b.is_header)
    return false;
  LoopFrame& frame = frames_[depth_];
  ++frame.header_visits;
  if (again)
    end_iteration(frame);
  return again;
}

// Opens the loop and those around it that are not open yet, outer ones first.
void PathRecorder::open(std::uint32_t loop) {
  if (frames_[depth_].loop == loop)
    return;
  open(program_.loops[loop].parent);
  if (++depth_ == frames_.size())
    frames_.emplace_back();
  LoopFrame& frame = frames_[depth_];
  frame.loop = loop;
  frame.header_visits = 0;
  frame.next_attempt = 0;
  frame.items.clear();
}

void PathRecorder::end_iteration(LoopFrame& frame) {
  if (frame.items.empty())
    return;
  frame.run.append(builder_.sequence(frame.items));
  frame.items.clear();
}

void PathRecorder::close_innermost() {
  LoopFrame& frame = frames_[depth_];
  end_iteration(frame);
  const std::uint32_t run = builder_.sequence(frame.run.close());
  --depth_;
  frames_[depth_].items.push_back(run | BehaviourBuilder::loop_bit);
}

std::uint32_t PathRecorder::finish() {
  while (depth_ > 0)
    close_innermost();
  return builder_.path(builder_.sequence(frames_[0].items));
}

const LoopFrame* PathRecorder::frame_of(std::uint32_t loop) const {
  for (std::size_t d = depth_; d > 0; --d)
    if (frames_[d].loop == loop)
      return &frames_[d];
  return nullptr;
}

} // namespace kerncast::warp
