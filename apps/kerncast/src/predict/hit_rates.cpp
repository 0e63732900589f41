#include "hit_rates.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "engine/kernel.h"
#include "hit_rates/issued_source.h"
#include "parallel/run.h"
#include "tasklist/operation.h"
#include "traced_kernels.h"

namespace kerncast::app {
namespace {

using hit_rates::LaunchHits;

// Launches followed of an application, in stretches that warm L2 as the whole would.
constexpr std::size_t most_followed = 64;
constexpr std::size_t stretch = 8;
// CTAs executed to know the addresses of all followed launches.
constexpr std::uint64_t explored_ctas = 1U << 15;
// Lines that the followed accesses of a launch touch at most.
constexpr std::uint64_t lines_per_launch = 1U << 23;
// Lines followed of all launches of an application; more are sampled, one in 16 at least.
constexpr double lines_followed = 1U << 22;
constexpr std::uint32_t most_sampling_shift = 4;
// Rates of other sizes of the caches are needed roughly only.
constexpr std::uint32_t bounds_shift = 3;

bool is_given(const LaunchJob& job, const PredictOptions& options) {
  return job.hit_rates || (options.l1_hit && options.l2_hit);
}

double mean(double first, double others, double count) { return (first + (count - 1) * others) / count; }

using hit_rates::TaskRates;

TaskRates mean_of(const TaskRates& first, const TaskRates& others, double count) {
  const auto of = [count](const memory_model::HitRates& a, const memory_model::HitRates& b) {
    const double missed = mean(1 - a.l1, 1 - b.l1, count);
    const double displaced = mean((1 - a.l1) * a.displaced, (1 - b.l1) * b.displaced, count);
    return memory_model::HitRates{
        .l1 = mean(a.l1, b.l1, count),
        .l2 = mean(a.l2, b.l2, count),
        .tlb_miss = mean(a.tlb_miss, b.tlb_miss, count),
        .constant_miss = mean(a.constant_miss, b.constant_miss, count),
        .hottest = mean(a.hottest, b.hottest, count),
        .displaced = missed > 0 ? displaced / missed : 0,
    };
  };
  TaskRates rates{of(first.rates, others.rates), {}};
  for (std::size_t t = 0; t < others.by_task.size(); ++t)
    rates.by_task.push_back(of(first.by_task[t], others.by_task[t]));
  return rates;
}

// Rates of a launch that happens `count` times, the first time otherwise than later.
LaunchHits mean_of(const LaunchHits& first, const LaunchHits& others, std::uint64_t count) {
  const auto n = static_cast<double>(count);
  LaunchHits hits = others;
  static_cast<TaskRates&>(hits) = mean_of(static_cast<const TaskRates&>(first), others, n);
  if (hits.bounds)
    hits.bounds = {mean_of(first.bounds->fewer, others.bounds->fewer, n),
                   mean_of(first.bounds->more, others.bounds->more, n)};
  return hits;
}

// One level's rate that is given beside predicted ones.
struct GivenRate {
  double rate = 0;
  double memory_model::HitRates::*level;
  const tasklist::Tasklist& list;

  // What is only written comes back from L2 as it is predicted to, and what passes L1 by never hits there.
  bool is_of(std::size_t task) const {
    if (task >= list.tasks.size()) // spills
      return true;
    return level == &memory_model::HitRates::l2 ? list.tasks[task].kind != tasklist::TaskKind::store
                                                : !tasklist::passes_l1_by(list, list.tasks[task]);
  }

