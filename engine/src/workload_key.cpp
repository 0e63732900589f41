// Hashing is by value, field by field: padding and pointers never enter.
#include "engine/workload_key.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

#include "path_sum.h"

namespace kerncast::engine {
namespace {

// Two independent streams of folded products of 128 bits: one multiplication for each word.
class KeyBuilder {
public:
  template <class T> void add(const T& value) {
    if constexpr (std::is_floating_point_v<T>)
      mix(std::bit_cast<std::uint64_t>(double{value}));
    else
      mix(static_cast<std::uint64_t>(value));
  }
  template <class... T> void add_all(const T&... values) { (add(values), ...); }
  // Whole numbers that fill one word at most.
  template <class... T> void add_packed(const T&... values) {
    static_assert(sizeof...(T) > 1 && (sizeof(T) + ...) <= sizeof(std::uint64_t));
    std::uint64_t word = 0;
    ((word = word << 8 * sizeof(T) | static_cast<std::uint64_t>(values)), ...);
    mix(word);
  }
  // Several to a word; how many there are is not added.
  template <class T> void add_packed(const std::vector<T>& values) {
    constexpr std::size_t together = sizeof(std::uint64_t) / sizeof(T);
    for (std::size_t first = 0; first < values.size(); first += together) {
      std::uint64_t word = 0;
      for (std::size_t i = first; i < std::min(first + together, values.size()); ++i)
        word = word << 8 * sizeof(T) | values[i];
      mix(word);
    }
  }
  WorkloadKey key() const { return key_; }

private:
  // The halves of the product together, which depend on every bit of `a`. Not one to one, but two different
  // streams would have to meet in the same word.
  static std::uint64_t fold(std::uint64_t a, std::uint64_t odd) {
    const auto product = static_cast<unsigned __int128>(a) * odd;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  }
  void mix(std::uint64_t value) {
    key_.high = fold(key_.high ^ value, 0x9e3779b97f4a7c15ULL) + 1;
    key_.low = fold(key_.low + value, 0xa0761d6478bd642fULL) ^ 0xd6e8feb86659fd93ULL;
  }
  WorkloadKey key_;
};

void add(KeyBuilder& key, const SmConfig& c) {
  key.add_all(c.sub_cores, c.issue_width, c.dual_issue, c.issue_interval, c.warp_issue_distance, c.scheduler,
              c.warp_end, c.cta_launch_latency, c.first_cta_launch, c.cta_launch_interval, c.memory_ports,
              c.link_bytes_per_clock, c.l2_bytes_per_clock, c.l2_requests.bytes_per_clock,
              c.l2_requests.fraction_of_reads, c.hottest_turns_per_clock, c.dram_bytes_per_clock,
              c.others_share, c.in_flight_bytes, c.dram_load.slope, c.dram_load.limit,
              c.dram_load.behind_writes, c.dram_queueing, c.loads_per_warp, c.instruction_cache_lines,
              c.instructions_per_line, c.instruction_miss_latency, c.instruction_sms, c.units.size());
  for (const SmUnit& unit : c.units)
    key.add_all(unit.scope, unit.count, unit.queue);
}

void add(KeyBuilder& key, const SmProgram& p) {
  key.add_all(p.slot_count, p.loop_depth, p.ops.size(), p.slots.size(), p.steps.size(), p.path_start.size(),
              p.request_pool.size(), p.requests.size(), p.barrier_uses.size());
  // Small fields share a word: programs have many operations, and every word costs as much.
  for (const SmOp& op : p.ops) {
    key.add_all(op.latency, op.cross_latency, op.issue_interval);
    key.add_packed(op.unit, op.access, op.kind, op.waits_as, op.async, op.returns_data);
    key.add_packed(op.barrier, op.keep, op.source_count, op.destination_count);
    key.add_packed(op.delivered_bytes, op.slots);
    key.add(op.barrier_by_step);
  }
  key.add_packed(p.slots);
  for (const Step& step : p.steps) {
    key.add_packed(step.kind, step.depth, step.target);
    key.add_packed(step.first_op, step.end_op);
    key.add_all(step.requests, step.count);
  }
  key.add_packed(p.path_start);
  key.add_packed(p.request_pool);
  for (const memory_model::Request& r : p.requests) {
    key.add_all(r.latency, r.wavefronts, r.l2_bytes, r.dram_bytes, r.writes, r.dram_share, r.sectors,
                r.ends_with_last_byte, r.signalled_bytes, r.turns, r.hottest_turns, r.same_address_turns,
                r.dram_written, r.line_bytes_per_byte, r.sent_bytes_per_byte);
    for (const memory_model::ServedBy& level : r.levels)
      key.add_all(level.share, level.latency, level.l2_bytes, level.dram_bytes);
  }
  for (const BarrierUse& use : p.barrier_uses)
    key.add_all(use.barrier, use.arrivals, use.expected, use.announced_bytes, use.waits, use.after_copies);
}

} // namespace

WorkloadKey workload_key(const SmWorkload& workload) {
  KeyBuilder key;
  add(key, workload.config);
  add(key, *workload.program);
  key.add_all(workload.detail, workload.steady_error, workload.resident_ctas, workload.kinds.size(),
              workload.ctas.size(), workload.other_ctas.size());
  for (const CtaKind& kind : workload.kinds) {
    key.add(kind.warp_paths.size());
    for (const std::uint32_t path : kind.warp_paths)
      key.add(path);
  }
  const auto add_runs = [&](const std::vector<CtaRun>& ctas) {
    for (const CtaRun& run : ctas)
      key.add_all(run.kind, run.count);
  };
  add_runs(workload.ctas);
  for (const std::vector<CtaRun>& ctas : workload.other_ctas) {
    key.add(ctas.size());
    add_runs(ctas);
  }
  return key.key();
}

std::uint64_t expected_instructions(const SmWorkload& workload) {
  std::vector<std::uint64_t> of_path;
  for (const std::uint32_t start : workload.program->path_start)
    of_path.push_back(path_sum(*workload.program, start,
                               [](const Step& step) { return std::uint64_t{step.end_op - step.first_op}; }));
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
