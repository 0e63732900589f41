#include "timeline/dependent_launch.h"

namespace kerncast::timeline {
namespace {

// Streams of applications and of their groups (Host::group_streams) have smaller numbers.
constexpr std::uint32_t stream_numbers = 1U << 20;
constexpr std::uint32_t branches = 2;
constexpr std::uint32_t first_branch = UINT32_MAX / stream_numbers - branches + 1;

std::uint32_t number_of(std::uint32_t stream, std::uint32_t branch) {
  return (first_branch + branch - 1) * stream_numbers + stream;
}

class Pieces {
public:
  Pieces(EventCore& core, std::uint32_t stream, std::uint32_t launch, double duration)
      : core_(core), stream_(stream), launch_(launch), duration_(duration) {}

  // Up to that part of the kernel.
  void until(double part, bool is_prologue) {
    issue(part, is_first_ ? Item::Piece::first : Item::Piece::middle, is_prologue);
  }
  void finish(bool is_prologue) { issue(1, is_first_ ? Item::Piece::whole : Item::Piece::last, is_prologue); }

private:
  void issue(double part, Item::Piece piece, bool is_prologue) {
    core_.issue_piece(stream_, (part - begun_) * duration_, piece, is_prologue, launch_);
    begun_ = part;
    is_first_ = false;
  }

  EventCore& core_;
  std::uint32_t stream_;
  std::uint32_t launch_;
  double duration_;
  double begun_ = 0; // part of the kernel
  bool is_first_ = true;
};

} // namespace

bool launches_dependents(const configs::Gpu& gpu) { return gpu.compute_capability_major >= 9; }

ItemSpan DependentLaunches::in_stream(ItemSpan span) {
  const std::uint32_t group = span.stream / stream_numbers;
  span.branch = group >= first_branch ? group - first_branch + 1 : 0;
  span.stream %= stream_numbers;
  return span;
}

void DependentLaunches::issue(std::uint32_t stream, std::uint32_t launch, double duration,
                              bool is_programmatic) {
  if (parts_.empty()) {
    core_.issue(stream, duration, Engine::kernels, launch);
    return;
  }
  Latest& latest = latest_[stream];
  if (is_programmatic && latest.trigger && latest.issue == core_.last_issue(stream))
    latest = issue_dependent(stream, launch, duration, latest);
  else
    latest = {0, issue_pieces(stream, launch, duration, {}), {}, 0};
  latest.issue = core_.last_issue(stream);
}

DependentLaunches::Latest DependentLaunches::issue_dependent(std::uint32_t stream, std::uint32_t launch,
                                                             double duration, const Latest& before) {
  Latest latest;
  latest.branch = before.branch % branches + 1;
  const std::uint32_t end_before = before.end ? *before.end : core_.issue_record(stream);
  const std::uint32_t branch = number_of(stream, latest.branch);
  core_.issue_wait(branch, *before.trigger);
  latest.trigger = issue_pieces(branch, launch, duration, end_before);
  latest.end = core_.issue_record(branch);
  core_.issue_wait(stream, *latest.end);
  return latest;
}

// Whole, or cut where it triggers and where it has to wait for the end of a kernel before. Returns the record
// of its trigger, if that comes before its end.
std::optional<std::uint32_t> DependentLaunches::issue_pieces(std::uint32_t stream, std::uint32_t launch,
                                                             double duration,
                                                             std::optional<std::uint32_t> end_before) {
  const KernelParts& parts = parts_[launch];
  const bool waits = end_before && parts.prologue < 1;
  const bool triggers_first = !waits || parts.trigger <= parts.prologue;
  std::optional<std::uint32_t> trigger;
  Pieces pieces(core_, stream, launch, duration);
  const auto trigger_here = [&] {
    pieces.until(parts.trigger, end_before && triggers_first);
    trigger = core_.issue_record(stream);
  };
  if (parts.trigger < 1 && triggers_first)
    trigger_here();
  if (waits) {
    pieces.until(parts.prologue, true);
    core_.issue_wait(stream, *end_before);
  }
  if (parts.trigger < 1 && !triggers_first)
    trigger_here();
  pieces.finish(end_before && !waits);
  if (end_before && !waits)
    core_.issue_wait(stream, *end_before);
  return trigger;
}

} // namespace kerncast::timeline
