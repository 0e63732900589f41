#include "gpu_processes.h"

#include <algorithm>
#include <cmath>

#include "caches/sectored_cache.h"
#include "engine/l2_rates.h"

namespace kerncast::pdes {

using engine::admit;
using engine::l2_service;
using engine::service_time;
using Kind = GpuMessage::Kind;

namespace {

// An access goes to slices by lines.
constexpr double line_bytes = 128;

} // namespace

void SmProcess::handle(const GpuEvent& event, GpuOutbox& /*out*/) {
  const GpuMessage& message = event.payload;
  if (message.kind == Kind::cta) {
    ++ctas_;
    sm_.place(message.number, message.cta_kind, event.time, message.time);
  } else if (--parts_left_[message.number] == 0) {
    sm_.arrive(message.number, event.time);
  }
}

void SmProcess::advance(Time end, GpuOutbox& out) {
  sm_.run_until(engine::cycle_of(end));
  for (const engine::SmMiss& miss : sm_.misses())
    send_miss(miss, out);
  sm_.misses().clear();
  for (const engine::EndedCta& ended : sm_.ended())
    out.send(cta_scheduler(gpu_), ended.end + gpu_.lookahead,
             {.kind = Kind::cta_ended, .number = ended.slot, .time = ended.end + gpu_.cta_launch_latency});
  sm_.ended().clear();
}

Time SmProcess::next_action() const {
  const std::int64_t cycle = sm_.next_cycle();
  return cycle == INT64_MAX ? never : engine::begin_of(cycle);
}

void SmProcess::send_miss(const engine::SmMiss& miss, GpuOutbox& out) {
  const auto parts = static_cast<std::uint32_t>(std::max(1.0, std::ceil(miss.l2_bytes / line_bytes)));
  if (miss.number != engine::SmMiss::unawaited) {
    if (parts_left_.size() <= miss.number)
      parts_left_.resize(miss.number + 1);
    parts_left_[miss.number] = parts;
  }
  for (std::uint32_t i = 0; i < parts; ++i) {
    const std::uint32_t slice = next_slice();
    const bool is_far = slice % gpu_.partitions != number_ % gpu_.partitions && miss.dram_bytes == 0;
    out.send(first_slice(gpu_) + slice, miss.departs + gpu_.one_way,
             {.kind = Kind::access,
              .writes = miss.writes,
              .number = miss.number,
              .time = miss.latency - gpu_.one_way + (is_far ? gpu_.far_extra : 0),
              .l2_bytes = static_cast<float>(miss.l2_bytes / parts),
              .dram_bytes = static_cast<float>(miss.dram_bytes / parts)});
  }
}

// As neighbouring lines do: of as many as there are slices one goes to each, in an order that a hash turns.
std::uint32_t SmProcess::next_slice() {
  const std::uint64_t run = (std::uint64_t{number_} << 40) + lines_ / gpu_.slices;
  return static_cast<std::uint32_t>((caches::hash_line(run) % gpu_.slices + lines_++) % gpu_.slices);
}

// As of the SM's own servers in simulate_sm, an access waits for the one that is busy longest.
void SliceProcess::handle(const GpuEvent& event, GpuOutbox& out) {
  const GpuMessage& access = event.payload;
  load_.l2_bytes += access.l2_bytes;
  load_.dram_bytes += access.dram_bytes;
  const Time begin =
      std::max(admit(l2_free_at_,
                     l2_service(access.l2_bytes, access.writes, gpu_.l2_bytes_per_clock, gpu_.l2_requests),
                     event.time),
               admit(dram_free_at_, service_time(access.dram_bytes, gpu_.dram_bytes_per_clock), event.time));
  if (access.number != engine::SmMiss::unawaited)
    out.send(event.source, begin + access.time, {.kind = Kind::data, .number = access.number});
}

CtaScheduler::CtaScheduler(const GpuWorkload& workload, std::uint64_t placed)
    : workload_(workload),
      next_first_issue_(workload.surroundings.cta_launch_latency +
                        static_cast<Time>(placed) * workload.surroundings.cta_launch_interval) {
  std::uint32_t kind = 0;
  for (std::uint64_t i = 0; i < placed; ++i)
    next_kind(kind);
}

bool CtaScheduler::next_kind(std::uint32_t& kind) {
  const std::vector<engine::CtaRun>& ctas = workload_.sm.ctas;
  while (run_ < ctas.size() && run_done_ == ctas[run_].count) {
    ++run_;
    run_done_ = 0;
  }
  if (run_ == ctas.size())
    return false;
  ++run_done_;
  kind = ctas[run_].kind;
  return true;
}

void CtaScheduler::handle(const GpuEvent& event, GpuOutbox& out) {
  std::uint32_t kind = 0;
  if (!next_kind(kind))
    return;
  const Time there = event.time + workload_.surroundings.lookahead;
  const Time first_issue = std::max({there, event.payload.time, next_first_issue_});
  next_first_issue_ = first_issue + workload_.surroundings.cta_launch_interval;
  out.send(event.source, there,
           {.kind = Kind::cta, .number = event.payload.number, .cta_kind = kind, .time = first_issue});
}

} // namespace kerncast::pdes
