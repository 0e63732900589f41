#include "loaded_latency.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <utility>

#include "cta_sequence.h"

namespace kerncast::engine {
namespace {

// Runs whose cycles differ by less are one.
constexpr double tolerance = 0.003;
// Warps that drift against each other make the cycles of neighbouring latencies differ to and fro. A latency
// that would change the cycles by less than the last run was off its line is not looked for, unless that is
// more than noise.
constexpr double most_noise = 0.008;
constexpr int most_runs = 10;
// Of the cycles of a run are left on a line that falls steeply.
constexpr double least_part = 0.01;
// No run comes nearer to the bandwidth at which the latency has no bound.
constexpr double highest_load = 0.995;
// A run of so many waves of CTAs is worth its first wave, or two of its first waves twice, to begin near its
// latency.
constexpr double waves_worth_one = 3;
constexpr double waves_worth_two = 6;
// A slope is measured by runs whose cycles would differ by more if they were nothing but waits for DRAM, and
// holds where they would differ by less: a bound other than DRAM's latency has none until that exceeds it.
constexpr double distant = 0.02;

// Cycles of queueing at a mean of `bytes` in `cycles`.
double queueing(const DramLoad& load, double bytes, double cycles) {
  const double x = std::min(bytes / cycles, highest_load * load.limit);
  return load.slope * x / (load.limit - x) + load.behind_writes * x;
}

// A run, or what is expected of one, with so much queueing.
struct Point {
  double queueing = 0;
  double cycles = 0;
  double bytes = 0;
};

double difference(double a, double b) { return std::abs(a - b) / a; }

// The longest time that an access of the program takes.
double longest_access(const SmProgram& program) {
  double longest = 1;
  for (const memory_model::Request& request : program.requests) {
    longest = std::max(longest, request.latency);
    for (const memory_model::ServedBy& level : request.levels)
      longest = std::max(longest, level.share > 0 ? level.latency : 0);
  }
  return longest;
}

SmResult with_others(RunOfBusiest&& run) {
  SmResult result = std::move(run.result);
  if (run.others)
    result.others = run.others();
  return result;
}

class UnderLoad {
public:
  UnderLoad(const SmWorkload& workload, const std::function<RunOfBusiest(const SmWorkload&)>& simulate)
      : workload_(workload), simulate_(simulate), longest_access_(longest_access(*workload.program)) {}

  SmResult solve() {
    RunOfBusiest last = run(look_at_beginning());
    Point latest = point_of(last.result);
    bool is_measured = slope_ > 0;
    if (!is_measured)
      slope_ = expected_slope(last.result);
    double noise = 0; // what was off a line of measured slope
    while (runs_ < most_runs && !is_right(latest, is_measured, noise)) {
      const Point meeting = meeting_point(latest, slope_);
      last = run(meeting.queueing);
      const Point next = point_of(last.result);
      noise = runs_ > 2 ? difference(next.cycles, meeting.cycles) : 0;
      slope_ = slope_between(latest, next);
      is_measured = true;
      latest = next;
    }
    return finish(std::move(last));
  }

private:
  const DramLoad& load() const { return workload_.config.dram_load; }
  double wanted_by(const Point& run) const { return queueing(load(), run.bytes, run.cycles); }

  // By how much cycles would change, relatively, if they were nothing but waits for DRAM.
  double most_change(double from, double to) const {
    return std::abs(to - from) / (longest_access_ + std::min(from, to));
  }

  bool is_right(const Point& run, bool slope_is_measured, double noise) const {
    if (most_change(run.queueing, wanted_by(run)) <= tolerance)
      return true;
    const Point meeting = meeting_point(run, slope_);
    return slope_is_measured && most_change(run.queueing, meeting.queueing) <= distant &&
           difference(run.cycles, meeting.cycles) <= std::clamp(noise, tolerance, most_noise);
  }

  // Relative to the cycles, for a cycle of queueing: as if they were nothing but waits for DRAM, at most. Two
  // runs that are close tell less than those before.
  double slope_between(const Point& a, const Point& b) const {
    assert(a.queueing != b.queueing && "a run under the load of the one before would have been right");
    const double slope = std::clamp((b.cycles - a.cycles) / (b.queueing - a.queueing) / b.cycles, 0.0,
                                    1 / (longest_access_ + std::min(a.queueing, b.queueing)));
    return most_change(a.queueing, b.queueing) > distant ? slope : std::max(slope, slope_);
  }

