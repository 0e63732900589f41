// What the plain reference knows of an SM: all of it, in doubles and vectors, with loops unrolled.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/sm_workload.h"
#include "level_draw.h"
#include "memory.h"

namespace kerncast::engine::reference {

inline constexpr std::size_t barriers_of_a_cta = 4;

struct Barrier {
  std::uint64_t arrived = 0, expected = 0, announced = 0, delivered = 0, phases = 0;
  double last = 0, ended = 0;
};

struct Warp {
  bool alive = false, at_barrier = false, only_waits = false;
  std::size_t next = 0; // in trace
  std::uint32_t path = 0, cta = 0;
  std::uint64_t age = 0;
  double earliest = 0, completed = 0, memory_completed = 0, issued_at = 0;
  std::vector<double> board, board_elsewhere; // by slot: for readers on the writer's unit, on others
  std::vector<std::uint32_t> writer;          // by slot: the unit
  std::uint32_t waits_at = 0, waiting_op = 0;
  double waits_since = 0;
  std::vector<std::uint64_t> waits_done; // by barrier
  int announced_at = -1;
  std::vector<std::vector<double>> open, closed; // by kind of group: ends in the open one, of the others
  std::vector<double> loads;                     // ends, in order of issue
  std::uint32_t line = UINT32_MAX;               // of code, that it has
  double fetched = 0;
};

struct Cta {
  std::uint32_t live = 0; // warps
  double end = 0;
  bool ended = false; // and not replaced
  std::vector<Barrier> barriers;
};

// One executed operation of a path.
struct Traced {
  std::uint32_t op = 0, requests = 0;
  std::uint64_t draw = 0; // of its step and the iterations that it is in
};

struct Sm {
  explicit Sm(const SmWorkload& workload) : work(workload), program(*workload.program) {}

  const SmWorkload& work;
  const SmProgram& program;
  std::uint32_t per_cta = 0; // warps
  double now = 0;            // whole cycles
  double last_end = 0;
  std::uint64_t warps_placed = 0;
  double next_launch = 0;
  std::deque<std::uint32_t> pending; // kinds of CTAs
  std::vector<Cta> ctas;
  std::vector<Warp> warps;
  std::vector<std::vector<Traced>> traces;             // by path
  std::vector<std::vector<std::vector<double>>> units; // unit, copy, pipeline: free at
  std::vector<std::uint32_t> last_slot;                // by sub-core
  std::vector<double> next_issue;                      // by sub-core
  Memory memory;
  CodeLines code;

  const Traced& traced(const Warp& w) const { return traces[w.path][w.next]; }
  const SmOp& op_of(const Warp& w) const { return program.ops[traced(w).op]; }
  bool at_end(const Warp& w) const { return w.next == traces[w.path].size(); }
  std::uint32_t copies(const SmUnit& unit) const {
    return unit.scope == configs::UnitScope::sub_core ? work.config.sub_cores : 1;
  }
  std::vector<double>& pipelines(std::uint32_t warp, const SmOp& op) {
    auto& of_unit = units[op.unit];
    return of_unit[of_unit.size() == 1 ? 0 : warp % work.config.sub_cores];
  }
};

inline std::vector<Traced> unroll(const SmProgram& program, std::uint32_t step) {
  std::vector<Traced> out;
  std::vector<std::uint64_t> done(program.loop_depth, 0);
  const auto draw = [&] {
    std::uint64_t sum = step * draw_of_step;
    for (std::uint32_t depth = 0; depth < program.loop_depth; ++depth)
      sum += done[depth] * iteration_draw(depth);
    return sum;
  };
  while (program.steps[step].kind != Step::Kind::finish) {
    const Step& s = program.steps[step];
    if (s.kind == Step::Kind::run)
      for (std::uint32_t op = s.first_op; op < s.end_op; ++op)
        out.push_back({op, s.requests, draw()});
    const bool again = s.kind == Step::Kind::loop_end && ++done[s.depth] < s.count;
    if (s.kind == Step::Kind::loop_end && !again)
      done[s.depth] = 0;
    step = again ? s.target : step + 1;
  }
  return out;
}

inline Sm make_sm(const SmWorkload& work) {
  const SmConfig& config = work.config;
  Sm sm(work);
  sm.per_cta = static_cast<std::uint32_t>(work.kinds[0].warp_paths.size());
  sm.ctas.resize(work.resident_ctas);
  sm.warps.resize(std::size_t{sm.per_cta} * work.resident_ctas);
  sm.last_slot.assign(config.sub_cores, 63);
  sm.next_issue.assign(config.sub_cores, 0);
  for (const SmUnit& unit : config.units)
    sm.units.push_back(
        std::vector<std::vector<double>>(sm.copies(unit), std::vector<double>(unit.count, 0.0)));
  sm.memory.ports.assign(config.memory_ports, 0.0);
  sm.memory.link.rate = config.link_bytes_per_clock;
  sm.memory.l2.rate = config.l2_bytes_per_clock;
  sm.memory.l2_requests.rate = config.l2_requests.bytes_per_clock;
  sm.memory.of_reads = config.l2_requests.fraction_of_reads;
  sm.memory.hottest.rate = config.hottest_turns_per_clock;
  sm.memory.dram.rate = config.dram_bytes_per_clock;
  for (Shared* server : {&sm.memory.l2, &sm.memory.l2_requests, &sm.memory.hottest, &sm.memory.dram})
    server->others = config.others_share;
  sm.memory.limit = config.in_flight_bytes;
  for (const CtaRun& run : work.ctas)
    sm.pending.insert(sm.pending.end(), run.count, run.kind);
  for (const std::uint32_t start : sm.program.path_start)
    sm.traces.push_back(unroll(sm.program, start));
  return sm;
}

} // namespace kerncast::engine::reference
