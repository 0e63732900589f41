#include "timeline/dependent_launch.h"

#include <algorithm>

namespace kerncast::timeline {
namespace {

// A stream's first branch begins at twice that number, behind the streams of applications and of their
// groups.
constexpr std::uint32_t first_of_branch = 1U << 30;
constexpr std::uint32_t branches = 2;
static_assert(max_devices * device_streams <= first_of_branch &&
              (max_group_members + 2) * device_streams <= 2 * first_of_branch);

std::uint32_t in_branch(std::uint32_t branch, std::uint32_t stream) {
  return (branch + 1) * first_of_branch + stream;
}

class Pieces {
public:
  Pieces(EventCore& core, std::uint32_t stream, const IssuedKernel& kernel)
      : core_(core), stream_(stream), kernel_(kernel) {}

  // Up to that part of the kernel.
  void until(double part, bool is_prologue) {
    issue(part, is_first_ ? Item::Piece::first : Item::Piece::middle, is_prologue);
  }
  void finish(bool is_prologue) { issue(1, is_first_ ? Item::Piece::whole : Item::Piece::last, is_prologue); }

private:
  void issue(double part, Item::Piece piece, bool is_prologue) {
    core_.issue_piece(stream_, (part - begun_) * kernel_.duration, piece, is_prologue, kernel_.launch,
                      kernel_.device, kernel_.is_node);
    begun_ = part;
    is_first_ = false;
  }

  EventCore& core_;
  std::uint32_t stream_;
  const IssuedKernel& kernel_;
  double begun_ = 0; // part of the kernel
  bool is_first_ = true;
};

} // namespace

bool launches_dependents(const configs::Gpu& gpu) { return gpu.compute_capability_major >= 9; }

const char* assumption_of_dependent_launches(const configs::Gpu& gpu) {
  return launches_dependents(gpu)
             ? "programmatic dependent launches: when a kernel lets the next one start and how long that "
               "one's prologue is are what each does alone; a prologue runs early only if the GPU has room "
               "for all of it"
             : "programmatic dependent launches: the GPU has none below compute capability 9.0, so that the "
               "attribute has no effect";
}

ItemSpan DependentLaunches::in_stream(ItemSpan span) {
  if (span.kind != Item::Kind::work || span.engine != Engine::kernels)
    return span;
  span.branch = std::max(span.stream / first_of_branch, 1U) - 1;
  span.stream %= first_of_branch;
  return span;
}

void DependentLaunches::issue(const IssuedKernel& kernel) {
  if (parts_.empty()) {
    core_.issue(kernel.stream, kernel.duration, Engine::kernels, kernel.launch, kernel.device,
                kernel.is_node);
    return;
  }
  Latest& latest = latest_[kernel.stream];
  if (kernel.is_programmatic && latest.trigger && latest.issue == core_.last_issue(kernel.stream))
    latest = issue_dependent(kernel, latest);
  else
    latest = {0, issue_pieces(kernel.stream, kernel, {}), {}, 0};
  latest.issue = core_.last_issue(kernel.stream);
}

DependentLaunches::Latest DependentLaunches::issue_dependent(const IssuedKernel& kernel,
                                                             const Latest& before) {
  Latest latest;
  latest.branch = before.branch % branches + 1;
  const std::uint32_t end_before =
      before.end ? *before.end : core_.issue_record(kernel.stream, kernel.device);
  const std::uint32_t branch = in_branch(latest.branch, kernel.stream);
  core_.issue_wait(branch, *before.trigger, kernel.device, true);
  latest.trigger = issue_pieces(branch, kernel, end_before);
  latest.end = core_.issue_record(branch, kernel.device);
  core_.issue_wait(kernel.stream, *latest.end, kernel.device, true);
  return latest;
}

// Whole, or cut where it triggers and where it has to wait for the end of a kernel before. Returns the record
// of its trigger, if that comes before its end.
std::optional<std::uint32_t> DependentLaunches::issue_pieces(std::uint32_t stream, const IssuedKernel& kernel,
                                                             std::optional<std::uint32_t> end_before) {
  const KernelParts& parts = parts_[kernel.launch];
  const bool waits = end_before && parts.prologue < 1;
  const bool triggers_first = !waits || parts.trigger <= parts.prologue;
  std::optional<std::uint32_t> trigger;
  Pieces pieces(core_, stream, kernel);
  const auto trigger_here = [&] {
    pieces.until(parts.trigger, end_before && triggers_first);
    trigger = core_.issue_record(stream, kernel.device);
  };
  if (parts.trigger < 1 && triggers_first)
    trigger_here();
  if (waits) {
    pieces.until(parts.prologue, true);
    core_.issue_wait(stream, *end_before, kernel.device);
  }
  if (parts.trigger < 1 && !triggers_first)
    trigger_here();
  pieces.finish(end_before && !waits);
  if (end_before && !waits)
    core_.issue_wait(stream, *end_before, kernel.device);
  return trigger;
}

} // namespace kerncast::timeline
