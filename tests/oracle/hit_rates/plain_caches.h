// The caches of a whole GPU simulated access by access, without sampling: the plain reference for predicted
// hit rates. Lanes are looked at byte by byte, caches are lists.
#pragma once

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
};

// Fully associative; the front was used last. The last one goes, or any, by draws of its own.
class Cache {
public:
  Cache(std::uint64_t lines, configs::Replacement replacement) : lines_(lines), replacement_(replacement) {}

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

private:
  std::list<Line>::iterator drawn() { return all_[random_() % all_.size()]; }

  std::uint64_t lines_;
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

// All CTAs; L1 sizes in bytes as given. Lines of 128 bytes, sectors of 32.
inline Counted simulate(tasklist::AccessSource& source, const tasklist::Tasklist& list, std::uint64_t ctas,
                        std::uint32_t ctas_per_sm, const configs::Gpu& gpu, std::uint64_t l1_bytes) {
  struct Resident {
    tasklist::PlacedTrace trace;
    std::size_t slot = 0;
    std::uint32_t at = 0, end = 0;
  };
  std::vector<Cache> l1;
  for (std::size_t sm = 0; sm < gpu.sms; ++sm)
    l1.emplace_back(l1_bytes / 128, gpu.l1.replacement);
  Cache l2(gpu.l2.bytes / 128, gpu.l2.replacement);
  Counted counted;
  std::uint64_t next = 0, written_back = 0;
  std::vector<std::vector<Resident>> warps(gpu.sms);
  std::vector<std::size_t> turn(gpu.sms, 0);
  const auto left_of = [&](std::size_t sm, std::size_t slot) {
    std::size_t left = 0;
    for (const Resident& w : warps[sm])
      left += w.slot == slot ? 1 : 0;
    return left;
  };
  const auto place = [&](std::size_t sm, std::size_t slot) {
    while (next < ctas && left_of(sm, slot) == 0) {
      const tasklist::PlacedTrace placed = source.cta(next++);
      for (std::size_t w = 0; w + 1 < placed.trace->warp_begin.size(); ++w)
        if (placed.trace->warp_begin[w] != placed.trace->warp_begin[w + 1])
          warps[sm].push_back({placed, slot, placed.trace->warp_begin[w], placed.trace->warp_begin[w + 1]});
    }
  };
  const auto in_l2 = [&](std::uint64_t sector, bool store) {
    Line& line = l2.touch(sector / 4, written_back);
    const bool hit = line.valid.count(sector) != 0;
    line.valid.insert(sector);
    if (store)
      line.dirty.insert(sector);
    return hit;
  };
  const auto access = [&](std::size_t sm, const Resident& warp) {
    const tasklist::TracedAccess& traced = warp.trace.trace->accesses[warp.at];
    const tasklist::AccessPattern& pattern = source.patterns()[traced.pattern];
    const tasklist::Task& task = list.tasks[traced.task];
    std::map<std::uint64_t, std::set<std::uint64_t>> sectors; // bytes by sector
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t byte = 0; (pattern.mask >> lane & 1U) != 0 && byte < pattern.bytes; ++byte) {
        const std::uint64_t at =
            warp.trace.address(traced) + static_cast<std::uint64_t>(pattern.offsets[lane]) + byte;
        sectors[at / 32].insert(at);
      }
    const bool through_l1 =
        gpu.l1_caches_global || list.operations[task.operation].find(".nc") != std::string::npos;
    std::uint64_t ignored = 0;
    for (const auto& [sector, bytes] : sectors) {
      if (task.kind == tasklist::TaskKind::store) {
        if (gpu.l1_keeps_stores) {
          if (Line& line = l1[sm].touch(sector / 4, ignored); bytes.size() == 32)
            line.valid.insert(sector);
        } else if (Line* line = l1[sm].find(sector / 4)) {
          line->valid.erase(sector);
        }
        in_l2(sector, true);
        ++counted.stored;
        continue;
      }
      ++counted.l1_requested;
      bool hit = false;
      if (through_l1) {
        Line& line = l1[sm].touch(sector / 4, ignored);
        hit = !line.valid.insert(sector).second;
      }
      counted.l1_hit += hit ? 1 : 0;
      if (!hit) {
        ++counted.l2_requested;
        counted.l2_hit += in_l2(sector, false) ? 1 : 0;
      }
    }
  };
  for (std::size_t slot = 0; slot < ctas_per_sm; ++slot)
    for (std::size_t sm = 0; sm < gpu.sms; ++sm)
      place(sm, slot);
  for (bool any = true; any;) {
    any = false;
    for (std::size_t sm = 0; sm < gpu.sms; ++sm) {
      if (warps[sm].empty())
        continue;
      any = true;
      turn[sm] %= warps[sm].size();
      Resident& warp = warps[sm][turn[sm]];
      access(sm, warp);
      if (++warp.at < warp.end) {
        ++turn[sm];
        continue;
      }
      const std::size_t slot = warp.slot;
      warps[sm].erase(warps[sm].begin() + static_cast<std::ptrdiff_t>(turn[sm]));
      place(sm, slot);
    }
  }
  counted.written_back = static_cast<double>(written_back);
  return counted;
}

} // namespace kerncast::hit_rates::reference
