// The logical processes of a GPU: SMs, slices of L2 with their DRAM channel, the scheduler of CTAs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/l2_rates.h"
#include "engine/stepped_sm.h"
#include "pdes/gpu.h"

namespace kerncast::pdes {

using GpuEvent = Event<GpuMessage>;
using GpuOutbox = Outbox<GpuMessage>;

// Processes 0 to sms - 1 are SMs, then come the slices, then the scheduler.
inline ProcessId first_slice(const GpuSurroundings& gpu) { return gpu.sms; }
inline ProcessId cta_scheduler(const GpuSurroundings& gpu) { return gpu.sms + gpu.slices; }

class SmProcess : public Process<GpuMessage> {
public:
  SmProcess(const GpuWorkload& workload, std::uint32_t number)
      : gpu_(workload.surroundings), number_(number), sm_(workload.sm, number) {}

  void handle(const GpuEvent& event, GpuOutbox& out) override;
  void advance(Time end, GpuOutbox& out) override;
  Time next_action() const override;

  engine::SmResult result() const { return sm_.result(); }
  std::uint64_t ctas() const { return ctas_; }

private:
  std::uint32_t next_slice();
  void send_miss(const engine::SmMiss& miss, GpuOutbox& out);

  const GpuSurroundings& gpu_;
  std::uint32_t number_;
  engine::SteppedSm sm_;
  std::uint64_t lines_ = 0;               // that it has asked for
  std::vector<std::uint32_t> parts_left_; // by number of the miss: lines that have not come
  std::uint64_t ctas_ = 0;
};

class SliceProcess : public Process<GpuMessage> {
public:
  explicit SliceProcess(const GpuSurroundings& gpu) : gpu_(gpu) {}

  void handle(const GpuEvent& event, GpuOutbox& out) override;

  Time drained_at() const { return std::max({l2_free_at_.data, l2_free_at_.requests, dram_free_at_}); }
  const SliceLoad& load() const { return load_; }

private:
  const GpuSurroundings& gpu_;
  engine::L2Ways<Time> l2_free_at_{};
  Time dram_free_at_ = 0;
  SliceLoad load_;
};

// A CTA that ends makes room for the next one of the grid. The message of its end arrives the lookahead
// later, the next CTA is there the lookahead after that: both are part of the launch latency.
class CtaScheduler : public Process<GpuMessage> {
public:
  // The first `placed` CTAs of the grid are on their SMs.
  CtaScheduler(const GpuWorkload& workload, std::uint64_t placed);

  void handle(const GpuEvent& event, GpuOutbox& out) override;

private:
  bool next_kind(std::uint32_t& kind);

  const GpuWorkload& workload_;
  std::size_t run_ = 0;
  std::uint64_t run_done_ = 0;
  Time next_first_issue_ = 0; // of the CTA that is placed next, at the earliest
};

} // namespace kerncast::pdes
