// Bisection of the grid, largest part first.
#include "grid_classes.h"

#include <algorithm>
#include <queue>

#include <fmt/format.h>

#include "alignment_classes.h"
#include "warp/spread_order.h"

namespace kerncast::slice {
namespace {

using tasklist::ClassRun;
using tasklist::CtaClass;

// CTAs over which a branch of given probability spreads its choices.
constexpr std::uint64_t probability_phases = 16;

// Where part `i` of `parts` equal ones ends, before which `i` parts lie.
std::uint64_t share_end(std::uint64_t count, std::uint64_t parts, std::uint64_t i) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(count) * i / parts);
}

// A CTA of a part, at the golden ratio's multiples modulo 1 of its length: no column of the grid is
// preferred.
std::uint64_t place_in_part(std::uint64_t ctas, std::uint64_t parts, std::uint64_t part) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15; // of 2^64
  const std::uint64_t first = share_end(ctas, parts, part), length = share_end(ctas, parts, part + 1) - first;
  return first + static_cast<std::uint64_t>(static_cast<unsigned __int128>(golden * part) * length >> 64U);
}

// Of a CTA by its number in a box that begins at 0.
Position position(const Box& grid, std::uint64_t number) {
  const std::uint64_t x = grid.extent(0), y = grid.extent(1);
  return {static_cast<std::uint32_t>(number % x), static_cast<std::uint32_t>(number / x % y),
          static_cast<std::uint32_t>(number / x / y)};
}

class GridSplitter {
public:
  GridSplitter(const LaunchContext& context, CtaSampler& sampler, const SliceOptions& options,
               Assumptions& assumptions)
      : context_(context), sampler_(sampler), options_(options), assumptions_(assumptions),
        order_(context.launch.grid) {}

  Expected<GridClasses> run() {
    const tasklist::Dim3 grid = context_.launch.grid;
    const Box whole{{0, 0, 0}, {grid.x - 1, grid.y - 1, grid.z - 1}};
    auto done = context_.follows_contents()                    ? spread(whole)
                : whole.ctas() <= options_.full_execution_ctas ? execute_all(whole)
                                                               : bisect(whole);
    if (!done)
      return tl::unexpected(std::move(done.error()));
    for (std::uint32_t c = 0; c < classes_.size(); ++c)
      classes_[c].extent = order_.extent(c);
    return GridClasses{std::move(classes_), std::move(order_)};
  }

private:
  ClassRun count(std::vector<std::uint32_t> warp_paths, std::uint64_t ctas) {
    const auto [entry, added] = numbers_.try_emplace(warp_paths, static_cast<std::uint32_t>(classes_.size()));
    if (added)
      classes_.push_back({std::move(warp_paths), 0});
    classes_[entry->second].cta_count += ctas;
    return {entry->second, ctas};
  }

  // Branches of given probability differ from CTA to CTA: a class is spread over several choices, the first
  // of which are those of the sample.
  Expected<std::vector<ClassRun>> count_like(const CtaSample& sample, std::uint64_t ctas) {
    if (!context_.facts.draws_lots)
      return std::vector{count(sample.warp_paths, ctas)};
    const auto share = [&](std::uint64_t phase) {
      return ctas / probability_phases + (phase < ctas % probability_phases ? 1 : 0);
    };
    std::vector<ClassRun> counted{count(sample.warp_paths, share(0))};
    for (std::uint64_t phase = 1; phase < std::min(probability_phases, ctas); ++phase) {
      auto paths = sampler_.paths(sample.at, phase);
      if (!paths)
        return tl::unexpected(std::move(paths.error()));
      counted.push_back(count(std::move(*paths), share(phase)));
    }
    return counted;
  }

  Expected<void> execute_all(const Box& box) {
    std::uint64_t number = 0;
    for (const Position at : all_positions(box)) {
      auto paths = sampler_.paths(at, number++);
      if (!paths)
        return tl::unexpected(std::move(paths.error()));
      order_.add(number - 1, count(std::move(*paths), 1));
    }
    return {};
  }

