// Each lane sees the lanes that execute with it and that its member mask names.
//
// A source lane that is unknown makes unknown what depends on it. A shuffle from a lane that does not execute
// gives what the register holds there (undefined by the manual).
#include "exchange.h"

#include <bit>

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Words = Lanes<std::uint32_t>;

LaneMask bit(std::uint32_t lane) { return LaneMask{1} << lane; }

LaneMask if_any(bool condition, LaneMask lanes) { return condition ? lanes : 0; }

// MicroOp::immediate of a vote: the predicate is !p.
constexpr std::uint32_t negated_vote = 1;

enum class Vote : std::uint8_t { all, any, uniform, ballot };

// Lanes of the group whose predicate holds, and lanes for which that is known.
struct Ballot {
  LaneMask true_lanes = 0, known = 0;
};
Ballot ballot_of(LaneFile& file, const MicroOp& op) {
  const LaneMask flip = op.immediate == negated_vote ? all_lanes : 0;
  return {file.predicate(op.sources[0].index) ^ flip, file.predicate_known(op.sources[0].index)};
}

bool holds(Vote vote, LaneMask yes, LaneMask group) {
  if (vote == Vote::all)
    return (yes & group) == group;
  if (vote == Vote::any)
    return (yes & group) != 0;
  return (yes & group) == group || (yes & group) == 0;
}

template <Vote vote> void vote_predicate(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Ballot ballot = ballot_of(file, op);
  LaneMask result = 0, known = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    const LaneMask group = members_of(file, op, i);
    result |= if_any(holds(vote, ballot.true_lanes, group), bit(i));
    known |= if_any((group & ~ballot.known) == 0, bit(i));
  }
  file.predicate(destination) = result;
  file.predicate_known(destination) = known;
}

void vote_ballot(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Ballot ballot = ballot_of(file, op);
  Words result;
  LaneMask known = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    const LaneMask group = members_of(file, op, i);
    result[i] = ballot.true_lanes & group;
    known |= if_any((group & ~ballot.known) == 0, bit(i));
  }
  file.lanes<std::uint32_t>(destination) = result;
  file.lanes_known<std::uint32_t>(destination) = known;
}

void active_mask(LaneFile& file, const MicroOp&, std::uint32_t destination) {
  file.lanes<std::uint32_t>(destination).fill(file.executing());
  file.lanes_known<std::uint32_t>(destination) = all_lanes;
}

// match.any: the lanes of the group that hold the lane's own value.
template <class Word> LaneMask equal_lanes(const Lanes<Word>& values, Word value, LaneMask group) {
  LaneMask equal = 0;
  for (std::uint32_t j = 0; j < lanes_per_warp; ++j)
    equal |= if_any(values[j] == value, bit(j));
  return equal & group;
}

template <class Word, bool all> void match(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Lanes<Word>& values = file.lanes<Word>(op.sources[0].index);
  const LaneMask known_values = file.lanes_known<Word>(op.sources[0].index);
  Words result;
  LaneMask known = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    const LaneMask group = members_of(file, op, i);
    const LaneMask equal = equal_lanes(values, values[i], group);
    result[i] = !all ? equal : equal == group ? group : 0;
    known |= if_any((group & ~known_values) == 0, bit(i));
  }
  file.lanes<std::uint32_t>(destination) = result;
  file.lanes_known<std::uint32_t>(destination) = known;
}

template <class Word> void match_all_holds(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Lanes<Word>& values = file.lanes<Word>(op.sources[0].index);
  const LaneMask known_values = file.lanes_known<Word>(op.sources[0].index);
  LaneMask result = 0, known = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    const LaneMask group = members_of(file, op, i);
    result |= if_any(equal_lanes(values, values[i], group) == group, bit(i));
    known |= if_any((group & ~known_values) == 0, bit(i));
  }
  file.predicate(destination) = result;
  file.predicate_known(destination) = known;
}

enum class Shuffle : std::uint8_t { up, down, bfly, idx };

struct ShuffleSource {
  std::uint32_t lane = 0;
  bool in_range = false;
};

// The pseudocode of the manual: c holds the clamp value in bits 0-4 and the segment mask in bits 8-12.
template <Shuffle mode> ShuffleSource shuffle_source(std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t by = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const std::uint32_t highest = (lane & segment) | (clamp & ~segment);
  const std::uint32_t lowest = lane & segment;
  std::uint32_t from = 0;
  bool in_range = false;
  switch (mode) {
  case Shuffle::up:
    from = lane - by;
    in_range = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(highest);
    break;
  case Shuffle::down:
    from = lane + by;
    in_range = from <= highest;
    break;
  case Shuffle::bfly:
    from = lane ^ by;
    in_range = from <= highest;
    break;
  case Shuffle::idx:
    from = lowest | (by & ~segment & 31);
    in_range = from <= highest;
    break;
  }
  return {in_range ? from & 31 : lane, in_range};
}

template <Shuffle mode> void shuffle(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Words& values = file.lanes<std::uint32_t>(op.sources[0].index);
  const Words& b = file.lanes<std::uint32_t>(op.sources[1].index);
  const Words& c = file.lanes<std::uint32_t>(op.sources[2].index);
  const LaneMask known_values = file.lanes_known<std::uint32_t>(op.sources[0].index) & file.executing();
  const LaneMask known_lanes = file.lanes_known<std::uint32_t>(op.sources[1].index) &
                               file.lanes_known<std::uint32_t>(op.sources[2].index);
  Words result;
  LaneMask known = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    const std::uint32_t from = shuffle_source<mode>(i, b[i], c[i]).lane;
    result[i] = values[from];
    known |= if_any((known_values >> from & known_lanes >> i & 1) != 0, bit(i));
  }
  file.lanes<std::uint32_t>(destination) = result;
  file.lanes_known<std::uint32_t>(destination) = known;
}