  // Whether it says how many of the task's requests L2 gets: all of stores and atomics, and of constants
  // those that their own cache misses.
  bool lets_through(std::size_t task) const {
    return level == &memory_model::HitRates::l1 && task < list.tasks.size() &&
           list.tasks[task].kind == tasklist::TaskKind::load && is_of(task) &&
           list.tasks[task].space != tasklist::Space::constant;
  }
};

void put(const GivenRate& given, TaskRates& rates) {
  rates.rates.*given.level = given.rate;
  for (std::size_t t = 0; t < rates.by_task.size(); ++t) {
    memory_model::HitRates& of_task = rates.by_task[t];
    if (given.lets_through(t) && given.rate < 1) // however many ask L2, it writes the same
      of_task.displaced *= (1 - of_task.l1) / (1 - given.rate);
    if (given.is_of(t))
      of_task.*given.level = given.rate;
  }
}

void put(const GivenRate& given, LaunchHits& hits) {
  put(given, static_cast<TaskRates&>(hits));
  if (hits.bounds) {
    put(given, hits.bounds->fewer);
    put(given, hits.bounds->more);
  }
  hits.partly_given = true;
}

void put_given(const LaunchJob& job, const tasklist::Tasklist& list, const PredictOptions& options,
               std::optional<LaunchHits>& hits) {
  if (is_given(job, options)) {
    hits.reset();
    return;
  }
  if (hits && options.l1_hit)
    put({*options.l1_hit, &memory_model::HitRates::l1, list}, *hits);
  if (hits && options.l2_hit)
    put({*options.l2_hit, &memory_model::HitRates::l2, list}, *hits);
}

// What L2 holds depends on the launches between those of a sample.
const std::vector<LaunchJob>& all_launches(const PredictInput& input) {
  return input.sampled_from ? input.sampled_from->launches : input.launches;
}

// Those of input.launches.
Hits sample_of(Hits all, const PredictInput& input) {
  if (!input.sampled_from)
    return all;
  Hits sample;
  for (const std::size_t launch : input.sampled_from->sample)
    sample.push_back(std::move(all[launch]));
  return sample;
}

// The launches of one GPU with each of these L2s.
class HitRatePrediction {
public:
  HitRatePrediction(const PredictInput& input, const configs::Gpu& gpu,
                    const std::vector<machine::MachineProgram>& programs, std::span<const configs::Cache> l2s,
                    bool with_bounds)
      : input_(input), launches_(all_launches(input)), gpu_(gpu), programs_(programs), l2s_(l2s),
        traced_(input), hits_(l2s.size(), Hits(launches_.size())) {
    effort_.bounds = with_bounds;
  }

  // By L2.
  std::vector<Hits> run() {
    choose_followed();
    trace_followed();
    hit_rates::DeviceCaches caches(gpu_, effort_, l2s_);
    for (Followed& one : followed_)
      put(one.launch, caches.run_with_each_l2(accesses(one)));
    for (Followed& one : followed_)
      if (const std::uint64_t count = launches_[one.launch].launches; count > 1)
        put_mean(one.launch, count, caches.run_with_each_l2(accesses(one)));
    for (Hits& of_l2 : hits_)
      give_to_the_others(of_l2);
    return std::move(hits_);
  }

private:
  struct Followed {
    std::size_t launch = 0;
    std::uint32_t ctas_per_sm = 1;
    std::unique_ptr<tasklist::AccessSource> source;
  };

  void put(std::size_t launch, std::vector<LaunchHits> by_l2) {
    for (std::size_t i = 0; i < by_l2.size(); ++i)
      hits_[i][launch] = std::move(by_l2[i]);
  }

  // Of a launch that happens `count` times; what is there is of the first time.
  void put_mean(std::size_t launch, std::uint64_t count, const std::vector<LaunchHits>& others_by_l2) {
    for (std::size_t i = 0; i < others_by_l2.size(); ++i)
      hits_[i][launch] = mean_of(*hits_[i][launch], others_by_l2[i], count);
  }

  hit_rates::LaunchAccesses accesses(const Followed& one) const {
    const LaunchJob& job = launches_[one.launch];
    return {*one.source,
            input_.kernels[job.kernel].list,
            job.launch,
            one.ctas_per_sm,
            programs_[job.kernel].spill_bytes,
            machine::one_lane_tasks(programs_[job.kernel], input_.kernels[job.kernel].list.tasks.size())};
  }

  void choose_followed() {
    const std::size_t launches = launches_.size();
    const std::size_t every = launches <= most_followed ? 1 : (launches + most_followed - 1) / most_followed;
    for (std::size_t i = 0; i < launches; ++i)
      if (i / stretch % every == 0)
        followed_.push_back({.launch = i, .source = nullptr});
  }

  // A launch that cannot run or be traced is not followed; planning reports why.
  void trace_followed() {
    double lines = 0;
    for (Followed& one : followed_) {
      const LaunchJob& job = launches_[one.launch];
      const KernelCode& kernel = input_.kernels[job.kernel];
      const auto occupancy = engine::occupancy_of(kernel.list, programs_[job.kernel], job.launch, gpu_);
      if (!occupancy || !traced_.has_addresses(job))
        continue;
      one.ctas_per_sm = occupancy->ctas_per_sm;
      one.source = source_of(job, one.ctas_per_sm);
      if (!one.source)
        continue;
      lines += std::min(hit_rates::estimated_lines(accesses(one), gpu_),
                        static_cast<double>(effort_.lines_per_launch));
    }
    std::erase_if(followed_, [](const Followed& one) { return one.source == nullptr; });
    while (lines > lines_followed && effort_.sampling_shift < most_sampling_shift) {
      lines /= 2;
      ++effort_.sampling_shift;
    }
  }

