// The caches of a whole GPU simulated access by access, without sampling: the plain reference for predicted
// hit rates. Lanes are looked at byte by byte, caches are lists.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <list>
#include <map>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

#include "configs/gpu.h"
#include "memory_model/request.h"
#include "tasklist/cta_accesses.h"
#include "tasklist/tasklist.h"

namespace kerncast::hit_rates::reference {

struct Line {
  std::uint64_t number = 0;
  std::set<std::uint64_t> valid, dirty; // sectors
  std::size_t place = 0;                // among all lines of the cache
  std::set<std::uint64_t> written = {}; // bytes
};

// Fully associative; the front was used last. The last one goes, or any, by draws of its own. Where more
// lines are dirty than may be the last one of them is written back.
class Cache {
public:
  Cache(std::uint64_t lines, configs::Replacement replacement, double dirty_fraction = 1)
      : lines_(lines), may_be_dirty_(std::llround(dirty_fraction * static_cast<double>(lines))),
        replacement_(replacement) {}

  Line* find(std::uint64_t number) {
    const auto found = places_.find(number);
    if (found == places_.end())
      return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &order_.front();
  }
  Line& touch(std::uint64_t number, std::uint64_t& written_back) {
    if (Line* line = find(number))
      return *line;
    if (order_.size() == lines_) {
      const auto leaves = replacement_ == configs::Replacement::lru ? std::prev(order_.end()) : drawn();
      written_back += leaves->dirty.size();
      dirty_ -= leaves->dirty.empty() ? 0 : 1;
      places_.erase(leaves->number);
      all_[leaves->place] = all_.back();
      all_[leaves->place]->place = leaves->place;
      all_.pop_back();
      order_.erase(leaves);
    }
    order_.push_front({number, {}, {}, all_.size()});
    all_.push_back(order_.begin());
    places_[number] = order_.begin();
    return order_.front();
  }

  void note_dirty(std::uint64_t& written_back) {
    if (++dirty_ <= may_be_dirty_)
      return;
    const auto last =
        std::find_if(order_.rbegin(), order_.rend(), [](const Line& line) { return !line.dirty.empty(); });
    written_back += last->dirty.size();
    last->dirty.clear();
    --dirty_;
  }

private:
  std::list<Line>::iterator drawn() { return all_[random_() % all_.size()]; }

  std::uint64_t lines_;
  long long may_be_dirty_; // lines
  long long dirty_ = 0;    // lines
  configs::Replacement replacement_;
  std::mt19937_64 random_;
  std::list<Line> order_;
  std::vector<std::list<Line>::iterator> all_; // all lines, in any order
  std::unordered_map<std::uint64_t, std::list<Line>::iterator> places_;
};

struct Counted {
  double l1_requested = 0, l1_hit = 0, l2_requested = 0, l2_hit = 0, stored = 0, written_back = 0;
  memory_model::HitRates rates() const {
    return {l1_requested > 0 ? l1_hit / l1_requested : 0,
            (l2_hit + stored - std::min(stored, written_back)) / (l2_requested + stored)};
  }
};

// All SMs in turn, each with its next warp, one access at a time; a warp goes on while its accesses follow.
// Lines of 128 bytes, sectors of 32.
class PlainGpu {
public:
  PlainGpu(tasklist::AccessSource& source, const tasklist::Tasklist& list, std::uint64_t ctas,
           const configs::Gpu& gpu, std::uint64_t l1_bytes)
      : source_(source), list_(list), ctas_(ctas), gpu_(gpu),
        l2_(gpu.l2.bytes / 128, gpu.l2.replacement, gpu.l2.dirty_fraction), warps_(gpu.sms),
        turn_(gpu.sms, 0) {
    for (std::size_t sm = 0; sm < gpu.sms; ++sm)
      l1_.emplace_back(l1_bytes / 128, gpu.l1.replacement);
  }

  Counted run(std::uint32_t ctas_per_sm) {
    for (std::size_t slot = 0; slot < ctas_per_sm; ++slot)
      for (std::size_t sm = 0; sm < gpu_.sms; ++sm)
        place(sm, slot);
    for (bool any = true; any;) {
      any = false;
      for (std::size_t sm = 0; sm < gpu_.sms; ++sm)
        any = step(sm) || any;
    }
    counted_.written_back = static_cast<double>(written_back_);
    return counted_;
  }

private:
  struct Resident {
    tasklist::PlacedTrace trace;
    std::size_t slot = 0;
    std::uint32_t at = 0, end = 0;
  };
  using Sectors = std::map<std::uint64_t, std::set<std::uint64_t>>; // bytes by sector

