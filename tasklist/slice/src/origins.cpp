#include "origins.h"

#include <algorithm>
#include <bit>

#include "support/mix_bits.h"
#include "warp/intern.h"

namespace kerncast::slice {
namespace {

using Values = Lanes<std::uint64_t>;

Values read(LaneFile& file, SlotId slot) {
  Values values;
  if (slot.pool == Pool::word)
    std::ranges::copy(file.lanes<std::uint32_t>(slot.index), values.begin());
  else if (slot.pool == Pool::longword)
    values = file.lanes<std::uint64_t>(slot.index);
  else
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      values[i] = has(file.predicate(slot.index), i) ? 1 : 0;
  return values;
}

// Into a word or a longword.
void write(LaneFile& file, SlotId slot, const Values& values) {
  restore_lanes(file, slot, values.data(), all_lanes);
}

// The known parts of lanes that have none; predicates have no parts.
void clear(LaneFile& file, SlotId slot, LaneMask lanes) {
  const auto clear_lanes = [lanes](auto& values) {
    if (lanes == all_lanes)
      values.fill(0);
    else
      for_each_lane(lanes, [&](std::uint32_t i) { values[i] = 0; });
  };
  if (slot.pool == Pool::word)
    clear_lanes(file.lanes<std::uint32_t>(slot.index));
  else if (slot.pool == Pool::longword)
    clear_lanes(file.lanes<std::uint64_t>(slot.index));
}

// That a word or a longword has.
std::uint64_t mask_of(Pool pool) { return pool == Pool::word ? 0xffffffffU : ~std::uint64_t{0}; }

// Of what is all known.
constexpr Origin known_origin = scale_mask + 1;

// A multiple of 1.
Origin joined(Origin a, std::uint64_t b) {
  const Origin hash = mix_bits(a + 0x9e3779b97f4a7c15ULL + mix_bits(b)) & ~scale_mask;
  return hash == Origins::none ? known_origin : hash;
}

Origin multiple(Origin origin, std::uint64_t factor) {
  constexpr std::uint32_t largest = 32;
  const std::uint32_t scale = scale_of(origin) + static_cast<std::uint32_t>(std::countr_zero(factor));
  return joined(origin, factor) | std::min(scale, largest);
}

Origin sum_of(Origin a, Origin b) { return joined(a, b) | std::min(scale_of(a), scale_of(b)); }

// A hash goes on with an operand.
Origin with_operand(Origin hash, Origin origin, std::uint64_t value) {
  return hash == Origins::none || origin == Origins::none ? Origins::none
                                                          : joined(hash, joined(origin, value));
}

// A sum of multiples of origins. Where nothing unknown was added, what is known is all there is.
class Sum {
public:
  void add(Origin origin, std::uint64_t factor) {
    const Origin term = origin == Origins::none || factor == 1 ? origin : multiple(origin, factor);
    if (!begun_)
      sum_ = term;
    else
      sum_ = sum_ == Origins::none || term == Origins::none ? Origins::none : sum_of(sum_, term);
    begun_ = true;
  }
  Origin origin() const { return sum_; }

private:
  Origin sum_ = known_origin;
  bool begun_ = false;
};

bool uses_predicates(const MicroOp& op) {
  return op.destination.pool == Pool::predicate ||
         std::any_of(op.sources.begin(), op.sources.begin() + op.source_count,
                     [](SlotId s) { return s.pool == Pool::predicate; });
}

bool is_repeated(const MicroOp& op, std::uint32_t source) {
  const auto at = op.sources.begin() + source;
  return std::find(op.sources.begin(), at, op.sources[source]) != at;
}

template <class Word> std::optional<std::uint64_t> one_of(const Lanes<Word>& values, LaneMask lanes) {
  const Word first = values[static_cast<std::uint32_t>(std::countr_zero(lanes))];
  LaneMask others = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    others |= static_cast<LaneMask>(values[i] != first) << i;
  return (others & lanes) == 0 ? std::optional<std::uint64_t>(first) : std::nullopt;
}

// The value of all these lanes.
std::optional<std::uint64_t> one_value(LaneFile& file, SlotId slot, LaneMask lanes) {
  if (slot.pool == Pool::word)
    return one_of(file.lanes<std::uint32_t>(slot.index), lanes);
  if (slot.pool == Pool::longword)
    return one_of(file.lanes<std::uint64_t>(slot.index), lanes);
  const LaneMask set = file.predicate(slot.index) & lanes;
  return set == 0 || set == lanes ? std::optional<std::uint64_t>(set & 1) : std::nullopt;
}

bool is_load(const MicroOp& op) {
  return op.rule == AdvanceRule::loaded || op.rule == AdvanceRule::loaded_own;
}

// Bytes between what source 0 of a load holds and where it loads from; of other operations 0.
std::uint64_t offset_of(const MicroOp& op) {
  return is_load(op) ? static_cast<std::uint64_t>(static_cast<std::int32_t>(op.immediate)) : 0;
}

} // namespace

LaneOrigins::LaneOrigins(const Lanes<Origin>& by_lane)
    : has_one_(std::all_of(by_lane.begin(), by_lane.end(), [&](Origin o) { return o == by_lane[0]; })),
      of_all_(by_lane[0]), by_lane_(by_lane) {}

void LaneOrigins::replace(LaneMask lanes, const LaneOrigins& by) {
  if (lanes == all_lanes) {
    *this = by;
    return;
  }
  Lanes<Origin> blended;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    blended[i] = has(lanes, i) ? by[i] : (*this)[i];
  *this = LaneOrigins(blended);
}

std::uint64_t common_scale(LaneMask lanes, const LaneOrigins& origins) {
  std::uint32_t scale = scale_mask;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if (has(lanes, i))
      scale = std::min(scale, scale_of(origins[i]));
  return std::uint64_t{1} << scale;
}

Origins::Origins(const Program& program)
    : program_(program), followed_(program), factors_(program.ops.size()) {
  const auto make = [this](Pool pool, std::uint32_t slots) {
    for (std::uint32_t s = 0; s < slots; ++s)
      pools_[static_cast<std::size_t>(pool)].emplace_back(joined(static_cast<Origin>(pool), s));
  };
  make(Pool::predicate, program.slots.predicates);
  make(Pool::word, program.slots.words);
  make(Pool::longword, program.slots.longs);
}

void Origins::forget_registers() {
  const auto clear = [this](Pool pool, std::uint32_t registers) {
    for (std::uint32_t r = 1; r <= registers; ++r)
      pools_[static_cast<std::size_t>(pool)][r] = LaneOrigins();
  };
  clear(Pool::predicate, program_.registers.predicates);
  clear(Pool::word, program_.registers.words);
  clear(Pool::longword, program_.registers.longs);
}

void Origins::join(SlotId slot, LaneMask lanes, LaneMask known, LaneFile& file, const Held& other) {
  if (slot.pool == Pool::predicate || !followed_.contains(slot))
    return forget(slot, lanes);
  const Values values = read(file, slot);
  Lanes<Origin> origins{};
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    const Origin here = has(known, i) ? known_origin : of(slot)[i];
    const Origin there = has(other.known, i) ? known_origin : other.origins[i];
    if (here != none && there != none)
      origins[i] = joined(joined(here, there), (values[i] - other.values[i]) & mask_of(slot.pool));
  }
  replace(slot, lanes, LaneOrigins(origins));
}

