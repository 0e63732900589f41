// Random SM workloads: units, operations, loops, barriers, memory, CTAs and schedulers of every kind.
#pragma once

#include <random>

#include "engine/sm_workload.h"

namespace kerncast::engine {

inline constexpr configs::SchedulerPolicy policies[] = {
    configs::SchedulerPolicy::lrr, configs::SchedulerPolicy::gto, configs::SchedulerPolicy::oldest,
    configs::SchedulerPolicy::two_level, configs::SchedulerPolicy::gty};

class RandomWorkload {
public:
  explicit RandomWorkload(std::uint32_t seed)
      : random_(seed), random_l2_(seed), random_others_(seed), random_lines_(seed), random_lanes_(seed),
        random_queues_(seed),
        warp_end_(seed % 3 == 2 ? configs::WarpEnd::last_issue : configs::WarpEnd::last_completion) {}

  SmWorkload make(configs::SchedulerPolicy policy) {
    SmWorkload w;
    w.config = config(policy);
    SmProgram program;
    program.slot_count = below(6) + 1;
    program.requests = {request(), request(), request()};
    program.barrier_uses = {barrier_use(), barrier_use(), barrier_use()};
    const std::uint32_t ops = below(14) + 3;
    for (std::uint32_t i = 0; i < ops; ++i)
      program.ops.push_back(op(program, w.config));
    program.loop_depth = 2;
    const std::uint32_t paths = has_one_barrier_ && below(2) == 0 ? 1 : below(3) + 1;
    for (std::uint32_t path = 0; path < paths; ++path)
      add_path(program);
    w.program = std::make_shared<const SmProgram>(std::move(program));
    const std::uint32_t warps = below(4) + 1;
    for (std::uint32_t kind = 0; kind < 2; ++kind) {
      CtaKind one;
      for (std::uint32_t i = 0; i < warps; ++i)
        one.warp_paths.push_back(below(paths));
      w.kinds.push_back(one);
    }
    w.ctas = {{0, below(6) + 1}, {1, below(4)}, {0, below(5)}};
    w.resident_ctas = below(5) + 1;
    return w;
  }

private:
  std::uint32_t below(std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random_);
  }
  template <class T> T one_of(std::initializer_list<T> values) {
    return *(values.begin() + below(static_cast<std::uint32_t>(values.size())));
  }

  double queue() {
    constexpr double cycles[] = {0, 0, 0, 0.5, 4, 20.25, 300};
    return cycles[random_queues_() % std::size(cycles)];
  }

  SmConfig config(configs::SchedulerPolicy policy) {
    SmConfig c;
    c.scheduler = policy;
    c.warp_end = warp_end_;
    c.sub_cores = one_of({1U, 2U, 4U});
    c.issue_width = one_of({1U, 1U, 2U});
    c.dual_issue = below(3) == 0;
    c.issue_interval = one_of({1U, 1U, 1U, 2U, 4U});
    c.warp_issue_distance = one_of({1.0, 1.0, 2.0, 1.5, 0.5});
    c.cta_launch_latency = one_of({0.0, 7.0, 150.5, 1300.0});
    c.first_cta_launch = one_of({0.0, 0.0, 11.5});
    c.cta_launch_interval = one_of({0.0, 0.0, 3.25, 170.0});
    const std::uint32_t units = below(4) + 1;
    for (std::uint32_t i = 0; i < units; ++i)
      c.units.push_back(
          {one_of({configs::UnitScope::sm, configs::UnitScope::sub_core}), below(2) + 1, queue()});
    c.memory_ports = below(2) + 1;
    c.link_bytes_per_clock = one_of({0.0, 32.0, 64.0});
    c.l2_bytes_per_clock = one_of({0.0, 20.5});
    if (random_l2_() % 2 == 0)
      c.l2_requests = {9.25, random_l2_() % 2 == 0 ? 0.3 : 1.0};
    c.hottest_turns_per_clock = random_l2_() % 2 == 0 ? 0.75 : 0;
    c.dram_bytes_per_clock = one_of({0.0, 3.7, 11.0});
    c.others_share = static_cast<double>(random_others_() % 3) * 0.4375;
    c.in_flight_bytes = one_of({0.0, 256.0, 1024.0});
    c.loads_per_warp = one_of({0U, 0U, 1U, 3U});
    c.instruction_cache_lines = one_of({0U, 0U, 0U, 0U, 1U, 3U});
    c.instructions_per_line = one_of({1U, 2U, 8U});
    c.instruction_miss_latency = one_of({30.0, 212.5});
    c.instruction_sms = c.instructions_per_line == 2 ? 4 : 1;
    return c;
  }

  // Half of them are bar.sync 0; in half of the workloads all.
  BarrierUse barrier_use() {
    BarrierUse use;
    if (below(2) == 0 || has_one_barrier_)
      return use;
    use.barrier = below(4);
    use.arrivals = below(3);
    use.expected = one_of({0U, 0U, 1U, 2U, 3U});
    use.announced_bytes = one_of({0U, 0U, 64U});
    use.waits = below(3) != 0;
    use.after_copies = below(4) == 0;
    return use;
  }

