// Workloads are known by their content: equal ones have the same key wherever they lie, and whatever the
// simulation reads changes it.
#include <functional>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "engine/workload_key.h"
#include "small_workload.h"

namespace kerncast::engine {
namespace {

SmProgram program() {
  SmProgram p;
  p.requests.resize(1);
  p.barrier_uses = {{}};
  return p;
}

SmWorkload workload() {
  SmProgram p = program();
  const SmOp load = small::with_slots(p, small::load(0), {0}, {1});
  return small::workload(p, {{load, small::barrier(0, 20), small::compute(4)}});
}

using Change = std::function<void(SmWorkload&, SmProgram&)>;

SmWorkload changed(const Change& change) {
  SmWorkload w = workload();
  SmProgram p = *w.program;
  change(w, p);
  w.program = std::make_shared<const SmProgram>(std::move(p));
  return w;
}

template <class T> Change of_config(T SmConfig::*field) {
  return [field](SmWorkload& w, SmProgram&) { w.config.*field = static_cast<T>(w.config.*field + 1); };
}
template <class T> Change of_op(T SmOp::*field) {
  return [field](SmWorkload&, SmProgram& p) { p.ops[0].*field = static_cast<T>(p.ops[0].*field + 1); };
}
template <class T> Change of_use(T BarrierUse::*field) {
  return [field](SmWorkload&, SmProgram& p) {
    p.barrier_uses[0].*field = static_cast<T>(p.barrier_uses[0].*field + 1);
  };
}
template <class T> Change of_step(T Step::*field) {
  return [field](SmWorkload&, SmProgram& p) { p.steps[0].*field = static_cast<T>(p.steps[0].*field + 1); };
}
template <class T> Change of_request(T memory_model::Request::*field) {
  return [field](SmWorkload&, SmProgram& p) { p.requests[0].*field += 1; };
}
template <class T> Change of_level(T memory_model::ServedBy::*field) {
  return [field](SmWorkload&, SmProgram& p) { p.requests[0].levels[1].*field += 1; };
}

const Change config_changes[] = {
    of_config(&SmConfig::sub_cores),
    of_config(&SmConfig::issue_width),
    of_config(&SmConfig::issue_interval),
    of_config(&SmConfig::warp_issue_distance),
    of_config(&SmConfig::cta_launch_latency),
    of_config(&SmConfig::first_cta_launch),
    of_config(&SmConfig::cta_launch_interval),
    of_config(&SmConfig::memory_ports),
    of_config(&SmConfig::link_bytes_per_clock),
    of_config(&SmConfig::l2_bytes_per_clock),
    of_config(&SmConfig::dram_bytes_per_clock),
    of_config(&SmConfig::in_flight_bytes),
    of_config(&SmConfig::dram_queueing),
    of_config(&SmConfig::loads_per_warp),
    of_config(&SmConfig::instruction_cache_lines),
    of_config(&SmConfig::instructions_per_line),
    of_config(&SmConfig::instruction_miss_latency),
    of_config(&SmConfig::instruction_sms),
    [](SmWorkload& w, SmProgram&) { w.config.dual_issue = true; },
    [](SmWorkload& w, SmProgram&) { w.config.l2_requests.bytes_per_clock = 1; },
    [](SmWorkload& w, SmProgram&) { w.config.l2_requests.fraction_of_reads = 1; },
    [](SmWorkload& w, SmProgram&) { w.config.dram_load.slope = 1; },
    [](SmWorkload& w, SmProgram&) { w.config.dram_load.limit = 1; },
    [](SmWorkload& w, SmProgram&) { w.config.dram_load.behind_writes = 1; },
    [](SmWorkload& w, SmProgram&) { w.config.scheduler = configs::SchedulerPolicy::lrr; },
    [](SmWorkload& w, SmProgram&) { w.config.warp_end = configs::WarpEnd::last_issue; },
    [](SmWorkload& w, SmProgram&) { w.config.units[1].count = 2; },
    [](SmWorkload& w, SmProgram&) { w.config.units[1].scope = configs::UnitScope::sub_core; },
    [](SmWorkload& w, SmProgram&) { w.config.units.push_back({}); },
    [](SmWorkload& w, SmProgram&) { w.config.units.at(0).queue = 4; }};

const Change program_changes[] = {of_op(&SmOp::latency),
                                  of_op(&SmOp::cross_latency),
                                  of_op(&SmOp::issue_interval),
                                  of_op(&SmOp::unit),
                                  of_op(&SmOp::access),
                                  of_op(&SmOp::keep),
                                  of_op(&SmOp::barrier),
                                  of_op(&SmOp::delivered_bytes),
                                  of_op(&SmOp::source_count),
                                  of_op(&SmOp::destination_count),
                                  of_op(&SmOp::slots),
                                  [](SmWorkload&, SmProgram& p) { p.ops[0].kind = SmOpKind::fence; },
                                  [](SmWorkload&, SmProgram& p) { p.ops[0].waits_as = WarpState::barrier; },
                                  [](SmWorkload&, SmProgram& p) { p.ops[0].returns_data = false; },
                                  [](SmWorkload&, SmProgram& p) { p.ops[0].async = AsyncKind::copies; },
                                  [](SmWorkload&, SmProgram& p) { p.ops[0].barrier_by_step = true; },
                                  of_use(&BarrierUse::barrier),
                                  of_use(&BarrierUse::arrivals),
                                  of_use(&BarrierUse::expected),
                                  of_use(&BarrierUse::announced_bytes),
                                  [](SmWorkload&, SmProgram& p) { p.barrier_uses[0].waits = false; },
                                  [](SmWorkload&, SmProgram& p) { p.barrier_uses[0].after_copies = true; },
                                  of_step(&Step::depth),
                                  of_step(&Step::first_op),
                                  of_step(&Step::end_op),
                                  of_step(&Step::requests),
                                  of_step(&Step::target),
                                  of_step(&Step::count),
                                  [](SmWorkload&, SmProgram& p) { p.steps[0].kind = Step::Kind::finish; },
                                  of_request(&memory_model::Request::latency),
                                  of_request(&memory_model::Request::wavefronts),
                                  of_request(&memory_model::Request::l2_bytes),
                                  of_request(&memory_model::Request::dram_bytes),
                                  of_request(&memory_model::Request::dram_share),
                                  [](SmWorkload&, SmProgram& p) { p.requests[0].writes = true; },
                                  of_request(&memory_model::Request::line_bytes_per_byte),
                                  of_request(&memory_model::Request::sent_bytes_per_byte),
                                  of_level(&memory_model::ServedBy::share),
                                  of_level(&memory_model::ServedBy::latency),
                                  of_level(&memory_model::ServedBy::l2_bytes),
                                  of_level(&memory_model::ServedBy::dram_bytes),
                                  [](SmWorkload&, SmProgram& p) { ++p.slots[0]; },
                                  [](SmWorkload&, SmProgram& p) { ++p.slot_count; },
                                  [](SmWorkload&, SmProgram& p) { ++p.loop_depth; },
                                  [](SmWorkload&, SmProgram& p) { ++p.path_start[0]; },
                                  [](SmWorkload&, SmProgram& p) { ++p.request_pool[0]; }};

const Change work_changes[] = {[](SmWorkload& w, SmProgram&) { ++w.kinds[0].warp_paths[0]; },
                               [](SmWorkload& w, SmProgram&) { w.kinds.push_back({{0}}); },
                               [](SmWorkload& w, SmProgram&) { ++w.ctas[0].kind; },
                               [](SmWorkload& w, SmProgram&) { ++w.ctas[0].count; },
                               [](SmWorkload& w, SmProgram&) { ++w.resident_ctas; },
                               [](SmWorkload& w, SmProgram&) { w.detail = true; },
                               [](SmWorkload& w, SmProgram&) { w.steady_error = 0.0025; }};

TEST(workload_key, is_that_of_the_content) {
  EXPECT_EQ(workload_key(workload()), workload_key(changed([](SmWorkload&, SmProgram&) {})));
}

TEST(workload_key, changes_with_everything_that_is_read) {
  std::set<WorkloadKey> keys = {workload_key(workload())};
  std::size_t changes = 1;
  const auto add_all = [&](const auto& table) {
    for (const Change& change : table) {
      keys.insert(workload_key(changed(change)));
      EXPECT_EQ(keys.size(), ++changes) << "change " << changes - 1;
    }
  };
  add_all(config_changes);
  add_all(program_changes);
  add_all(work_changes);
}

} // namespace
} // namespace kerncast::engine
