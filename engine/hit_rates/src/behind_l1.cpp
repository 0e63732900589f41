// Kept accesses have some six bytes each: numbers as base 128, lowest digits first.
#include "behind_l1.h"

#include <array>

#include "support/byte_parts.h"

namespace kerncast::hit_rates {
namespace {

constexpr std::size_t replayed_together = 2048;
constexpr unsigned digit_bits = 7;
constexpr std::uint64_t more_digits = std::uint64_t{1} << digit_bits;

void append_number(std::uint64_t number, std::string& bytes) {
  for (; number >= more_digits; number >>= digit_bits)
    bytes.push_back(static_cast<char>(number | more_digits));
  bytes.push_back(static_cast<char>(number));
}

std::uint64_t take_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += digit_bits) {
    const std::uint64_t digit = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= (digit & (more_digits - 1)) << shift;
    if (digit < more_digits)
      return number;
  }
}

// Small for small differences in both directions.
std::uint64_t folded(std::uint64_t difference) {
  return difference << 1U ^ (difference >> 63U != 0 ? UINT64_MAX : 0);
}
std::uint64_t unfolded(std::uint64_t number) { return number >> 1U ^ ((number & 1) != 0 ? UINT64_MAX : 0); }

void append_counts(const HitCounts& counts, std::string& bytes) {
  append_plains(counts.by_task, bytes);
  append_plain(counts.by_group, bytes);
  append_plain(std::array{counts.written_back, counts.made_dirty, counts.lines_added, counts.unknown}, bytes);
}

HitCounts take_counts(std::string_view& bytes) {
  HitCounts counts;
  counts.by_task = take_plains<SectorCounts>(bytes);
  counts.by_group = take_plain<std::array<SectorCounts, sample_groups>>(bytes);
  const auto others = take_plain<std::array<double, 4>>(bytes);
  counts.written_back = others[0];
  counts.made_dirty = others[1];
  counts.lines_added = others[2];
  counts.unknown = others[3];
  return counts;
}

void replay_accesses(std::string_view bytes, std::uint64_t& last_line, BehindL1& to) {
  std::vector<L2Access> accesses;
  while (!bytes.empty()) {
    L2Access access;
    access.line = last_line += unfolded(take_number(bytes));
    access.sectors = static_cast<caches::SectorMask>(take_number(bytes));
    access.task = static_cast<tasklist::TaskId>(take_number(bytes));
    access.group = static_cast<std::uint8_t>(bytes[0]);
    access.kind = static_cast<L2Access::Kind>(bytes[1]);
    bytes.remove_prefix(2);
    accesses.push_back(access);
    if (accesses.size() == replayed_together || bytes.empty()) {
      to.run(accesses);
      accesses.clear();
    }
  }
}

} // namespace

L2sBehindL1::L2sBehindL1(std::vector<L2InUse>& l2s, const configs::Cache& l1, std::size_t tasks) {
  for (L2InUse& l2 : l2s)
    l2s_.emplace_back(l2, l1, tasks);
}

void L2sBehindL1::run(std::span<const L2Access> accesses) {
  for (L2Run& l2 : l2s_)
    l2.run(accesses);
}

void L2sBehindL1::end_stretch(const HitCounts& common, bool is_counted) {
  std::vector<HitCounts> by_l2;
  for (L2Run& l2 : l2s_) {
    by_l2.push_back(l2.take_counts());
    by_l2.back().add(common, 1);
  }
  if (is_counted)
    stretches.push_back(std::move(by_l2));
}

void KeptForL2::run(std::span<const L2Access> accesses) {
  for (const L2Access& access : accesses) {
    append_number(folded(access.line - last_line_), accesses_);
    append_number(access.sectors, accesses_);
    append_number(access.task, accesses_);
    accesses_.push_back(static_cast<char>(access.group));
    accesses_.push_back(static_cast<char>(access.kind));
    last_line_ = access.line;
  }
}

void KeptForL2::end_stretch(const HitCounts& common, bool is_counted) {
  append_part(accesses_, bytes);
  append_counts(common, bytes);
  append_plain(is_counted, bytes);
  accesses_.clear();
}

void replay(std::string_view bytes, BehindL1& to) {
  std::uint64_t last_line = 0;
  while (!bytes.empty()) {
    replay_accesses(take_part(bytes), last_line, to);
    const HitCounts common = take_counts(bytes);
    to.end_stretch(common, take_plain<bool>(bytes));
  }
}

} // namespace kerncast::hit_rates
