#include "spread.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace kerncast::engine {
namespace {

using Counts = std::vector<std::uint64_t>; // by kind

// Where in the grid the next CTA of a kind lies, of which so many of `all` are placed.
double place_of_next(const GridKind& kind, std::uint64_t placed, std::uint64_t all) {
  if (placed == all)
    return HUGE_VAL;
  const double part = (static_cast<double>(placed) + 0.5) / static_cast<double>(all);
  return kind.extent.first + (kind.extent.last - kind.extent.first) * part;
}

std::vector<CtaRun> in_grid_order(std::span<const GridKind> kinds, const Counts& counts, std::uint64_t ctas) {
  if (counts.size() == 1)
    return {{0, ctas}};
  Counts placed(counts.size(), 0);
  std::vector<double> next;
  for (std::size_t k = 0; k < counts.size(); ++k)
    next.push_back(place_of_next(kinds[k], 0, counts[k]));
  std::vector<CtaRun> runs;
  for (std::uint64_t i = 0; i < ctas; ++i) {
    const auto k = static_cast<std::size_t>(std::ranges::min_element(next) - next.begin());
    next[k] = place_of_next(kinds[k], ++placed[k], counts[k]);
    if (!runs.empty() && runs.back().kind == k)
      ++runs.back().count;
    else
      runs.push_back({static_cast<std::uint32_t>(k), 1});
  }
  return runs;
}

double work_of(const Counts& counts, std::span<const GridKind> kinds) {
  double work = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    work += static_cast<double>(counts[k]) * kinds[k].work;
  return work;
}

std::uint64_t bulk_bytes_of(const Counts& counts, std::span<const GridKind> kinds) {
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    bytes += counts[k] * kinds[k].bulk_bytes;
  return bytes;
}

// Deals the grid's CTAs to SMs one by one, kind after kind.
class Dealer {
public:
  Dealer(std::span<const GridKind> kinds, std::uint64_t sms)
      : kinds_(kinds), sms_(sms), order_(kinds.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, std::ranges::greater{}, [&](std::size_t k) { return kinds[k].work; });
  }

  // From one of these SMs to the next all get the same.
  std::set<std::uint64_t> changes() const {
    std::set<std::uint64_t> at{0, sms_};
    std::uint64_t dealt = 0;
    for (const std::size_t k : order_)
      at.insert((dealt += kinds_[k].ctas) % sms_);
    return at;
  }

  Counts of_sm(std::uint64_t sm) const {
    Counts counts(kinds_.size());
    std::uint64_t begin = 0;
    for (const std::size_t k : order_) {
      const std::uint64_t end = begin + kinds_[k].ctas;
      counts[k] = before(end, sm) - before(begin, sm);
      begin = end;
    }
    return counts;
  }

private:
  // Of the first `dealt` CTAs those that this SM got.
  std::uint64_t before(std::uint64_t dealt, std::uint64_t sm) const { return (dealt + sms_ - 1 - sm) / sms_; }

  std::span<const GridKind> kinds_;
  std::uint64_t sms_;
  std::vector<std::size_t> order_; // most work first
};

struct Hand {
  std::uint64_t sm_count = 0, ctas = 0;
  Counts counts;
  double work = 0;
  std::uint64_t bulk_bytes = 0;
};

bool has_alike_bytes(const Hand& a, const Hand& b) {
  const auto [less, more] = std::minmax(a.bulk_bytes, b.bulk_bytes);
  return static_cast<double>(more - less) <= equal_bytes * static_cast<double>(more);
}

// Hands of as many CTAs with about the same work and bulk copies become one, that of most SMs.
std::vector<Hand> merged(std::vector<Hand> hands) {
  std::ranges::stable_sort(hands, [](const Hand& a, const Hand& b) {
    return a.ctas != b.ctas ? a.ctas > b.ctas : a.work > b.work;
  });
  std::vector<Hand> out;
  double heaviest = 0; // that became the last one
  std::uint64_t most_sms = 0;
  for (Hand& hand : hands) {
    const bool is_alike = !out.empty() && out.back().ctas == hand.ctas && has_alike_bytes(out.back(), hand) &&
                          hand.work >= (1 - equal_work) * heaviest;
    if (!is_alike) {
      heaviest = hand.work;
      most_sms = hand.sm_count;
      out.push_back(std::move(hand));
      continue;
    }
    const std::uint64_t sms = out.back().sm_count + hand.sm_count;
    if (hand.sm_count > most_sms) {
      most_sms = hand.sm_count;
      out.back() = std::move(hand);
    }
    out.back().sm_count = sms;
  }
  return out;
}

std::vector<Hand> dealt_hands(std::span<const GridKind> kinds, std::uint64_t sms) {
  const Dealer dealer(kinds, sms);
  const std::set<std::uint64_t> changes = dealer.changes();
  std::vector<Hand> hands;
  for (auto at = changes.begin(); *at < sms; ++at) {
    Counts counts = dealer.of_sm(*at);
    const std::uint64_t ctas = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    if (ctas > 0)
      hands.push_back(
          {*std::next(at) - *at, ctas, counts, work_of(counts, kinds), bulk_bytes_of(counts, kinds)});
  }
  return merged(std::move(hands));
}

} // namespace

std::vector<SmShare> spread(std::span<const GridKind> kinds, std::uint64_t sms) {
  Counts grid;
  for (const GridKind& kind : kinds)
    grid.push_back(kind.ctas);
  const double all = work_of(grid, kinds);
  std::vector<SmShare> shares;
  for (const Hand& hand : dealt_hands(kinds, sms))
    shares.push_back(
        {hand.sm_count, hand.ctas, hand.work / all, in_grid_order(kinds, hand.counts, hand.ctas)});
  return shares;
}

} // namespace kerncast::engine