template <Shuffle mode> void shuffle_in_range(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Words& b = file.lanes<std::uint32_t>(op.sources[1].index);
  const Words& c = file.lanes<std::uint32_t>(op.sources[2].index);
  LaneMask result = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    result |= if_any(shuffle_source<mode>(i, b[i], c[i]).in_range, bit(i));
  file.predicate(destination) = result;
  file.predicate_known(destination) = file.lanes_known<std::uint32_t>(op.sources[1].index) &
                                      file.lanes_known<std::uint32_t>(op.sources[2].index);
}

template <class T> struct Sum {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
};
template <class T> struct Least {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct Most {
  T operator()(T a, T b) const { return a < b ? b : a; }
};

template <class T, class Join> void reduce(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const Words values = file.lanes<std::uint32_t>(op.sources[0].index);
  const LaneMask known_values = file.lanes_known<std::uint32_t>(op.sources[0].index);
  Words result{};
  LaneMask known = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    LaneMask group = members_of(file, op, i);
    known |= if_any((group & ~known_values) == 0, bit(i));
    if (group == 0)
      continue;
    T joined = static_cast<T>(values[static_cast<std::uint32_t>(std::countr_zero(group))]);
    for (group &= group - 1; group != 0; group &= group - 1)
      joined = static_cast<T>(
          Join{}(joined, static_cast<T>(values[static_cast<std::uint32_t>(std::countr_zero(group))])));
    result[i] = static_cast<std::uint32_t>(joined);
  }
  file.lanes<std::uint32_t>(destination) = result;
  file.lanes_known<std::uint32_t>(destination) = known;
}

// The leader is the lowest lane of the group.
void elect_leader(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  Words result;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    result[i] = static_cast<std::uint32_t>(std::countr_zero(members_of(file, op, i)));
  file.lanes<std::uint32_t>(destination) = result;
  file.lanes_known<std::uint32_t>(destination) = all_lanes;
}
void elect_is_leader(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  LaneMask result = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    result |= if_any(static_cast<std::uint32_t>(std::countr_zero(members_of(file, op, i))) == i, bit(i));
  file.predicate(destination) = result;
  file.predicate_known(destination) = all_lanes;
}

std::optional<Exchange> select_vote(const InstructionForm& form) {
  if (form.has(Modifier::ballot))
    return Exchange{vote_ballot, nullptr, Type::b32, {Type::pred, Type::b32}, 2};
  const LaneFunction f = form.has(Modifier::all)   ? vote_predicate<Vote::all>
                         : form.has(Modifier::any) ? vote_predicate<Vote::any>
                                                   : vote_predicate<Vote::uniform>;
  return Exchange{f, nullptr, Type::pred, {Type::pred, Type::b32}, 2};
}

template <class Word> Exchange match_of(bool all, Type type) {
  if (all)
    return {match<Word, true>, match_all_holds<Word>, Type::b32, {type, Type::b32}, 2};
  return {match<Word, false>, nullptr, Type::b32, {type, Type::b32}, 2};
}

template <Shuffle mode> Exchange shuffle_of() {
  return {shuffle<mode>, shuffle_in_range<mode>, Type::b32, {Type::b32, Type::b32, Type::b32, Type::b32}, 4};
}

std::optional<Exchange> select_shuffle(const InstructionForm& form) {
  if (form.has(Modifier::up))
    return shuffle_of<Shuffle::up>();
  if (form.has(Modifier::down))
    return shuffle_of<Shuffle::down>();
  return form.has(Modifier::bfly) ? shuffle_of<Shuffle::bfly>() : shuffle_of<Shuffle::idx>();
}

template <class T> LaneFunction reduction(const InstructionForm& form) {
  if (form.has(Modifier::add))
    return reduce<T, Sum<T>>;
  if (form.has(Modifier::min))
    return reduce<T, Least<T>>;
  if (form.has(Modifier::max))
    return reduce<T, Most<T>>;
  if (form.has(Modifier::and_))
    return reduce<T, std::bit_and<T>>;
  return form.has(Modifier::or_) ? reduce<T, std::bit_or<T>> : reduce<T, std::bit_xor<T>>;
}

Exchange select_reduction(const InstructionForm& form) {
  if (ptx::is_float(form.type()))
    return select_float_reduction(form);
  const LaneFunction f =
      form.type() == Type::s32 ? reduction<std::int32_t>(form) : reduction<std::uint32_t>(form);
  return Exchange{f, nullptr, Type::b32, {Type::b32, Type::b32}, 2};
}

} // namespace

LaneMask members_of(LaneFile& file, const MicroOp& op, std::uint32_t lane) {
  const SlotId members = op.sources[op.source_count - 1U];
  return file.executing() & file.lanes<std::uint32_t>(members.index)[lane];
}

std::optional<Exchange> select_exchange(const InstructionForm& form) {
  switch (form.opcode) {
  case Opcode::vote:
    return select_vote(form);
  case Opcode::activemask:
    return Exchange{active_mask, nullptr, Type::b32, {}, 0};
  case Opcode::match:
    return form.type() == Type::b64 ? match_of<std::uint64_t>(form.has(Modifier::all), Type::b64)
                                    : match_of<std::uint32_t>(form.has(Modifier::all), Type::b32);
  case Opcode::shfl:
    return select_shuffle(form);
  case Opcode::redux:
    return select_reduction(form);
  case Opcode::elect:
    return Exchange{elect_leader, elect_is_leader, Type::b32, {Type::b32}, 1};
  default:
    return std::nullopt;
  }
}

} // namespace kerncast::warp