LaneMask Origins::unknown_sources(const MicroOp& op, LaneMask lanes, LaneFile& file) {
  if (has_unknown_result(op.rule))
    return lanes;
  LaneMask unknown = 0;
  for (std::uint32_t s = 0; s < op.source_count; ++s)
    unknown |= lanes & ~file.known(op.sources[s]);
  return unknown;
}

// Nothing is computed of lanes that are all unknown whatever it is.
void Origins::apply(const MicroOp& op, LaneFile& file, std::uint32_t result) {
  if (op.needs_all && unknown_sources(op, all_lanes, file) == all_lanes)
    file.broadcast({op.destination.pool, result}, 0, 0);
  else
    op.apply(file, op, result);
}

Origins::Sources Origins::sources_of(const MicroOp& op, LaneMask lanes, LaneFile& file) const {
  Sources sources{};
  for (std::uint32_t s = 0; s < op.source_count; ++s) {
    const SlotId slot = op.sources[s];
    sources[s] = {lanes & ~file.known(slot), read(file, slot), of(slot)};
  }
  return sources;
}

void Origins::execute_alone(const MicroOp& op, LaneMask lanes, LaneFile& file, std::uint32_t result) {
  apply(op, file, result);
  const SlotId to{op.destination.pool, result};
  clear(file, to, lanes & ~file.known(to));
}