  bool is_free(std::size_t sm, std::size_t slot) const {
    return std::none_of(warps_[sm].begin(), warps_[sm].end(),
                        [&](const Resident& warp) { return warp.slot == slot; });
  }

  void place(std::size_t sm, std::size_t slot) {
    while (next_ < ctas_ && is_free(sm, slot)) {
      const tasklist::PlacedTrace placed = source_.cta(next_++);
      for (std::size_t w = 0; w + 1 < placed.trace->warp_begin.size(); ++w)
        if (placed.trace->warp_begin[w] != placed.trace->warp_begin[w + 1])
          warps_[sm].push_back({placed, slot, placed.trace->warp_begin[w], placed.trace->warp_begin[w + 1]});
    }
  }

  // One access; false if the SM has no warp.
  bool step(std::size_t sm) {
    std::vector<Resident>& warps = warps_[sm];
    if (warps.empty())
      return false;
    turn_[sm] %= warps.size();
    Resident& warp = warps[turn_[sm]];
    access(sm, warp);
    if (++warp.at < warp.end) {
      turn_[sm] += warp.trace.trace->accesses[warp.at].follows ? 0 : 1;
      return true;
    }
    const std::size_t slot = warp.slot;
    warps.erase(warps.begin() + static_cast<std::ptrdiff_t>(turn_[sm]));
    place(sm, slot);
    return true;
  }

  Sectors sectors_of(const Resident& warp, const tasklist::TracedAccess& traced) const {
    const tasklist::AccessPattern& pattern = source_.patterns()[traced.pattern];
    Sectors sectors;
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t byte = 0; (pattern.mask >> lane & 1U) != 0 && byte < pattern.bytes; ++byte) {
        const std::uint64_t at =
            warp.trace.address(traced) + static_cast<std::uint64_t>(pattern.offsets[lane]) + byte;
        sectors[at / 32].insert(at);
      }
    return sectors;
  }

  void access(std::size_t sm, const Resident& warp) {
    const tasklist::TracedAccess& traced = warp.trace.trace->accesses[warp.at];
    const tasklist::Task& task = list_.tasks[traced.task];
    const bool through_l1 =
        gpu_.l1_caches_global || list_.operations[task.operation].find(".nc") != std::string::npos;
    for (const auto& [sector, bytes] : sectors_of(warp, traced))
      if (task.kind == tasklist::TaskKind::store)
        store(l1_[sm], sector, bytes);
      else
        load(l1_[sm], sector, through_l1);
  }

  void store(Cache& l1, std::uint64_t sector, const std::set<std::uint64_t>& bytes) {
    if (gpu_.l1_keeps_stores) {
      if (Line& line = l1.touch(sector / 4, ignored_); bytes.size() == 32)
        line.valid.insert(sector);
    } else if (Line* line = l1.find(sector / 4)) {
      line->valid.erase(sector);
    }
    Line& line = l2_.touch(sector / 4, written_back_);
    const bool was_clean = line.dirty.empty();
    line.dirty.insert(sector);
    line.written.insert(bytes.begin(), bytes.end());
    if (std::distance(line.written.lower_bound(32 * sector), line.written.lower_bound(32 * sector + 32)) ==
        32)
      line.valid.insert(sector);
    if (was_clean)
      l2_.note_dirty(written_back_);
    ++counted_.stored;
  }

  void load(Cache& l1, std::uint64_t sector, bool through_l1) {
    ++counted_.l1_requested;
    if (through_l1 && !l1.touch(sector / 4, ignored_).valid.insert(sector).second) {
      ++counted_.l1_hit;
      return;
    }
    ++counted_.l2_requested;
    const Line* const held = l2_.find(sector / 4);
    counted_.l2_hit += held != nullptr && held->valid.count(sector) != 0 ? 1 : 0;
    l2_.touch(sector / 4, written_back_).valid.insert(sector);
  }

  tasklist::AccessSource& source_;
  const tasklist::Tasklist& list_;
  std::uint64_t ctas_;
  const configs::Gpu& gpu_;
  std::vector<Cache> l1_; // by SM
  Cache l2_;
  Counted counted_;
  std::uint64_t next_ = 0; // CTA
  std::uint64_t written_back_ = 0, ignored_ = 0;
  std::vector<std::vector<Resident>> warps_; // by SM
  std::vector<std::size_t> turn_;            // by SM: the next warp
};

// All CTAs; L1 sizes in bytes as given.
inline Counted simulate(tasklist::AccessSource& source, const tasklist::Tasklist& list, std::uint64_t ctas,
                        std::uint32_t ctas_per_sm, const configs::Gpu& gpu, std::uint64_t l1_bytes) {
  return PlainGpu(source, list, ctas, gpu, l1_bytes).run(ctas_per_sm);
}

} // namespace kerncast::hit_rates::reference
