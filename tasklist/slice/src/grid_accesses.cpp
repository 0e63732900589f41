// Boxes are looked at when a CTA of theirs is asked for. A box is affine if the CTAs next to its first one
// give steps for every access, and all probed CTAs are where these steps put them.
#include "slice/grid_accesses.h"

#include <algorithm>
#include <map>
#include <optional>

#include "access_sink.h"
#include "check_geometry.h"
#include "grid_box.h"
#include "warp_executor.h"

namespace kerncast::slice {
namespace {

using tasklist::CtaTrace;
using tasklist::PlacedTrace;
using tasklist::TracedAccess;
using TracePtr = std::shared_ptr<const CtaTrace>;

// A warp that visits more blocks than that is left; loops without accesses are skipped in closed form.
constexpr std::uint64_t max_visits_per_warp = 4'000'000;
// Traces of explored CTAs are kept up to so many accesses in all.
constexpr std::size_t max_kept_accesses = 1U << 21;

// The same accesses in the same order, wherever they go.
bool same_accesses(const CtaTrace& a, const CtaTrace& b) {
  return a.warp_begin == b.warp_begin && a.truncated == b.truncated &&
         std::equal(a.accesses.begin(), a.accesses.end(), b.accesses.begin(), b.accesses.end(),
                    [](const TracedAccess& x, const TracedAccess& y) {
                      return x.task == y.task && x.pattern == y.pattern;
                    });
}

class GridAccesses final : public tasklist::AccessSource {
public:
  GridAccesses(std::shared_ptr<const Program> program, const tasklist::Launch& launch, BranchFacts facts,
               const TraceOptions& options)
      : program_(std::move(program)), launch_(launch),
        options_(options), context_{*program_,
                                    launch_,
                                    parameter_image(program_->memory, program_->address_bits, launch_),
                                    std::move(facts),
                                    max_visits_per_warp,
                                    nullptr,
                                    options_.contents},
        sink_(*program_, options.accesses_per_warp), alone_(*program_, options.accesses_per_warp),
        places_(*program_, launch_), executor_(context_, builder_, assumptions_) {
    executor_.trace_into(sink_, places_);
    const auto [x, y, z] = launch.grid;
    nodes_.push_back({.box = {{0, 0, 0}, {x - 1, y - 1, z - 1}}});
    if (program_->depends_on_data)
      survey(nodes_[0].box);
    for (std::size_t n = 0; options_.in_any_order && n < nodes_.size(); ++n)
      explore(n);
  }

  PlacedTrace cta(std::uint64_t number) override {
    const auto& grid = launch_.grid;
    const Position at{static_cast<std::uint32_t>(number % grid.x),
                      static_cast<std::uint32_t>(number / grid.x % grid.y),
                      static_cast<std::uint32_t>(number / grid.x / grid.y)};
    std::size_t n = 0;
    while (true) {
      if (nodes_[n].state == Node::State::open)
        explore(n);
      const Node& node = nodes_[n];
      if (node.state == Node::State::affine)
        return {node.trace,
                {at[0] - node.box.first[0], at[1] - node.box.first[1], at[2] - node.box.first[2]}};
      if (node.state == Node::State::single)
        return options_.in_any_order ? execute_alone(at) : PlacedTrace{execute(at), {}};
      const Box& first = nodes_[node.first_part].box;
      const bool in_first = at[0] <= first.last[0] && at[1] <= first.last[1] && at[2] <= first.last[2];
      n = node.first_part + (in_first ? 0 : 1);
    }
  }

  const std::vector<tasklist::AccessPattern>& patterns() const override { return sink_.patterns(); }
  std::uint64_t executed() const override { return executed_; }

private:
  struct Node {
    enum class State : std::uint8_t { open, affine, split, single };
    Box box;
    State state = State::open;
    std::size_t first_part = 0; // split: the parts are this node and the next
    TracePtr trace = nullptr;   // affine: of the box's first CTA, with steps
  };

  // Corners of the grid have the lowest and the highest addresses.
  void survey(const Box& grid) {
    executor_.survey(true);
    for (const Position corner : corners(grid))
      execute(corner);
    executor_.survey(false);
    executed_ = 0;
  }

  TracePtr execute(Position at) { return execute(at, sink_); }

  // With patterns of its own.
  PlacedTrace execute_alone(Position at) {
    executor_.trace_into(alone_, places_);
    PlacedTrace placed{execute(at, alone_), {}};
    executor_.trace_into(sink_, places_);
    placed.own_patterns =
        std::make_shared<const std::vector<tasklist::AccessPattern>>(alone_.take_patterns());
    return placed;
  }

  TracePtr execute(Position at, AccessSink& sink) {
    ++executed_;
    // A warp that runs away ends the CTA's trace.
    if (!executor_.run_cta({at[0], at[1], at[2]}, 0))
      sink.cut();
    auto trace = std::make_shared<CtaTrace>(sink.take());
    trace->warp_begin.resize(launch_.warps_per_cta() + 1, static_cast<std::uint32_t>(trace->accesses.size()));
    return trace;
  }