  memory_model::Request request() {
    const double l2 = one_of({0.0, 32.0, 128.0, 1024.0});
    memory_model::Request r{one_of({20.0, 33.5, 400.0, 2500.0}),
                            one_of({1.0, 2.0, 32.0}),
                            l2,
                            l2 * one_of({0.0, 0.5, 1.0}),
                            1,
                            {}};
    if (below(2) == 0) // hits and misses one by one
      r.levels = {{{0.5, 33.5, 0, 0}, {0.3, 200, 128, 0}, {0.2, 400, 128, 128}}};
    r.writes = random_l2_() % 3 == 0;
    r.hottest_turns = r.writes && random_l2_() % 2 == 0 ? 3.5 : 0;
    r.line_bytes_per_byte = random_lines_() % 2 == 0 ? 1 : 4;
    r.sent_bytes_per_byte = random_lines_() % 2 == 0 ? 1 : 0.25;
    if (random_lanes_() % 6 == 0) // of no lane
      return {r.latency, 0, 0, 0, 0, {}};
    return r;
  }

  SmOp op(SmProgram& program, const SmConfig& config) {
    SmOp o;
    o.latency = one_of({1.0, 4.0, 6.25, 18.0, 0.5, 210.0});
    o.issue_interval = one_of({0.25, 0.5, 1.0, 2.0, 3.5, 7.47, 16.0});
    o.unit = static_cast<std::uint16_t>(below(static_cast<std::uint32_t>(config.units.size())));
    o.kind = one_of({SmOpKind::compute, SmOpKind::compute, SmOpKind::compute, SmOpKind::compute,
                     SmOpKind::memory, SmOpKind::memory, SmOpKind::memory, SmOpKind::barrier, SmOpKind::fence,
                     SmOpKind::commit, SmOpKind::wait_group});
    if (has_cross_latency_ && below(2) == 0)
      o.cross_latency = one_of({3.0, 7.5, 30.0});
    if (o.kind == SmOpKind::commit || o.kind == SmOpKind::wait_group)
      o.async = one_of({AsyncKind::copies, AsyncKind::copies, AsyncKind::bulk_copies, AsyncKind::matrices});
    else if (below(3) == 0)
      o.async = one_of({AsyncKind::copies, AsyncKind::copies, AsyncKind::bulk_copies, AsyncKind::matrices,
                        AsyncKind::transactions});
    o.keep = one_of<std::uint16_t>({0, 1, 2, all_groups});
    o.barrier = below(3);
    o.barrier_by_step = below(3) == 0 && !has_one_barrier_;
    o.delivered_bytes = one_of({32U, 64U, UINT32_MAX});
    o.access = static_cast<std::uint16_t>(below(3));
    o.returns_data = below(3) != 0;
    o.slots = static_cast<std::uint32_t>(program.slots.size());
    o.source_count = static_cast<std::uint8_t>(below(4));
    o.destination_count = static_cast<std::uint8_t>(o.kind == SmOpKind::barrier ? 0 : below(3));
    for (std::uint32_t i = 0; i < std::uint32_t{o.source_count} + o.destination_count; ++i)
      program.slots.push_back(static_cast<std::uint16_t>(below(program.slot_count)));
    return o;
  }

  // run, [run, [run] x n] x m, run
  void add_path(SmProgram& program) {
    program.path_start.push_back(static_cast<std::uint32_t>(program.steps.size()));
    add_run(program);
    const auto outer = static_cast<std::uint32_t>(program.steps.size());
    add_run(program);
    const auto inner = static_cast<std::uint32_t>(program.steps.size());
    add_run(program);
    program.steps.push_back(
        {.kind = Step::Kind::loop_end, .depth = 1, .target = inner, .count = below(4) + 1});
    program.steps.push_back(
        {.kind = Step::Kind::loop_end, .depth = 0, .target = outer, .count = below(3) + 1});
    add_run(program);
    program.steps.push_back({.kind = Step::Kind::finish});
  }

  void add_run(SmProgram& program) {
    const auto ops = static_cast<std::uint32_t>(program.ops.size());
    const std::uint32_t first = below(ops);
    const auto requests = static_cast<std::uint32_t>(program.request_pool.size());
    for (int i = 0; i < 3; ++i)
      program.request_pool.push_back(below(static_cast<std::uint32_t>(program.requests.size())));
    program.steps.push_back({.kind = Step::Kind::run,
                             .first_op = first,
                             .end_op = first + below(ops - first) + 1,
                             .requests = requests});
  }

  std::mt19937 random_;
  std::mt19937 random_l2_; // for what L2 does with writes and atomics
  std::mt19937 random_others_;
  std::mt19937 random_lines_;  // for accesses to parts of lines
  std::mt19937 random_lanes_;  // for accesses of no lane
  std::mt19937 random_queues_; // for queues of units
  configs::WarpEnd warp_end_;
  bool has_cross_latency_ = below(4) == 0;
  bool has_one_barrier_ = below(2) == 0; // of which warps of one path all see the same number of phases
};

} // namespace kerncast::engine
