// CTA i starts on SM i mod SMs while there is room, later ones where one ends.
#include "launch_stream.h"

#include <cassert>

namespace kerncast::hit_rates {

LaunchStream::LaunchStream(tasklist::AccessSource& source, std::uint32_t sms, std::uint32_t ctas_per_sm,
                           std::uint32_t warps_per_cta, std::uint64_t local_bytes)
    : source_(source), ctas_per_sm_(ctas_per_sm), warps_per_cta_(warps_per_cta), local_bytes_(local_bytes),
      sms_(sms) {
  for (Sm& sm : sms_)
    sm.slots.resize(ctas_per_sm);
}

void LaunchStream::start(std::uint64_t first, std::uint64_t count) {
  assert(active_sms_ == 0 && "the CTAs started before have ended");
  next_cta_ = first;
  end_cta_ = first + count;
  turn_ = 0;
  for (std::uint32_t slot = 0; slot < ctas_per_sm_; ++slot)
    for (std::uint32_t sm = 0; sm < sms_.size(); ++sm)
      place_next(sm, slot);
  for (const Sm& sm : sms_)
    active_sms_ += sm.warps.empty() ? 0 : 1;
}

// Puts the next CTA that accesses anything into the slot.
void LaunchStream::place_next(std::uint32_t sm_number, std::uint32_t slot_number) {
  Sm& sm = sms_[sm_number];
  Slot& slot = sm.slots[slot_number];
  while (next_cta_ < end_cta_ && slot.warps == 0) {
    slot.placed = source_.cta(next_cta_++);
    const tasklist::CtaTrace& trace = *slot.placed.trace;
    for (std::uint32_t w = 0; w + 1 < trace.warp_begin.size(); ++w) {
      if (trace.warp_begin[w] == trace.warp_begin[w + 1])
        continue;
      const std::uint64_t resident =
          (std::uint64_t{sm_number} * ctas_per_sm_ + slot_number) * warps_per_cta_ + w;
      sm.warps.push_back({trace.accesses.data() + trace.warp_begin[w],
                          trace.accesses.data() + trace.warp_begin[w + 1], slot_number,
                          resident * local_bytes_});
      ++slot.warps;
    }
  }
}

void LaunchStream::end_warp(std::uint32_t sm_number, std::size_t warp) {
  Sm& sm = sms_[sm_number];
  const std::uint32_t slot = sm.warps[warp].slot;
  sm.warps.erase(sm.warps.begin() + static_cast<std::ptrdiff_t>(warp));
  if (--sm.slots[slot].warps == 0)
    place_next(sm_number, slot);
  if (sm.warps.empty())
    --active_sms_;
}

bool LaunchStream::next(StreamedAccess& access) {
  if (active_sms_ == 0)
    return false;
  while (sms_[turn_].warps.empty())
    turn_ = turn_ + 1 == sms_.size() ? 0 : turn_ + 1;
  const auto number = static_cast<std::uint32_t>(turn_);
  Sm& sm = sms_[turn_];
  turn_ = turn_ + 1 == sms_.size() ? 0 : turn_ + 1;
  if (sm.turn >= sm.warps.size())
    sm.turn = 0;
  Warp& warp = sm.warps[sm.turn];
  const tasklist::TracedAccess& traced = *warp.next;
  access = {number, traced.task, traced.pattern,
            sm.slots[warp.slot].placed.address(traced) +
                (source_.patterns()[traced.pattern].local ? warp.local_offset : 0)};
  if (++warp.next < warp.end)
    sm.turn += warp.next->follows ? 0 : 1;
  else
    end_warp(number, sm.turn); // the next warp is now at this turn
  return true;
}

} // namespace kerncast::hit_rates
