#include "shared_scheduler.h"

#include <algorithm>

namespace kerncast::pdes {

std::uint32_t WarpSlots::find(std::uint32_t count) const {
  std::uint32_t free = 0;
  for (std::uint32_t i = 0; i < taken_.size(); ++i) {
    free = taken_[i] ? 0 : free + 1;
    if (free == count)
      return i + 1 - count;
  }
  return none;
}

void WarpSlots::set(std::uint32_t first, std::uint32_t count, bool taken) {
  std::fill_n(taken_.begin() + first, count, taken);
}

SharedCtaScheduler::SharedCtaScheduler(const SharedGpuWorkload& workload)
    : workload_(workload), warps_per_slot_(engine::warps_per_slot(workload.sm)),
      sms_(workload.surroundings.sms,
           {configs::SmRoom(workload.limits), WarpSlots(workload.sm.resident_ctas), 0, 0, {}}),
      times_(workload.kernels.size()) {
  for (const SharingKernel& kernel : workload.kernels)
    ctas_.emplace_back(kernel.ctas);
}

void SharedCtaScheduler::handle(const GpuEvent& event, GpuOutbox& out) {
  if (event.payload.kind == GpuMessage::Kind::cta_ended)
    end_cta(event);
  else if (event.payload.kind == GpuMessage::Kind::place_next)
    goes_on_later_ = false;
  else if (ready_++ == placing_)
    find_fit_of_all();
  if (!goes_on_later_)
    place_what_fits(event.time, out);
}

std::uint32_t SharedCtaScheduler::slots_of(std::uint32_t kernel) const {
  return workload_.kernels[kernel].demand.warps / warps_per_slot_;
}

void SharedCtaScheduler::find_fit(SmState& sm) const {
  if (placing_ == ready_)
    return;
  sm.fit = sm.slots.find(slots_of(placing_)) == WarpSlots::none
               ? 0
               : sm.room.ctas_that_fit(workload_.kernels[placing_].demand);
}

void SharedCtaScheduler::find_fit_of_all() {
  for (SmState& sm : sms_)
    find_fit(sm);
}

// Of several the next one in turn.
std::uint32_t SharedCtaScheduler::sm_with_most_room() const {
  std::uint32_t most = next_sm_;
  for (std::uint32_t i = 1; i < sms_.size(); ++i) {
    const auto sm = static_cast<std::uint32_t>((next_sm_ + i) % sms_.size());
    if (sms_[sm].fit > sms_[most].fit)
      most = sm;
  }
  return most;
}

void SharedCtaScheduler::end_cta(const GpuEvent& event) {
  SmState& sm = sms_[event.source];
  const auto ended = sm.ctas.find(event.payload.number);
  const std::uint32_t kernel = ended->second.kernel;
  sm.room.give_back(workload_.kernels[kernel].demand, ended->second.warps);
  sm.slots.set(ended->first, slots_of(kernel), false);
  sm.ctas.erase(ended);
  Time& end = times_[kernel].end;
  end = std::max(end, event.payload.time - workload_.surroundings.cta_launch_latency);
  sm.room_since = event.time;
  find_fit(sm);
}

// CTAs of the first kernel take all that others of it leave, at once. Those of later ones, which may go to
// many SMs, follow one another, so that each goes where most room is when it comes to it: not all to the
// first SM of many whose CTAs end together.
void SharedCtaScheduler::place_what_fits(Time now, GpuOutbox& out) {
  while (placing_ < ready_) {
    if (ctas_[placing_].is_done()) {
      ++placing_;
      find_fit_of_all();
      if (placing_ < ready_)
        return go_on_later(now, out);
      return;
    }
    const std::uint32_t sm = sm_with_most_room();
    if (sms_[sm].fit == 0)
      return;
    place(sm, ctas_[placing_].next(), now, out);
    if (placing_ > 0)
      return go_on_later(now, out);
  }
}

void SharedCtaScheduler::go_on_later(Time now, GpuOutbox& out) {
  const GpuSurroundings& gpu = workload_.surroundings;
  goes_on_later_ = true;
  out.send(cta_scheduler(gpu), now + std::max(engine::one_cycle, gpu.cta_launch_interval),
           {.kind = GpuMessage::Kind::place_next});
}

// The message arrives the lookahead later, which is part of the launch latency.
void SharedCtaScheduler::place(std::uint32_t number, std::uint32_t kind, Time now, GpuOutbox& out) {
  const GpuSurroundings& gpu = workload_.surroundings;
  const SharingKernel& kernel = workload_.kernels[placing_];
  SmState& sm = sms_[number];
  const std::uint32_t slot = sm.slots.find(slots_of(placing_));
  sm.slots.set(slot, slots_of(placing_), true);
  sm.ctas[slot] = {placing_, sm.room.take(kernel.demand)};
  find_fit(sm);
  next_sm_ = (number + 1) % gpu.sms;
  const Time first_issue =
      std::max({now + gpu.lookahead, kernel.ready + gpu.cta_launch_latency,
                sm.room_since - gpu.lookahead + gpu.cta_launch_latency, next_first_issue_});
  next_first_issue_ = first_issue + gpu.cta_launch_interval;
  times_[placing_].begin = std::min(times_[placing_].begin, first_issue - gpu.cta_launch_latency);
  out.send(number, now + gpu.lookahead,
           {.kind = GpuMessage::Kind::cta,
            .number = slot,
            .detail = kind,
            .time = first_issue,
            .place = ctas_[placing_].taken() - 1});
}

} // namespace kerncast::pdes
