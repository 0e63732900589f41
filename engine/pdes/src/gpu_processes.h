// The logical processes of a GPU: SMs, slices of L2 with their DRAM channel, the scheduler of CTAs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/l2_rates.h"
#include "engine/stepped_sm.h"
#include "kernels.h"
#include "pdes/gpu.h"
#include "sm_l1.h"

namespace kerncast::pdes {

using GpuEvent = Event<GpuMessage>;
using GpuOutbox = Outbox<GpuMessage>;

// Processes 0 to sms - 1 are SMs, then come the slices, then the scheduler.
inline ProcessId first_slice(const GpuSurroundings& gpu) { return gpu.sms; }
inline ProcessId cta_scheduler(const GpuSurroundings& gpu) { return gpu.sms + gpu.slices; }

class SmProcess : public Process<GpuMessage> {
public:
  // All arguments outlive the process.
  SmProcess(const GpuSurroundings& gpu, const engine::SmWorkload& sm, const Kernels& kernels,
            std::uint32_t number)
      : gpu_(gpu), requests_(sm.program->requests), number_(number),
        l1_(have_lines(kernels) ? std::make_unique<SmL1>(kernels, sm, number) : nullptr),
        sm_(sm, number, l1_.get()) {}

  void handle(const GpuEvent& event, GpuOutbox& out) override;
  void advance(Time end, GpuOutbox& out) override;
  Time next_action() const override;

  engine::SmResult result() const { return sm_.result(); }
  std::uint64_t ctas() const { return ctas_; }
  CacheCounts counts() const { return l1_ ? l1_->counts() : CacheCounts{}; }

private:
  std::uint32_t next_slice();
  float take_hottest_turns(const memory_model::Request& request);
  void send_miss(const engine::SmMiss& miss, GpuOutbox& out);
  void send_lines(const engine::SmMiss& miss, GpuOutbox& out);
  void take_lines(const GpuEvent& event, GpuOutbox& out);

  const GpuSurroundings& gpu_;
  const std::vector<memory_model::Request>& requests_;
  std::uint32_t number_;
  double hottest_turns_ = 0; // by rates, that have not been at the hottest address or line yet
  std::unique_ptr<SmL1> l1_; // null: rates decide what hits
  engine::SteppedSm sm_;
  std::vector<SmL1::Done> done_;          // by the event at hand
  std::uint64_t lines_ = 0;               // that it has asked for
  std::vector<std::uint32_t> parts_left_; // by number of the miss: lines that have not come
  std::uint64_t ctas_ = 0;
};

// With lines, `l2` is what the slice holds.
class SliceProcess : public Process<GpuMessage> {
public:
  // All arguments outlive the process.
  SliceProcess(const GpuSurroundings& gpu, const engine::SmWorkload& sm, const Kernels& kernels,
               std::uint32_t number, caches::SectoredCache* l2);

  void handle(const GpuEvent& event, GpuOutbox& out) override;

  Time drained_at() const {
    return std::max({l2_free_at_.data, l2_free_at_.requests, dram_free_at_, turns_end_});
  }
  // Of what that kernel asked for.
  Time drained_at(std::uint32_t kernel) const {
    return drained_at_.size() > 1 ? drained_at_[kernel] : drained_at();
  }
  const SliceLoad& load() const { return load_; }
  const CacheCounts& counts() const { return counts_; }

private:
  struct Level {
    Time l2 = 0; // from the start in the slice until the data are back, if it has them
    Time dram = 0;
    Time turns = 0;           // of the lanes of an atomic at one address
    Time turns_of_sector = 0; // of a load that waits for its line
    engine::L2Access of_byte; // of each byte of l2_bytes
  };
  struct Fill {  // of a line from DRAM
    Time at = 0; // its data are where they were asked for first
    std::uint64_t line = 0;
  };
  Level level_of(const memory_model::Request& request, double dram_queueing) const;
  void access(const GpuEvent& event, GpuOutbox& out);
  void use_line(const GpuEvent& event, GpuOutbox& out);
  struct Bytes {
    engine::L2Access at_l2{};
    double of_dram = 0;
    double misses = 0; // that take a register: 1 for a line that was not on its way; part of one on average
  };
  Time begin_of(const Bytes& bytes, std::uint32_t request, Time now);
  Time read_dram(double misses, Time service, Time now);
  Time take_turns(Time& free_at, Time turns, std::uint32_t request, Time now);
  Time wait_for_turns(const GpuMessage& asked, std::uint64_t sectors, Time now, Time served);
  Time& turns_at(std::uint64_t address, Time now);
  Time data_at(std::uint64_t line, Time hit_at) const;
  void forget_fills(Time now);

  const GpuSurroundings& gpu_;
  const Kernels& kernels_;
  std::uint32_t number_;
  caches::SectoredCache* l2_;
  std::uint32_t sector_bytes_ = 0;
  std::uint32_t parts_per_sector_ = 0;
  std::uint32_t asked_bytes_ = 0;                     // of each sector: less where those of L1 are smaller
  std::vector<Level> levels_;                         // by request
  std::unordered_map<std::uint64_t, Time> filled_at_; // lines whose data are on their way
  std::deque<Fill> fills_;                            // the same, the first to come first
  engine::L2Ways<Time> l2_free_at_{};
  Time dram_free_at_ = 0;
  Time hottest_free_at_ = 0;
  Time turns_end_ = 0;                                   // the last turn
  std::unordered_map<std::uint64_t, Time> turns_end_at_; // by address
  std::size_t most_kept_ = 4096;    // of these, until those that have ended are forgotten
  std::vector<Time> mshrs_free_at_; // in turn; empty: their number does not limit
  std::size_t next_mshr_ = 0;
  std::vector<Time> drained_at_; // by kernel, if there are several
  SliceLoad load_;
  CacheCounts counts_;
};

// The CTAs of a grid, one after the other.
class CtasInOrder {
public:
  explicit CtasInOrder(const std::vector<engine::CtaRun>& ctas) : ctas_(ctas), all_(ctas_of(ctas)) {}

  // The kind of the next one, which there is.
  std::uint32_t next();
  std::uint64_t taken() const { return taken_; }
  bool is_done() const { return taken_ == all_; }

private:
  const std::vector<engine::CtaRun>& ctas_;
  std::uint64_t all_;
  std::size_t run_ = 0;
  std::uint64_t run_done_ = 0;
  std::uint64_t taken_ = 0;
};

// A CTA that ends makes room for the next one of the grid. The message of its end arrives the lookahead
// later, the next CTA is there the lookahead after that: both are part of the launch latency.
class CtaScheduler : public Process<GpuMessage> {
public:
  // The first `placed` CTAs of the grid are on their SMs.
  CtaScheduler(const GpuWorkload& workload, std::uint64_t placed);

  void handle(const GpuEvent& event, GpuOutbox& out) override;

private:
  const GpuWorkload& workload_;
  CtasInOrder ctas_;
  Time next_first_issue_ = 0; // of the CTA that is placed next, at the earliest
};

} // namespace kerncast::pdes
