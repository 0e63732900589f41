#include "collate.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bound_shares.h"

namespace kerncast::app {
namespace {

std::string without_digits(const std::string& text) {
  std::string shape;
  for (const char c : text) {
    const bool digit = (c >= '0' && c <= '9') || c == '.';
    if (!digit)
      shape += c;
    else if (shape.empty() || shape.back() != '#')
      shape += '#';
  }
  return shape;
}

// The assumptions of many launches: every text once, and texts that launches state with other numbers (a
// register count, a share of CTAs) once for all of them.
class Assumptions {
public:
  void add(const std::vector<std::string>& of_launch) {
    std::map<std::string, std::size_t> seen_here;
    for (const std::string& text : of_launch) {
      std::string shape = without_digits(text);
      const std::size_t occurrence = seen_here[shape]++;
      if (!texts_.insert(text).second)
        continue;
      const auto [found, is_new] = shapes_.try_emplace({std::move(shape), occurrence}, kept_.size());
      if (is_new)
        kept_.push_back({text, 0});
      else
        ++kept_[found->second].alike;
    }
  }

  std::vector<std::string> take() const {
    std::vector<std::string> out;
    for (const Kept& one : kept_)
      out.push_back(one.alike == 0
                        ? one.text
                        : fmt::format("{} (and {} alike with other numbers)", one.text, one.alike));
    return out;
  }

private:
  struct Kept {
    std::string text;
    std::size_t alike;
  };
  std::vector<Kept> kept_;
  std::set<std::string> texts_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> shapes_; // shape, occurrence -> index in kept_
};

// Charges of lines, summed over launches: sums of whole numbers of charges stay exact. What a launch did not
// say about the GPU changed (--what-if) comes from the launch that did.
class Charges {
public:
  void add(const engine::Explanation& e, double launches) {
    add_states(state_cycles_, e.state_cycles, launches);
    add_lines(ptx_lines_, e.ptx_lines, launches);
    add_lines(source_lines_, e.source_lines, launches);
    if (!e.what_if.empty())
      what_if_ = e.what_if;
  }

  void write(engine::Explanation& e) const {
    e.state_cycles = state_cycles_;
    e.ptx_lines = values(ptx_lines_);
    e.source_lines = values(source_lines_);
    e.what_if = what_if_;
  }

private:
  using Lines = std::map<std::uint32_t, engine::LineCharge>;

  static void add_states(engine::StateCycles& sum, const engine::StateCycles& cycles, double launches) {
    for (std::size_t s = 0; s < engine::warp_states; ++s)
      sum[s] += launches * cycles[s];
  }
  static void add_lines(Lines& sums, const std::vector<engine::LineCharge>& lines, double launches) {
    for (const engine::LineCharge& line : lines) {
      engine::LineCharge& sum = sums[line.line];
      sum.line = line.line;
      sum.operations = line.operations;
      sum.issued += launches * line.issued;
      add_states(sum.state_cycles, line.state_cycles, launches);
    }
  }
  static std::vector<engine::LineCharge> values(const Lines& lines) {
    std::vector<engine::LineCharge> out;
    for (const auto& [number, line] : lines)
      out.push_back(line);
    return out;
  }