  // One CTA of each part of the grid, wherever in it; all have the same weight.
  Expected<void> spread(const Box& whole) {
    const std::uint64_t ctas = whole.ctas();
    const auto parts = std::min<std::uint64_t>(ctas, options_.max_ctas_on_contents);
    std::vector<std::vector<std::uint32_t>> executed;
    for (const std::size_t part : spread_order(parts)) {
      if (!executed.empty() && sampler_.visits() >= options_.max_visits_on_contents)
        break;
      auto paths = sampler_.paths(position(whole, place_in_part(ctas, parts, part)), part);
      if (!paths)
        return tl::unexpected(std::move(paths.error()));
      executed.push_back(std::move(*paths));
    }
    const std::uint64_t n = executed.size();
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t first = share_end(ctas, n, i);
      order_.add(first, count(std::move(executed[i]), share_end(ctas, n, i + 1) - first));
    }
    if (n < ctas)
      assumptions_.add(0, fmt::format("CTAs executed with the contents of buffers: {} of {}, evenly spread, "
                                      "stand for all",
                                      n, ctas));
    return {};
  }

  Expected<void> bisect(const Box& whole) {
    const auto smaller = [](const Box& a, const Box& b) {
      return a.ctas() != b.ctas() ? a.ctas() < b.ctas() : a.first > b.first;
    };
    std::priority_queue<Box, std::vector<Box>, decltype(smaller)> open(smaller);
    open.push(whole);
    while (!open.empty()) {
      const Box box = open.top();
      open.pop();
      auto parts = sampler_.executed() < options_.max_sampled_ctas || sampler_.executed() == 0
                       ? classify(box)
                       : give_to_nearest(box);
      if (!parts)
        return tl::unexpected(std::move(parts.error()));
      for (const Box& part : *parts)
        open.push(part);
    }
    assumptions_.add(0, fmt::format("CTA classes found by bisection: {} of {} CTAs executed",
                                    sampler_.executed(), whole.ctas()));
    if (assigned_by_position_ > 0)
      assumptions_.add(0, fmt::format("{} of {} CTAs are taken to behave like the nearest of the {} executed "
                                      "(raise the number of sampled CTAs)",
                                      assigned_by_position_, whole.ctas(), sampler_.executed()));
    return {};
  }

  Expected<std::vector<Box>> give_to_nearest(const Box& box) {
    assigned_by_position_ += box.ctas();
    const auto counted = count_like(sampler_.nearest(centre(box)), box.ctas());
    if (!counted)
      return tl::unexpected(counted.error());
    order_.add(box, *counted);
    return std::vector<Box>{};
  }

  Expected<std::vector<const CtaSample*>> sample_all(const std::vector<Position>& positions) {
    std::vector<const CtaSample*> samples;
    for (const Position at : positions) {
      const auto sample = sampler_.sample(at);
      if (!sample)
        return tl::unexpected(sample.error());
      samples.push_back(*sample);
    }
    return samples;
  }

  // Counts the box's CTAs if they form classes; else the parts to look at.
  Expected<std::vector<Box>> classify(const Box& box) {
    const auto probes = sample_all(box.ctas() <= 9 ? all_positions(box) : probe_positions(box));
    if (!probes)
      return tl::unexpected(probes.error());
    if (box.ctas() <= 9)
      return count_each(*probes);
    const bool alike = std::all_of(probes->begin(), probes->end(), [&](const CtaSample* p) {
      return p->signature == probes->front()->signature;
    });
    if (!alike)
      return split_where_different(box);
    const auto found = find_alignment_classes(box, *probes, sampler_);
    if (!found)
      return tl::unexpected(found.error());
    if (!*found)
      return halves(box);
    return count_alignments(box, **found);
  }

  Expected<std::vector<Box>> count_each(const std::vector<const CtaSample*>& samples) {
    for (const CtaSample* sample : samples) {
      const auto counted = count_like(*sample, 1);
      if (!counted)
        return tl::unexpected(counted.error());
      order_.add({sample->at, sample->at}, *counted);
    }
    return std::vector<Box>{};
  }

  Expected<std::vector<Box>> count_alignments(const Box& box, const AlignmentClasses& found) {
    std::vector<ClassRun> of_box;
    if (found.merged)
      assumptions_.add(
          0, fmt::format("CTAs have more than {} different alignments of accesses; neighbouring ones "
                         "are taken as one",
                         max_alignment_classes));
    for (const AlignmentClass& c : found.classes) {
      const auto sample = sampler_.sample(c.representative);
      if (!sample)
        return tl::unexpected(sample.error());
      const auto counted = count_like(**sample, c.ctas);
      if (!counted)
        return tl::unexpected(counted.error());
      of_box.insert(of_box.end(), counted->begin(), counted->end());
    }
    order_.add(box, std::move(of_box));
    return std::vector<Box>{};
  }

  static std::vector<Box> halves(const Box& box) {
    const std::size_t d = longest_dimension(box);
    const auto parts = split(box, d, centre(box)[d]);
    return {parts.first, parts.second};
  }

  // Splits exactly where behaviour changes: along an edge between two different corners, or on the way
  // from the centre to a side.
  Expected<std::vector<Box>> split_where_different(const Box& box) {
    std::vector<std::pair<Position, Position>> lines;
    for (const Position corner : corners(box))
      for (std::size_t d = 0; d < 3; ++d)
        if (corner[d] == box.first[d] && box.extent(d) > 1)
          lines.emplace_back(corner, moved(corner, d, box.last[d]));
    const Position middle = centre(box);
    for (std::size_t d = 0; d < 3; ++d)
      if (box.extent(d) > 2) {
        lines.emplace_back(moved(middle, d, box.first[d]), middle);
        lines.emplace_back(middle, moved(middle, d, box.last[d]));
      }
    for (const auto& [from, to] : lines) {
      const auto ends = sample_all({from, to});
      if (!ends)
        return tl::unexpected(ends.error());
      if ((*ends)[0]->signature != (*ends)[1]->signature)
        return split_on_line(box, from, to);
    }
    return halves(box);
  }

  static Position moved(Position p, std::size_t d, std::uint32_t to) {
    p[d] = to;
    return p;
  }

  // `from` and `to` differ in one coordinate and in behaviour.
  Expected<std::vector<Box>> split_on_line(const Box& box, Position from, Position to) {
    std::size_t d = 0;
    while (from[d] == to[d])
      ++d;
    const auto begin = sampler_.sample(from);
    if (!begin)
      return tl::unexpected(begin.error());
    std::uint32_t same = from[d], different = to[d];
    while (different - same > 1) {
      const std::uint32_t middle = same + (different - same) / 2;
      const auto sample = sampler_.sample(moved(from, d, middle));
      if (!sample)
        return tl::unexpected(sample.error());
      if ((*sample)->signature == (*begin)->signature)
        same = middle;
      else
        different = middle;
    }
    const auto parts = split(box, d, same);
    return std::vector<Box>{parts.first, parts.second};
  }

  const LaunchContext& context_;
  CtaSampler& sampler_;
  const SliceOptions& options_;
  Assumptions& assumptions_;
  tasklist::GridOrder order_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_; // class by its warps' paths
  std::vector<CtaClass> classes_;
  std::uint64_t assigned_by_position_ = 0;
};

} // namespace

Expected<GridClasses> find_cta_classes(const LaunchContext& context, CtaSampler& sampler,
                                       const SliceOptions& options, Assumptions& assumptions) {
  return GridSplitter(context, sampler, options, assumptions).run();
}

} // namespace kerncast::slice