void Origins::execute(const MicroOp& op, LaneMask lanes, LaneMask written, LaneFile& file,
                      std::uint32_t result) {
  if (unknown_sources(op, lanes, file) == 0)
    return op.apply(file, op, result);
  if (!followed_.contains(op.destination))
    return execute_alone(op, lanes, file, result);
  if (const auto sum = plain_sum(op, lanes, file, result)) {
    apply(op, file, result);
    return replace(op.destination, written, LaneOrigins(*sum));
  }
  const SlotId to{op.destination.pool, result};
  if (const auto hash = plain_hash(op, lanes, file)) {
    apply(op, file, result);
    if (to.pool != Pool::predicate)
      file.broadcast(to, 0, file.known(to));
    return replace(op.destination, written, LaneOrigins(*hash));
  }
  const Sources sources = sources_of(op, lanes, file);
  const LaneMask sums = linear_lanes(op, sources);
  LaneOrigins origins;
  if (sums != 0)
    origins = LaneOrigins(linear(op, sources, file, result));
  if ((lanes & ~sums) != 0)
    origins.replace(~sums, LaneOrigins(hashed(op, sources, lanes & ~sums)));
  apply(op, file, result);
  replace(op.destination, written, origins);
  clear(file, to, lanes & ~sums & ~file.known(to));
}

// Lanes in which a result is a sum of multiples of the operands that are not known and of known things.
LaneMask Origins::linear_lanes(const MicroOp& op, const Sources& sources) {
  if (op.destination.pool == Pool::predicate)
    return 0;
  for (std::uint32_t s = 0; s < op.source_count; ++s)
    if (op.sources[s].pool == Pool::predicate && sources[s].unknown != 0)
      return 0;
  switch (op.rule) {
  case AdvanceRule::linear:
  case AdvanceRule::widen:
    return all_lanes;
  case AdvanceRule::product:
  case AdvanceRule::widening_product:
    return ~(sources[0].unknown & sources[1].unknown);
  case AdvanceRule::shift:
    return ~sources[1].unknown;
  default:
    return 0;
  }
}

// Whether each operand is known, or unknown with one origin, in all lanes.
bool Origins::sources_have_one(const MicroOp& op, LaneMask lanes, LaneFile& file) const {
  for (std::uint32_t s = 0; s < op.source_count; ++s)
    if (const LaneMask unknown = lanes & ~file.known(op.sources[s]);
        unknown != 0 && (unknown != lanes || !of(op.sources[s]).has_one()))
      return false;
  return true;
}

// Of an operation that only adds, with operands that are known or of one origin in all lanes.
std::optional<Origin> Origins::plain_sum(const MicroOp& op, LaneMask lanes, LaneFile& file,
                                         std::uint32_t result) {
  if ((op.rule != AdvanceRule::linear && op.rule != AdvanceRule::widen) || uses_predicates(op) ||
      !sources_have_one(op, lanes, file))
    return std::nullopt;
  auto& known = factors_[static_cast<std::size_t>(&op - program_.ops.data())];
  if (!known) {
    known.emplace();
    for (std::uint32_t s = 0; s < op.source_count; ++s)
      (*known)[s] = is_repeated(op, s) ? 0 : factors(op, op.sources[s], file, result)[0];
  }
  Sum sum;
  for (std::uint32_t s = 0; s < op.source_count; ++s)
    if ((*known)[s] != 0 && (lanes & ~file.known(op.sources[s])) != 0)
      sum.add(of(op.sources[s]).of_all(), (*known)[s]);
  return sum.origin();
}

