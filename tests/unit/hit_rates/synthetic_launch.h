// Launches whose accesses a test writes down, on a GPU of round numbers.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "hit_rates/device_caches.h"

namespace kerncast::hit_rates {

inline constexpr std::uint64_t line_bytes = 128;

// L1 of 16 lines, L2 of 64 lines; stores drop lines from L1.
inline configs::Gpu small_gpu(std::uint32_t sms = 1) {
  configs::Gpu gpu;
  gpu.sms = sms;
  gpu.l1.bytes = 16 * line_bytes;
  gpu.l2.bytes = 64 * line_bytes;
  gpu.limits.shared_allocation_unit = 128;
  return gpu;
}

// A task list of memory tasks, one per operation, in one block.
inline tasklist::Tasklist list_of(const std::vector<std::string>& operations) {
  tasklist::Tasklist list;
  for (const std::string& operation : operations) {
    tasklist::Task task;
    task.operation = static_cast<std::uint32_t>(list.operations.size());
    task.kind = operation.starts_with("ld")   ? tasklist::TaskKind::load
                : operation.starts_with("st") ? tasklist::TaskKind::store
                                              : tasklist::TaskKind::atomic;
    task.space = operation.find("local") != std::string::npos   ? tasklist::Space::local
                 : operation.find("const") != std::string::npos ? tasklist::Space::constant
                                                                : tasklist::Space::global;
    task.access = static_cast<std::uint16_t>(list.tasks.size());
    list.operations.push_back(operation);
    list.tasks.push_back(task);
  }
  list.blocks.push_back({.task_count = static_cast<std::uint32_t>(list.tasks.size())});
  return list;
}

struct Access {
  tasklist::TaskId task = 0;
  std::uint64_t line = 0;           // the whole line, 4 bytes per lane
  std::uint64_t reach = 0;          // or each lane 4 bytes anywhere in so many lines from there on
  std::uint32_t lanes = UINT32_MAX; // of those that access the line
};

// One warp per CTA, whose accesses `of_cta` lists.
class SyntheticSource final : public tasklist::AccessSource {
public:
  explicit SyntheticSource(std::function<std::vector<Access>(std::uint64_t)> of_cta)
      : of_cta_(std::move(of_cta)) {
    tasklist::AccessPattern whole_line;
    whole_line.mask = UINT32_MAX;
    whole_line.bytes = 4;
    for (std::uint32_t lane = 0; lane < tasklist::lanes_per_warp; ++lane)
      whole_line.offsets[lane] = 4 * lane;
    patterns_.push_back(whole_line);
  }

  tasklist::PlacedTrace cta(std::uint64_t number) override {
    auto trace = std::make_shared<tasklist::CtaTrace>();
    for (const Access& a : of_cta_(number))
      trace->accesses.push_back(
          {a.line * line_bytes, {}, a.task, a.reach == 0 ? of_lanes(a.lanes) : scattered_in(a.reach)});
    trace->warp_begin = {0, static_cast<std::uint32_t>(trace->accesses.size())};
    return {trace, {}};
  }
  const std::vector<tasklist::AccessPattern>& patterns() const override { return patterns_; }
  std::uint64_t executed() const override { return 0; }

private:
  std::uint32_t of_lanes(std::uint32_t lanes) {
    const auto known = std::ranges::find_if(
        patterns_, [&](const tasklist::AccessPattern& one) { return one.known && one.mask == lanes; });
    const auto number = static_cast<std::uint32_t>(known - patterns_.begin());
    if (known == patterns_.end()) {
      patterns_.push_back(patterns_.front());
      patterns_.back().mask = lanes;
    }
    return number;
  }
  std::uint32_t scattered_in(std::uint64_t lines) {
    if (patterns_.back().reach != lines * line_bytes)
      patterns_.push_back(
          {.known = false, .reach = lines * line_bytes, .grain = 4, .mask = UINT32_MAX, .bytes = 4});
    return static_cast<std::uint32_t>(patterns_.size() - 1);
  }

  std::function<std::vector<Access>(std::uint64_t)> of_cta_;
  std::vector<tasklist::AccessPattern> patterns_;
};

struct Kernel {
  std::uint64_t ctas = 1;
  std::function<std::vector<Access>(std::uint64_t)> of_cta;
  std::vector<std::string> operations{"ld.global.f32", "st.global.f32", "atom.global.add.u32"};
  std::uint32_t ctas_per_sm = 1;
};

inline std::vector<LaunchHits> run_with_each_l2(DeviceCaches& caches, const Kernel& kernel) {
  SyntheticSource source(kernel.of_cta);
  const tasklist::Tasklist list = list_of(kernel.operations);
  tasklist::Launch launch;
  launch.grid.x = static_cast<std::uint32_t>(kernel.ctas);
  launch.block.x = tasklist::lanes_per_warp;
  return caches.run_with_each_l2({source, list, launch, kernel.ctas_per_sm});
}
inline LaunchHits run(DeviceCaches& caches, const Kernel& kernel) {
  return run_with_each_l2(caches, kernel).front();
}
inline LaunchHits run(const configs::Gpu& gpu, const Kernel& kernel, const Effort& effort = {}) {
  DeviceCaches caches(gpu, effort);
  return run(caches, kernel);
}

// Lines [first, first + lines), `passes` times over, by task 0.
inline std::vector<Access> sweep(std::uint64_t first, std::uint64_t lines, std::uint64_t passes = 1) {
  std::vector<Access> accesses;
  for (std::uint64_t pass = 0; pass < passes; ++pass)
    for (std::uint64_t i = 0; i < lines; ++i)
      accesses.push_back({0, first + i});
  return accesses;
}

} // namespace kerncast::hit_rates