  // Where warps wait for memory, and DRAM could give them more, they wait as much longer.
  double expected_slope(const SmResult& run) const {
    const double waiting = run.warp_state_cycles[static_cast<std::size_t>(WarpState::long_scoreboard)] /
                           std::max(1.0, run.resident_warp_cycles);
    const double most = workload_.config.dram_bytes_per_clock;
    const double used = most > 0 ? std::min(1.0, run.dram_bytes / run.cycles / most) : 0;
    return waiting * (1 - used) / longest_access_;
  }

  // Where the cycles, on a line of that slope through the run, lead to the queueing that they have, by
  // bisection: the one rises with the queueing and the other falls. That is between what the run had and what
  // it wants.
  Point meeting_point(const Point& run, double slope) const {
    Point at = run;
    auto [below, above] = std::minmax({run.queueing, wanted_by(run)});
    for (int i = 0; i < 50; ++i) {
      at.queueing = (below + above) / 2;
      at.cycles = run.cycles * std::max(least_part, 1 + slope * (at.queueing - run.queueing));
      (wanted_by(at) > at.queueing ? below : above) = at.queueing;
    }
    return at;
  }

  // The queueing to begin with.
  double look_at_beginning() {
    const double waves =
        static_cast<double>(ctas_of(workload_)) / static_cast<double>(workload_.resident_ctas);
    if (waves >= waves_worth_two)
      return look_at_two_waves(waves);
    return waves >= waves_worth_one ? look_at_one_wave() : 0;
  }

  // As if all waves were like the first.
  double look_at_one_wave() {
    SmWorkload wave = with_first_ctas(workload_, workload_.resident_ctas);
    wave.config.dram_queueing = 0;
    const SmResult alone = simulate_(wave).result;
    stepped_ += alone.simulated_warp_instructions;
    const Point first{0, alone.cycles - workload_.config.first_cta_launch, alone.dram_bytes};
    return meeting_point(first, expected_slope(alone)).queueing;
  }

  // As if all waves were like the second.
  double look_at_two_waves(double waves) {
    const std::uint64_t wave = workload_.resident_ctas;
    SmWorkload two_waves = with_first_ctas(workload_, 2 * wave);
    two_waves.other_ctas.push_back(first_ctas(workload_.ctas, wave));
    const auto all_at = [&](double queueing) {
      two_waves.config.dram_queueing = queueing;
      const RunOfBusiest run = simulate_(two_waves);
      const SmResult& two = run.result;
      const SmResult one = run.others().front();
      stepped_ += two.simulated_warp_instructions + one.simulated_warp_instructions;
      return Point{queueing, two.cycles + (waves - 2) * (two.cycles - one.cycles),
                   two.dram_bytes + (waves - 2) * (two.dram_bytes - one.dram_bytes)};
    };
    const Point alone = all_at(0);
    const double wanted = wanted_by(alone);
    if (most_change(0, wanted) <= distant)
      return wanted;
    const Point loaded = all_at(wanted);
    slope_ = slope_between(alone, loaded);
    return meeting_point(loaded, slope_).queueing;
  }

  RunOfBusiest run(double queueing) {
    workload_.config.dram_queueing = queueing;
    ++runs_;
    RunOfBusiest run = simulate_(workload_);
    stepped_ += run.result.simulated_warp_instructions;
    return run;
  }

  Point point_of(const SmResult& result) const {
    return {workload_.config.dram_queueing, result.cycles, result.dram_bytes};
  }

  SmResult finish(RunOfBusiest&& run) const {
    run.result.simulated_warp_instructions = stepped_;
    return with_others(std::move(run));
  }

  SmWorkload workload_;
  const std::function<RunOfBusiest(const SmWorkload&)>& simulate_;
  double longest_access_;
  double slope_ = 0; // of the cycles, relative to them, over the queueing
  int runs_ = 0;
  std::uint64_t stepped_ = 0;
};

} // namespace

SmResult simulate_under_load(const SmWorkload& workload,
                             const std::function<RunOfBusiest(const SmWorkload&)>& simulate) {
  if (workload.config.dram_load.limit <= 0)
    return with_others(simulate(workload));
  return UnderLoad(workload, simulate).solve();
}

} // namespace kerncast::engine