  engine::StateCycles state_cycles_{};
  Lines ptx_lines_;
  Lines source_lines_;
  std::vector<engine::WhatIf> what_if_;
};

// Where hit rates of launches come from, each source once: "oracle and predicted".
class HitSources {
public:
  void add(std::string_view of_launch) {
    for (std::size_t end = 0; !of_launch.empty(); of_launch.remove_prefix(std::min(end, of_launch.size()))) {
      end = of_launch.find(between);
      sources_.emplace(of_launch.substr(0, end));
      end = end == std::string_view::npos ? end : end + between.size();
    }
  }
  std::string take() const { return fmt::format("{}", fmt::join(sources_, between)); }

private:
  static constexpr std::string_view between = " and ";
  std::set<std::string, std::less<>> sources_;
};

// Sums over launches, weighted by how often each happens; divided at the end.
class Mean {
public:
  void add(const engine::KernelPrediction& p, std::uint64_t count) {
    const auto weight = static_cast<double>(count);
    bounds_.add(p, weight);
    row_.launches += count;
    engine::KernelPrediction& sum = row_.mean;
    sum.time_us += weight * p.time_us;
    sum.cycles += weight * p.cycles;
    sum.waves += weight * p.waves;
    sum.ipc_per_sm += weight * p.cycles * p.ipc_per_sm; // whole instructions over whole cycles
    sum.hit_rates.l1 += weight * p.hit_rates.l1;
    sum.hit_rates.l2 += weight * p.hit_rates.l2;
    sum.dram_bytes += weight * p.dram_bytes;
    sum.l2_bytes += weight * p.l2_bytes;
    sum.launch_overhead_us += weight * p.launch_overhead_us;
    add_interval(p, weight);
    row_.warp_instructions += weight * static_cast<double>(p.warp_instructions);
    row_.simulated_warp_instructions += weight * static_cast<double>(p.simulated_warp_instructions);
    for (const auto& [state, cycles] : p.warp_state_cycles)
      sum.warp_state_cycles[state] += weight * cycles;
    if (p.explanation) {
      charges_.add(*p.explanation, weight);
      utilisation_.add(p.explanation->utilisations, weight * p.cycles);
    }
    hit_sources_.add(p.hit_source);
    assumptions_.add(p.assumptions);
  }

  KernelRow take() {
    const auto launches = static_cast<double>(row_.launches);
    engine::KernelPrediction& mean = row_.mean;
    keep(bounds_.most());
    row_.bounds = bounds_.take();
    mean.ipc_per_sm = mean.cycles > 0 ? mean.ipc_per_sm / mean.cycles : 0;
    for (double* sum : {&mean.time_us, &mean.cycles, &mean.waves, &mean.hit_rates.l1, &mean.hit_rates.l2,
                        &mean.dram_bytes, &mean.l2_bytes, &mean.launch_overhead_us, &row_.warp_instructions,
                        &row_.simulated_warp_instructions})
      *sum /= launches;
    for (auto& [state, cycles] : mean.warp_state_cycles)
      cycles /= launches;
    if (row_.interval) {
      row_.interval->low_us /= launches;
      row_.interval->high_us /= launches;
    }
    mean.hit_source = hit_sources_.take();
    mean.assumptions = assumptions_.take();
    if (mean.explanation) {
      charges_.write(*mean.explanation);
      mean.explanation->utilisations = utilisation_.take();
    }
    return std::move(row_);
  }

private:
  void keep(const engine::KernelPrediction& p) {
    row_.mean.kernel = p.kernel;
    row_.mean.occupancy = p.occupancy;
    row_.mean.registers = p.registers;
    row_.mean.bound = p.bound;
    row_.mean.explanation = p.explanation;
    row_.mean.interval = p.interval;
  }
  void add_interval(const engine::KernelPrediction& p, double weight) {
    if (!p.interval)
      return;
    if (!row_.interval)
      row_.interval.emplace();
    row_.interval->low_us += weight * p.time_us * p.interval->low;
    row_.interval->high_us += weight * p.time_us * p.interval->high;
  }

  KernelRow row_;
  BoundShares bounds_;
  MeanUtilisation utilisation_;
  HitSources hit_sources_;
  Assumptions assumptions_;
  Charges charges_;
};

} // namespace

std::vector<KernelRow> collate(const std::vector<LaunchJob>& launches,
                               const std::vector<engine::KernelPrediction>& predictions) {
  std::vector<Mean> means;
  std::map<std::uint32_t, std::size_t> of_kernel;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto [found, is_new] = of_kernel.try_emplace(launches[i].kernel, means.size());
    if (is_new)
      means.emplace_back();
    means[found->second].add(predictions[i], launches[i].launches);
  }
  std::vector<KernelRow> rows;
  for (Mean& mean : means)
    rows.push_back(mean.take());
  return rows;
}

} // namespace kerncast::app
