#include "sm_l1.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/stepped_sm.h"

namespace kerncast::pdes {

using caches::CacheLine;
using caches::SectorMask;
using hit_rates::LineAccess;

namespace {

std::uint64_t least_l1_bytes(const Kernels& kernels) {
  std::uint64_t bytes = UINT64_MAX;
  for (const KernelOnGpu& kernel : kernels)
    if (kernel.lines)
      bytes = std::min(bytes, kernel.lines->l1_bytes());
  return bytes;
}

} // namespace

SmL1::SmL1(const Kernels& kernels, const engine::SmWorkload& workload, std::uint32_t sm)
    : gpu_(gpu_of_lines(kernels)), kernels_(kernels), workload_(workload),
      warps_per_slot_(engine::warps_per_slot(workload)), slots_(workload.resident_ctas),
      own_warps_(std::size_t{workload.resident_ctas} * warps_per_slot_),
      l1_(least_l1_bytes(kernels) / gpu_.l1.line_bytes, gpu_.l1.ways, gpu_.l1.replacement),
      lines_of_l2_(gpu_.l1, gpu_.l2), sector_bytes_(gpu_.l1.sector_bytes),
      l1_latency_(engine::to_time(gpu_.l1.latency)) {
  for (const KernelOnGpu& kernel : kernels) {
    launches_.push_back({kernel.lines.get(), {}, kernel.first.first_op, {}});
    if (kernel.lines)
      launches_.back().of_sm.emplace(kernel.lines, sm);
  }
}

// One kernel alone has the SM's slots.
void SmL1::start_cta(std::uint32_t slot, std::uint32_t kind, std::uint64_t cta) {
  const std::uint32_t kernel = kernel_of(kernels_, &engine::MergedKernel::first_kind, kind);
  Launch& launch = launches_[kernel];
  slots_[slot] = {kernel, slot};
  if (launch.lines == nullptr)
    return;
  if (kernels_.size() > 1)
    slots_[slot].own = launch.slots.take();
  launch.of_sm->start(slots_[slot].own, cta);
  const auto warps = static_cast<std::uint32_t>(workload_.kinds[kind].warp_paths.size());
  for (std::uint32_t i = 0; i < warps; ++i)
    own_warps_[slot * warps_per_slot_ + i] = slots_[slot].own * warps + i;
}

void SmL1::end_cta(std::uint32_t slot) {
  Launch& launch = launches_[slots_[slot].kernel];
  if (kernels_.size() > 1 && launch.lines != nullptr)
    launch.slots.free(slots_[slot].own);
}

SmL1::Found SmL1::look_up(std::uint32_t warp, std::uint32_t op, Time start) {
  Launch& launch = launches_[kernel_of(kernels_, &engine::MergedKernel::first_op, op)];
  const std::uint32_t own_op = op - launch.first_op;
  const hit_rates::LineUse use =
      launch.lines == nullptr ? hit_rates::LineUse{} : launch.lines->use_of(own_op);
  found_.clear();
  if (!use.by_lines || !launch.of_sm->next(own_warps_[warp], own_op, found_)) {
    ++counts_.by_rates;
    return {};
  }
  ++counts_.by_lines;
  Sought sought;
  for (const LineAccess& line : found_) {
    if (use.stores)
      store(line, use.loads, sought);
    else
      load(line, use.through_l1, start, sought);
  }
  if (sought.access == none)
    return {.where = Where::l1, .at = sought.at};
  Access& access = accesses_[sought.access];
  access.loads = use.loads;
  access.stores = use.stores;
  access.earliest = std::max(sought.at, start + (use.stores ? 0 : l1_latency_));
  return {.where = access.lines.empty() ? Where::coming : Where::beyond,
          .access = sought.access,
          .l2_bytes = sought.bytes};
}

void SmL1::load(const LineAccess& wanted, bool through_l1, Time start, Sought& sought) {
  counts_.l1_requested += static_cast<std::uint64_t>(std::popcount(wanted.touched));
  if (!through_l1)
    return fetch(wanted.line, wanted.touched, false, sought);
  SectorMask evicted = 0;
  const SectorMask hit = l1_.find_or_add(wanted.line, evicted).load(wanted.touched);
  counts_.l1_hit += static_cast<std::uint64_t>(std::popcount(hit));
  if (hit != 0 && !coming_.empty())
    wait_for_coming(wanted.line, hit, start, sought);
  if (hit != wanted.touched)
    fetch(wanted.line, wanted.touched & ~hit, l1_.capacity() > 0, sought);
}

// Atomics are carried out in L2.
void SmL1::store(const LineAccess& written, bool is_atomic, Sought& sought) {
  SectorMask evicted = 0;
  if (gpu_.l1_keeps_stores && !is_atomic)
    l1_.find_or_add(written.line, evicted).valid |= written.complete;
  else if (CacheLine* held = l1_.find(written.line))
    held->valid &= ~written.touched;
  if (is_atomic)
    return fetch(written.line, written.touched, false, sought, written.most_wanted);
  Access& access = access_of(sought);
  sought.bytes += double{1} * std::popcount(written.touched) * sector_bytes_;
  lines_of_l2_.for_each_written(written.line, written.touched, written.parts,
                                [&](std::uint64_t line, SectorMask sectors, caches::PartMask parts) {
                                  access.lines.push_back({.line = line, .sectors = sectors, .parts = parts});
                                });
}

void SmL1::wait_for_coming(std::uint64_t line, SectorMask sectors, Time start, Sought& sought) {
  const auto first = coming_.find(line);
  if (first == coming_.end())
    return;
  for (std::uint32_t f = first->second; f != none; f = fetches_[f].next) {
    if ((fetches_[f].sectors & sectors) == 0)
      continue;
    if (fetches_[f].arrived != never) {
      sought.at = fetches_[f].arrived > start ? std::max(sought.at, fetches_[f].arrived) : sought.at;
      continue;
    }
    ++access_of(sought).waits;
    fetches_[f].waiting.push_back(sought.access);
  }
}

void SmL1::fetch(std::uint64_t line, SectorMask wanted, bool into_l1, Sought& sought,
                 std::uint64_t most_wanted) {
  access_of(sought);
  sought.bytes += double{1} * std::popcount(wanted) * sector_bytes_;
  lines_of_l2_.for_each(line, wanted, [&](std::uint64_t l2_line, SectorMask l2_sectors, SectorMask sectors) {
    const std::uint32_t number = fetches_.take();
    Fetch& fetch = fetches_[number];
    fetch.line = line;
    fetch.sectors = sectors;
    fetch.into_l1 = into_l1;
    fetch.arrived = never;
    fetch.waiting.push_back(sought.access);
    ++accesses_[sought.access].waits;
    accesses_[sought.access].lines.push_back(
        {.line = l2_line, .sectors = l2_sectors, .fetch = number, .most_wanted = most_wanted});
    if (!into_l1)
      return;
    const auto [first, is_first] = coming_.try_emplace(line, number);
    fetch.next = is_first ? none : std::exchange(first->second, number);
  });
}

SmL1::Access& SmL1::access_of(Sought& sought) {
  if (sought.access == none)
    sought.access = accesses_.take();
  return accesses_[sought.access];
}

void SmL1::await(std::uint32_t access, std::uint32_t number) { accesses_[access].number = number; }

SmL1::Departure SmL1::depart(std::uint32_t number) {
  Access& access = accesses_[number];
  Departure out{access.loads, access.stores, std::exchange(access.lines, {})};
  if (access.waits == 0)
    free_access(number);
  return out;
}

void SmL1::arrive(std::uint32_t number, Time at, std::vector<Done>& done) {
  Fetch& fetch = fetches_[number];
  fetch.arrived = at;
  for (const std::uint32_t waiting : fetch.waiting) {
    Access& access = accesses_[waiting];
    access.earliest = std::max(access.earliest, at);
    if (--access.waits > 0)
      continue;
    if (access.number != none)
      done.push_back({access.number, access.earliest});
    free_access(waiting);
  }
  fetch.waiting.clear();
  if (fetch.into_l1)
    arrived_.push_back(number);
  else
    fetches_.free(number);
}

void SmL1::forget_before(Time time) {
  std::erase_if(arrived_, [&](std::uint32_t number) {
    if (fetches_[number].arrived >= time)
      return false;
    unlink(number);
    fetches_.free(number);
    return true;
  });
}

void SmL1::unlink(std::uint32_t number) {
  const auto first = coming_.find(fetches_[number].line);
  std::uint32_t* at = &first->second;
  while (*at != number)
    at = &fetches_[*at].next;
  *at = std::exchange(fetches_[number].next, none);
  if (first->second == none)
    coming_.erase(first);
}

void SmL1::free_access(std::uint32_t number) {
  accesses_[number] = {};
  accesses_.free(number);
}

} // namespace kerncast::pdes
