// Hashing is by value, field by field: padding and pointers never enter.
#include "engine/workload_key.h"

#include <bit>
#include <type_traits>

namespace kerncast::engine {
namespace {

// Two independent streams of multiply and xor-shift (the finaliser of MurmurHash3, which mixes every bit).
class KeyBuilder {
public:
  template <class T> void add(const T& value) {
    if constexpr (std::is_floating_point_v<T>)
      mix(std::bit_cast<std::uint64_t>(double{value}));
    else
      mix(static_cast<std::uint64_t>(value));
  }
  template <class... T> void add_all(const T&... values) { (add(values), ...); }
  WorkloadKey key() const { return key_; }

private:
  static std::uint64_t finalise(std::uint64_t h) {
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 33);
  }
  void mix(std::uint64_t value) {
    key_.high = finalise(key_.high * 0x9e3779b97f4a7c15ULL + value + 1);
    key_.low = finalise((key_.low ^ 0xd6e8feb86659fd93ULL) * 0xa0761d6478bd642fULL + value);
  }
  WorkloadKey key_;
};

void add(KeyBuilder& key, const SmConfig& c) {
  key.add_all(c.sub_cores, c.issue_width, c.dual_issue, c.issue_interval, c.warp_issue_distance, c.scheduler,
              c.cta_launch_latency, c.memory_ports, c.link_bytes_per_clock, c.l2_bytes_per_clock,
              c.dram_bytes_per_clock, c.in_flight_bytes, c.dram_load.slope, c.dram_load.limit,
              c.dram_queueing, c.loads_per_warp, c.instruction_cache_lines, c.instructions_per_line,
              c.instruction_miss_latency, c.units.size());
  for (const SmUnit& unit : c.units)
    key.add_all(unit.scope, unit.count);
}

void add(KeyBuilder& key, const SmProgram& p) {
  key.add_all(p.slot_count, p.loop_depth, p.ops.size(), p.slots.size(), p.steps.size(), p.path_start.size(),
              p.request_pool.size(), p.requests.size(), p.barrier_uses.size());
  for (const SmOp& op : p.ops)
    key.add_all(op.latency, op.cross_latency, op.issue_interval, op.unit, op.kind, op.waits_as, op.access,
                op.returns_data, op.async, op.barrier_by_step, op.keep, op.barrier, op.delivered_bytes,
                op.source_count, op.destination_count, op.slots);
  for (const std::uint16_t slot : p.slots)
    key.add(slot);
  for (const Step& step : p.steps)
    key.add_all(step.kind, step.depth, step.first_op, step.end_op, step.requests, step.target, step.count);
  for (const std::uint32_t start : p.path_start)
    key.add(start);
  for (const std::uint32_t request : p.request_pool)
    key.add(request);
  for (const memory_model::Request& r : p.requests) {
    key.add_all(r.latency, r.wavefronts, r.l2_bytes, r.dram_bytes, r.dram_share, r.sectors,
                r.ends_with_last_byte, r.signalled_bytes);
    for (const memory_model::ServedBy& level : r.levels)
      key.add_all(level.share, level.latency, level.l2_bytes, level.dram_bytes);
  }
  for (const BarrierUse& use : p.barrier_uses)
    key.add_all(use.barrier, use.arrivals, use.expected, use.announced_bytes, use.waits, use.after_copies);
}

// Instructions of one path: loop bodies times their counts, from the innermost out.
std::uint64_t instructions_of_path(const SmProgram& program, std::uint32_t start) {
  std::vector<std::uint64_t> before{0}; // instructions up to each step of the path
  for (std::uint32_t s = start; program.steps[s].kind != Step::Kind::finish; ++s) {
    const Step& step = program.steps[s];
    const std::uint64_t sum = before.back();
    before.push_back(step.kind == Step::Kind::run
                         ? sum + step.end_op - step.first_op
                         : sum + (step.count - 1) * (sum - before[step.target - start]));
  }
  return before.back();
}

} // namespace

WorkloadKey workload_key(const SmWorkload& workload) {
  KeyBuilder key;
  add(key, workload.config);
  add(key, *workload.program);
  key.add_all(workload.detail, workload.steady_error, workload.resident_ctas, workload.kinds.size(),
              workload.ctas.size());
  for (const CtaKind& kind : workload.kinds) {
    key.add(kind.warp_paths.size());
    for (const std::uint32_t path : kind.warp_paths)
      key.add(path);
  }
  for (const CtaRun& run : workload.ctas)
    key.add_all(run.kind, run.count);
  return key.key();
}

std::uint64_t expected_instructions(const SmWorkload& workload) {
  std::vector<std::uint64_t> of_path;
  for (const std::uint32_t start : workload.program->path_start)
    of_path.push_back(instructions_of_path(*workload.program, start));
  std::vector<std::uint64_t> of_kind;
  for (const CtaKind& kind : workload.kinds) {
    of_kind.push_back(0);
    for (const std::uint32_t path : kind.warp_paths)
      of_kind.back() += of_path[path];
  }
  std::uint64_t sum = 0;
  for (const CtaRun& run : workload.ctas)
    sum += run.count * of_kind[run.kind];
  return sum;
}

} // namespace kerncast::engine