// By how much the result moves when what a slot holds is moved by one.
Origins::Values Origins::factors(const MicroOp& op, SlotId moved, LaneFile& file, std::uint32_t result) {
  const SlotId to{op.destination.pool, result};
  // What is computed here is no result yet; the result's slot may be a source.
  const Values kept = read(file, to);
  const LaneMask kept_known = file.known(to);
  const Values at_rest = read(file, moved);
  const auto result_with = [&](const Values& values) {
    write(file, moved, values);
    op.apply(file, op, result);
    const Values results = read(file, to);
    write(file, to, kept);
    file.known(to) = kept_known;
    write(file, moved, at_rest);
    return results;
  };
  Values by_one = at_rest;
  for (std::uint64_t& value : by_one)
    ++value;
  const Values before = result_with(at_rest);
  Values factors = result_with(by_one);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    factors[i] = (factors[i] - before[i]) & mask_of(to.pool);
  return factors;
}

Lanes<Origin> Origins::linear(const MicroOp& op, const Sources& sources, LaneFile& file,
                              std::uint32_t result) {
  std::array<Sum, lanes_per_warp> sums;
  for (std::uint32_t s = 0; s < op.source_count; ++s) {
    if (sources[s].unknown == 0 || is_repeated(op, s))
      continue;
    const Values by = factors(op, op.sources[s], file, result);
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      if (has(sources[s].unknown, i) && by[i] != 0)
        sums[i].add(sources[s].origins[i], by[i]);
  }
  Lanes<Origin> origins{};
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    origins[i] = sums[i].origin();
  return origins;
}

Origin Origins::begin_hash(const MicroOp& op) const {
  if (op.rule == AdvanceRule::opaque || op.rule == AdvanceRule::exchange)
    return none;
  const auto number = static_cast<std::uint64_t>(&op - program_.ops.data());
  const Origin origin =
      joined(op.rule == AdvanceRule::loaded_own ? moment_ : 0, is_load(op) ? 0 : number + 1);
  return op.source_count == 0 ? joined(origin, offset_of(op)) : origin;
}

// Of all that an operation gets, if that is the same in all lanes and the result no sum.
std::optional<Origin> Origins::plain_hash(const MicroOp& op, LaneMask lanes, LaneFile& file) const {
  const bool is_sum = op.rule < AdvanceRule::compare && op.destination.pool != Pool::predicate;
  if (is_sum || !sources_have_one(op, lanes, file))
    return std::nullopt;
  Origin origin = begin_hash(op);
  for (std::uint32_t s = 0; s < op.source_count && origin != none; ++s) {
    const auto value = one_value(file, op.sources[s], lanes);
    if (!value)
      return std::nullopt;
    const bool is_known = (lanes & ~file.known(op.sources[s])) == 0;
    origin =
        with_operand(origin, is_known ? known_origin : of(op.sources[s]).of_all(), *value + offset_of(op));
  }
  return origin;
}

Lanes<Origin> Origins::hashed(const MicroOp& op, const Sources& sources, LaneMask lanes) const {
  Lanes<Origin> origins{};
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    if (!has(lanes, i))
      continue;
    origins[i] = begin_hash(op);
    for (std::uint32_t s = 0; s < op.source_count; ++s)
      origins[i] = with_operand(origins[i], has(sources[s].unknown, i) ? sources[s].origins[i] : known_origin,
                                sources[s].values[i] + offset_of(op));
  }
  return origins;
}

} // namespace kerncast::slice
