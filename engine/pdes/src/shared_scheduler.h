// The scheduler of CTAs of several kernels: which goes next, and to which SM (pdes/shared_gpu.h).
#pragma once

#include <map>
#include <vector>

#include "gpu_processes.h"
#include "pdes/shared_gpu.h"

namespace kerncast::pdes {

// Warps' slots of an SM, of which a CTA takes neighbouring ones. There are more of them than the hardware has
// warps, so that gaps between CTAs of different sizes hardly ever keep one from starting.
class WarpSlots {
public:
  explicit WarpSlots(std::uint32_t slots) : taken_(slots, false) {}

  // The first of so many free ones, the lowest there are; none.
  static constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t find(std::uint32_t count) const;
  void set(std::uint32_t first, std::uint32_t count, bool taken);

private:
  std::vector<bool> taken_;
};

class SharedCtaScheduler : public Process<GpuMessage> {
public:
  // `workload` outlives it.
  explicit SharedCtaScheduler(const SharedGpuWorkload& workload);

  void handle(const GpuEvent& event, GpuOutbox& out) override;

  const std::vector<KernelTimes>& times() const { return times_; } // as far as CTAs tell

private:
  struct RunningCta {
    std::uint32_t kernel = 0;
    configs::SmRoom::WarpsByPartition warps;
  };
  struct SmState {
    configs::SmRoom room;
    WarpSlots slots;
    std::uint32_t fit = 0;                    // CTAs of the kernel whose turn it is
    Time room_since = 0;                      // a CTA's end was heard of
    std::map<std::uint32_t, RunningCta> ctas; // by slot
  };

  std::uint32_t slots_of(std::uint32_t kernel) const;
  void find_fit(SmState& sm) const;
  void find_fit_of_all();
  std::uint32_t sm_with_most_room() const;
  void end_cta(const GpuEvent& event);
  void place_what_fits(Time now, GpuOutbox& out);
  void go_on_later(Time now, GpuOutbox& out);
  void place(std::uint32_t sm, std::uint32_t kind, Time now, GpuOutbox& out);

  const SharedGpuWorkload& workload_;
  std::uint32_t warps_per_slot_;
  std::vector<CtasInOrder> ctas_; // by kernel
  std::vector<SmState> sms_;
  std::vector<KernelTimes> times_;
  std::uint32_t ready_ = 0;   // kernels
  std::uint32_t placing_ = 0; // the kernel whose CTAs are placed
  std::uint32_t next_sm_ = 0; // in turn
  bool goes_on_later_ = false;
  Time next_first_issue_ = 0; // of the CTA that is placed next, at the earliest
};

} // namespace kerncast::pdes
