#include "hit_rates/line_accesses.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "access_rules.h"
#include "atomic_addresses.h"
#include "configs/l1_size.h"
#include "hit_rates/cache_lines.h"
#include "hit_rates/issued_source.h"
#include "touched_lines.h"

namespace kerncast::hit_rates {
namespace {

using machine::MachineOp;
using tasklist::AccessPattern;
using tasklist::TracedAccess;

// Patterns of which an SM keeps the lines.
constexpr std::size_t most_kept_patterns = 512;
// Indices that nobody uses any more are forgotten when there are so many.
constexpr std::size_t many_indices = 256;

LineUse use_of_op(const tasklist::Tasklist& list, const MachineOp& op, const std::vector<AccessRule>& rules) {
  using enum tasklist::Space;
  if (op.kind != machine::OpKind::memory || op.space == shared || op.space == param || op.space == constant)
    return {};
  const AccessRule rule = rules[task_of(op, list)];
  return {.by_lines = rule.effect != Effect::constant && !rule.is_bulk,
          .loads = rule.effect != Effect::store,
          .stores = rule.effect != Effect::load,
          .through_l1 = rule.effect == Effect::load && rule.through_l1};
}

} // namespace

LaunchLines::LaunchLines(std::unique_ptr<tasklist::AccessSource> source, const tasklist::Tasklist& list,
                         const machine::MachineProgram& program, const tasklist::Launch& launch,
                         std::uint32_t ctas_per_sm, const configs::Gpu& gpu, std::uint64_t local_offset)
    : gpu_(gpu),
      l1_bytes_(configs::l1_bytes(gpu, ctas_per_sm, list.static_shared_bytes + launch.dynamic_shared_bytes)),
      ctas_per_sm_(ctas_per_sm), warps_per_cta_(launch.warps_per_cta()),
      local_bytes_((std::uint64_t{list.local_bytes_per_thread} + program.spill_bytes) *
                   tasklist::lanes_per_warp),
      local_offset_(local_offset), number_of_traced_task_(list.tasks.size() + 2, none),
      source_(std::move(source)) {
  const std::vector<AccessRule> rules = access_rules(list, gpu);
  for (const MachineOp& op : program.ops) {
    uses_.push_back(use_of_op(list, op, rules));
    task_numbers_.push_back(none);
    if (!uses_.back().by_lines)
      continue;
    std::uint32_t& number = number_of_traced_task_[task_of(op, list)];
    if (number == none)
      number = tasks_++;
    task_numbers_.back() = number;
  }
}

TraceIndex LaunchLines::make_index(const tasklist::CtaTrace& trace) const {
  TraceIndex index;
  index.first.assign(std::size_t{warps_per_cta_} * tasks_, none);
  index.next.assign(trace.accesses.size(), none);
  for (std::size_t w = 0; w + 1 < trace.warp_begin.size() && w < warps_per_cta_; ++w) {
    std::uint32_t* const first = index.first.data() + w * tasks_;
    for (std::uint32_t i = trace.warp_begin[w + 1]; i-- > trace.warp_begin[w];)
      if (const std::uint32_t task = number_of_traced_task_[trace.accesses[i].task]; task != none) {
        index.next[i] = first[task];
        first[task] = i;
      }
  }
  return index;
}

std::shared_ptr<const TraceIndex> LaunchLines::index_of(const tasklist::PlacedTrace& placed) {
  if (indices_.size() > many_indices)
    std::erase_if(indices_, [](const auto& entry) { return entry.second.index.expired(); });
  Indexed& known = indices_[placed.trace.get()];
  std::shared_ptr<const TraceIndex> index = known.index.lock();
  if (index && known.trace.lock() == placed.trace)
    return index;
  index = std::make_shared<const TraceIndex>(make_index(*placed.trace));
  known = {placed.trace, index};
  return index;
}

StartedCta LaunchLines::start(std::uint64_t cta) {
  const std::lock_guard lock(mutex_);
  StartedCta started{cta, source_->cta(cta), nullptr, nullptr};
  started.index = index_of(started.placed);
  started.patterns = started.placed.own_patterns;
  if (started.patterns)
    return started;
  if (!patterns_ || patterns_->size() != source_->patterns().size())
    patterns_ = std::make_shared<const std::vector<AccessPattern>>(source_->patterns());
  started.patterns = patterns_;
  return started;
}

SmLines::SmLines(std::shared_ptr<LaunchLines> launch, std::uint32_t sm)
    : launch_(std::move(launch)), sm_(sm), slots_(launch_->ctas_per_sm()) {}
SmLines::~SmLines() = default;
SmLines::SmLines(SmLines&&) noexcept = default;

void SmLines::start(std::uint32_t slot, std::uint64_t cta) {
  slots_[slot].cta = launch_->start(cta);
  slots_[slot].next = slots_[slot].cta.index->first;
}

bool SmLines::next(std::uint32_t warp, std::uint32_t op, std::vector<LineAccess>& lines) {
  const std::uint32_t warps = launch_->warps_per_cta();
  Slot& slot = slots_[warp / warps];
  std::uint32_t& next = slot.next[warp % warps * launch_->tasks() + launch_->task_number(op)];
  if (next == LaunchLines::none)
    return false;
  const std::uint32_t number = std::exchange(next, slot.cta.index->next[next]);
  const TracedAccess& access = slot.cta.placed.trace->accesses[number];
  const AccessPattern& pattern = (*slot.cta.patterns)[access.pattern];
  std::uint64_t address = slot.cta.placed.address(access);
  if (pattern.local)
    address += launch_->local_begin(std::uint64_t{sm_} * launch_->ctas_per_sm() * warps + warp);
  if (pattern.known) {
    add_lines(slot.cta, access.pattern, address, lines);
    if (const LineUse& use = launch_->use_of(op); use.loads && use.stores)
      mark_most_wanted(pattern, address, lines);
    return true;
  }
  if (pattern.bytes == 0 || pattern.reach < pattern.bytes)
    return false;
  scatter(pattern, address, caches::hash_line(slot.cta.number * warps + warp % warps) + number, lines);
  return true;
}

void SmLines::add_lines(const StartedCta& cta, std::uint32_t pattern, std::uint64_t address,
                        std::vector<LineAccess>& lines) {
  const configs::Cache& l1 = launch_->gpu().l1;
  const std::uint64_t line = address / l1.line_bytes;
  const auto phase = static_cast<std::uint32_t>(address % l1.line_bytes);
  const auto add = [&](const std::vector<TouchedLine>& touched) {
    for (const TouchedLine& one : touched)
      lines.push_back({line + static_cast<std::uint64_t>(one.offset), one.touched, one.complete, one.parts});
  };
  if (cta.placed.own_patterns)
    return add(touched_lines((*cta.patterns)[pattern], phase, l1));
  if (kept_.size() > most_kept_patterns)
    kept_.clear();
  const auto [known, is_new] = kept_.try_emplace(std::uint64_t{pattern} * l1.line_bytes + phase);
  if (is_new)
    known->second = touched_lines((*cta.patterns)[pattern], phase, l1);
  add(known->second);
}

void SmLines::mark_most_wanted(const AccessPattern& pattern, std::uint64_t address,
                               std::vector<LineAccess>& lines) const {
  const std::uint64_t wanted = address + static_cast<std::uint64_t>(offset_of_most_lanes(pattern));
  for (LineAccess& line : lines)
    if (line.line == wanted / launch_->gpu().l1.line_bytes)
      line.most_wanted = wanted;
}

// Each lane anywhere in its reach.
void SmLines::scatter(const AccessPattern& pattern, std::uint64_t address, std::uint64_t seed,
                      std::vector<LineAccess>& lines) const {
  const configs::Cache& l1 = launch_->gpu().l1;
  for (int lane = 0; lane < std::popcount(pattern.mask); ++lane) {
    const std::uint64_t drawn =
        caches::hash_line(seed * tasklist::lanes_per_warp + static_cast<std::uint64_t>(lane)) %
        pattern.places();
    const std::uint64_t at = address + drawn * pattern.grain;
    lines.push_back({.line = at / l1.line_bytes,
                     .touched = sectors_at(at, pattern.bytes, l1),
                     .parts = parts_at(at, pattern.bytes, l1),
                     .most_wanted = at});
  }
}

} // namespace kerncast::hit_rates