  TracePtr trace_of(Position at) {
    if (const auto known = kept_.find(at); known != kept_.end())
      return known->second;
    TracePtr trace = execute(at);
    ++explored_;
    kept_accesses_ += trace->accesses.size();
    if (kept_accesses_ > max_kept_accesses) {
      kept_.clear();
      kept_accesses_ = trace->accesses.size();
    }
    kept_.emplace(at, trace);
    return trace;
  }

  void explore(std::size_t n) {
    const Box box = nodes_[n].box;
    if (context_.facts.draws_lots || context_.follows_contents() ||
        (explored_ >= options_.max_explored_ctas && box.ctas() > 1)) {
      nodes_[n].state = Node::State::single;
      return;
    }
    if (TracePtr trace = affine_trace(box)) {
      nodes_[n].trace = std::move(trace);
      nodes_[n].state = Node::State::affine;
      return;
    }
    const auto parts = split_of(box);
    nodes_[n].state = Node::State::split;
    nodes_[n].first_part = nodes_.size();
    nodes_.push_back({.box = parts.first});
    nodes_.push_back({.box = parts.second});
  }

  // The trace of the box's first CTA with its steps; none if the box's CTAs do not follow it.
  TracePtr affine_trace(const Box& box) {
    const TracePtr first = trace_of(box.first);
    auto stepped = std::make_shared<CtaTrace>(*first);
    for (std::size_t d = 0; d < 3; ++d) {
      if (box.extent(d) == 1)
        continue;
      const TracePtr next = trace_of(moved(box.first, d, box.first[d] + 1));
      if (!same_accesses(*first, *next))
        return nullptr;
      for (std::size_t i = 0; i < first->accesses.size(); ++i)
        stepped->accesses[i].step[d] = next->accesses[i].address - first->accesses[i].address;
    }
    for (const Position probe : probe_positions(box))
      if (!follows(*trace_of(probe),
                   {stepped, {probe[0] - box.first[0], probe[1] - box.first[1], probe[2] - box.first[2]}}))
        return nullptr;
    return stepped;
  }

  static bool follows(const CtaTrace& probe, const PlacedTrace& placed) {
    if (!same_accesses(probe, *placed.trace))
      return false;
    for (std::size_t i = 0; i < probe.accesses.size(); ++i)
      if (placed.address(placed.trace->accesses[i]) != probe.accesses[i].address)
        return false;
    return true;
  }

  // Where behaviour changes between two corners, else in the middle.
  std::pair<Box, Box> split_of(const Box& box) {
    for (const Position corner : corners(box))
      for (std::size_t d = 0; d < 3; ++d)
        if (corner[d] == box.first[d] && box.extent(d) > 2)
          if (const auto at = change_between(corner, d, box.last[d]))
            return split(box, d, *at);
    const std::size_t d = longest_dimension(box);
    return split(box, d, centre(box)[d]);
  }

  // The last coordinate up to which CTAs do as `from` does, if the one at `end` does not.
  std::optional<std::uint32_t> change_between(Position from, std::size_t d, std::uint32_t end) {
    const TracePtr begin = trace_of(from);
    if (same_accesses(*begin, *trace_of(moved(from, d, end))))
      return std::nullopt;
    std::uint32_t same = from[d], different = end;
    while (different - same > 1) {
      const std::uint32_t middle = same + (different - same) / 2;
      (same_accesses(*begin, *trace_of(moved(from, d, middle))) ? same : different) = middle;
    }
    return same;
  }

  static Position moved(Position p, std::size_t d, std::uint32_t to) {
    p[d] = to;
    return p;
  }

  std::shared_ptr<const Program> program_;
  tasklist::Launch launch_;
  TraceOptions options_;
  LaunchContext context_;
  BehaviourBuilder builder_;
  Assumptions assumptions_; // those of execute_slice are the launch's
  AccessSink sink_;
  AccessSink alone_; // of CTAs executed alone
  UnknownPlaces places_;
  WarpExecutor executor_;
  std::vector<Node> nodes_;
  std::map<Position, TracePtr> kept_;
  std::size_t kept_accesses_ = 0;
  std::uint64_t explored_ = 0;
  std::uint64_t executed_ = 0;
};

} // namespace

Expected<std::unique_ptr<tasklist::AccessSource>>
trace_grid(const SliceProgram& program, const tasklist::Launch& launch, const TraceOptions& options) {
  if (auto checked = check_geometry(launch); !checked)
    return tl::unexpected(std::move(checked.error()));
  auto facts = resolve_facts(*program.program(), launch);
  if (!facts)
    return tl::unexpected(std::move(facts.error()));
  return std::make_unique<GridAccesses>(program.program(), launch, std::move(*facts), options);
}

} // namespace kerncast::slice