  std::unique_ptr<tasklist::AccessSource> source_of(const LaunchJob& job, std::uint32_t ctas_per_sm) const {
    slice::TraceOptions options;
    options.accesses_per_warp = hit_rates::accesses_per_warp(job.launch, ctas_per_sm, gpu_, effort_);
    options.max_explored_ctas = std::max<std::uint64_t>(64, explored_ctas / followed_.size());
    return hit_rates::as_issued(traced_.source_of(job, options), input_.kernels[job.kernel].list,
                                programs_[job.kernel], gpu_.scheduler);
  }

  // The followed launch of the same kernel that is nearest in the application; null if there is none.
  const Followed* nearest_of(std::size_t launch) const {
    const auto distance = [&](const Followed& one) {
      return one.launch > launch ? one.launch - launch : launch - one.launch;
    };
    const Followed* nearest = nullptr;
    for (const Followed& one : followed_)
      if (launches_[one.launch].kernel == launches_[launch].kernel &&
          (nearest == nullptr || distance(one) < distance(*nearest)))
        nearest = &one;
    return nearest;
  }

  void give_to_the_others(Hits& all) const {
    std::vector<std::pair<std::size_t, LaunchHits>> others;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Followed* nearest = all[i] ? nullptr : nearest_of(i);
      if (nearest == nullptr)
        continue;
      others.emplace_back(i, *all[nearest->launch]);
      others.back().second.notes.push_back(
          fmt::format("hit rates: {} of {} launches followed, the others as the nearest of their kernel",
                      followed_.size(), all.size()));
    }
    for (auto& [launch, hits] : others)
      all[launch] = std::move(hits);
  }

  const PredictInput& input_;
  const std::vector<LaunchJob>& launches_;
  const configs::Gpu& gpu_;
  const std::vector<machine::MachineProgram>& programs_;
  std::span<const configs::Cache> l2s_;
  TracedKernels traced_;
  std::vector<Hits> hits_; // by L2
  std::vector<Followed> followed_;
  hit_rates::Effort effort_{.lines_per_launch = lines_per_launch, .bounds_shift = bounds_shift};
};

// By L2; nothing where an oracle gives them.
std::vector<Hits> found_hits(const PredictInput& input, const configs::Gpu& gpu,
                             const std::vector<machine::MachineProgram>& programs,
                             std::span<const configs::Cache> l2s, const PredictOptions& options) {
  std::vector<Hits> by_l2(l2s.size(), Hits(input.launches.size()));
  const auto given = [&](const LaunchJob& job) { return is_given(job, options); };
  if (std::all_of(input.launches.begin(), input.launches.end(), given))
    return by_l2;
  std::vector<Hits> found = HitRatePrediction(input, gpu, programs, l2s, options.interval).run();
  for (std::size_t l = 0; l < l2s.size(); ++l) {
    by_l2[l] = sample_of(std::move(found[l]), input);
    for (std::size_t i = 0; i < input.launches.size(); ++i)
      put_given(input.launches[i], input.kernels[input.launches[i].kernel].list, options, by_l2[l][i]);
  }
  return by_l2;
}

} // namespace

PredictedHits predict_hits(const PredictInput& input, const std::vector<configs::Gpu>& gpus,
                           const Programs& programs, const PredictOptions& options) {
  PredictedHits hits(gpus.size());
  parallel::for_each_index(gpus.size(), options.threads, [&](std::size_t g) {
    hits[g] = std::move(found_hits(input, gpus[g], programs[g], {&gpus[g].l2, 1}, options).front());
  });
  return hits;
}

std::vector<Hits> predict_hits_with_each_l2(const PredictInput& input, const configs::Gpu& gpu,
                                            const std::vector<machine::MachineProgram>& programs,
                                            std::span<const configs::Cache> l2s) {
  return found_hits(input, gpu, programs, l2s, {});
}

} // namespace kerncast::app
