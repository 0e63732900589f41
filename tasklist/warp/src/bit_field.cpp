// Bit counting and bit fields: popc, clz, bfind, fns, brev; bfe, bfi, bmsk, szext, prmt (PTX ISA,
// section 9.7.1, integer arithmetic, and 9.7.9, prmt).

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <utility>

#include "lane_loops.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

template <class T> struct PopulationCount {
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
  }
};
template <class T> struct CountLeadingZeros {
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)));
  }
};
// Position of the highest bit that differs from the sign; all ones if there is none. With .shiftamt the
// left shift that would bring it to the top.
template <class T, bool shift_amount> struct FindHighBit {
  std::uint32_t operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (bits == 0)
      return ~std::uint32_t{0};
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
    return shift_amount ? zeros : static_cast<std::uint32_t>(8 * sizeof(T) - 1) - zeros;
  }
};
template <class T> struct Reverse {
  T operator()(T a) const {
    T result = 0;
    for (std::uint32_t bit = 0; bit < 8 * sizeof(T); ++bit)
      result = static_cast<T>(result << 1 | (a >> bit & 1));
    return result;
  }
};
// Field of `length` bits from `position`, both in their low 8 bits; past the top it repeats the sign.
template <class T> struct Extract {
  T operator()(T a, std::uint32_t position, std::uint32_t length) const {
    using U = std::make_unsigned_t<T>;
    constexpr std::uint32_t width = 8 * sizeof(T);
    position &= 255;
    length &= 255;
    if (length == 0)
      return 0;
    const U bits = static_cast<U>(a);
    const std::uint32_t top = position + length - 1 < width - 1 ? position + length - 1 : width - 1;
    const bool negative = std::is_signed_v<T> && (bits >> top & 1) != 0;
    const U field = position < width ? static_cast<U>(bits >> position) : U{0};
    const std::uint32_t kept = position >= width ? 0 : length < width - position ? length : width - position;
    const U mask = kept >= width ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << kept) - 1);
    return static_cast<T>(negative ? (field | ~mask) : (field & mask));
  }
};
// Position of the |offset|-th one of the mask from `base` on, upwards or downwards by the offset's sign; of
// offset 0 that at `base` itself. All ones if there is none.
struct FindNthSet {
  std::uint32_t operator()(std::uint32_t mask, std::uint32_t base, std::int32_t offset) const {
    const std::int64_t step = offset < 0 ? -1 : 1;
    std::int64_t left = offset == 0 ? 1 : std::abs(std::int64_t{offset});
    for (std::int64_t at = base; at >= 0 && at < 32 && left > 0; at = offset == 0 ? -1 : at + step)
      if ((mask >> at & 1) != 0 && --left == 0)
        return static_cast<std::uint32_t>(at);
    return ~std::uint32_t{0};
  }
};
// The low bits of a over b, from `position` (source 2) for `length` (source 3) bits.
template <class T> void insert(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  constexpr std::uint32_t width = 8 * sizeof(T);
  const auto& a = file.lanes<T>(op.sources[0].index);
  const auto& b = file.lanes<T>(op.sources[1].index);
  const auto& positions = file.lanes<std::uint32_t>(op.sources[2].index);
  const auto& lengths = file.lanes<std::uint32_t>(op.sources[3].index);
  auto& d = file.lanes<T>(destination);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    const std::uint32_t position = positions[i] & 255, length = lengths[i] & 255;
    T mask = length >= width ? ~T{0} : static_cast<T>((T{1} << length) - 1);
    mask = position >= width ? T{0} : static_cast<T>(mask << position);
    const T moved = position >= width ? T{0} : static_cast<T>(a[i] << position);
    d[i] = (b[i] & ~mask) | (moved & mask);
  }
  file.lanes_known<T>(destination) = file.lanes_known<T>(op.sources[0].index) &
                                     file.lanes_known<T>(op.sources[1].index) &
                                     file.lanes_known<std::uint32_t>(op.sources[2].index) &
                                     file.lanes_known<std::uint32_t>(op.sources[3].index);
}
// Each nibble of c picks a byte of {b, a}; its top bit repeats that byte's sign.
struct Permute {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    std::uint32_t result = 0;
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t selector = c >> (4 * k) & 15;
      auto byte = static_cast<std::uint32_t>(both >> (8 * (selector & 7)) & 255);
      if ((selector & 8) != 0)
        byte = (byte & 128) != 0 ? 255 : 0;
      result |= byte << (8 * k);
    }
    return result;
  }
};

// The low two bits of c pick a row, whose nibbles select as those of c do without a mode.
struct PermuteMode {
  Modifier name;
  std::array<std::uint16_t, 4> selectors;
};
constexpr PermuteMode permute_modes[] = {
    {Modifier::f4e, {0x3210, 0x4321, 0x5432, 0x6543}}, {Modifier::b4e, {0x5670, 0x6701, 0x7012, 0x0123}},
    {Modifier::rc8, {0x0000, 0x1111, 0x2222, 0x3333}}, {Modifier::ecl, {0x3210, 0x3211, 0x3222, 0x3333}},
    {Modifier::ecr, {0x0000, 0x1110, 0x2210, 0x3210}}, {Modifier::rc16, {0x1010, 0x3232, 0x1010, 0x3232}}};
template <std::size_t mode> struct PermuteByMode {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return Permute{}(a, b, permute_modes[mode].selectors[c & 3]);
  }
};
// Ones from bit a on, b of them.
template <bool clamps> struct BitMask {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t from = clamps ? std::min(a, 32U) : a & 31, count = clamps ? std::min(b, 32U) : b & 31;
    return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << from);
  }
};
// The low b bits of a, of which the highest is the sign.
template <class T, bool clamps> struct ExtendFrom {
  T operator()(T a, std::uint32_t b) const {
    const std::uint32_t bits = clamps ? std::min(b, 32U) : b & 31;
    return bits == 0
               ? T{0}
               : static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a) << (32 - bits)) >> (32 - bits));
  }
};

template <class T> LaneFunction counting_function(const InstructionForm& form) {
  switch (form.opcode) {
  case Opcode::popc:
    return unary<std::uint32_t, T, PopulationCount<T>>;
  case Opcode::clz:
    return unary<std::uint32_t, T, CountLeadingZeros<T>>;
  case Opcode::bfind:
    return form.has(Modifier::shiftamt) ? unary<std::uint32_t, T, FindHighBit<T, true>>
                                        : unary<std::uint32_t, T, FindHighBit<T, false>>;
  default:
    return nullptr;
  }
}

template <class T> LaneFunction field_function(Opcode opcode) {
  using U = std::make_unsigned_t<T>;
  switch (opcode) {
  case Opcode::brev:
    return unary<U, U, Reverse<U>>;
  case Opcode::bfe:
    return ternary<T, T, std::uint32_t, std::uint32_t, Extract<T>>;
  case Opcode::bfi:
    return insert<BitsOf<U>>;
  default:
    return nullptr;
  }
}

std::optional<Selection> select_field(const InstructionForm& form, Selection s) {
  with_integer_type(form.type(), [&](auto zero) { s.apply = field_function<decltype(zero)>(form.opcode); });
  if (s.apply == nullptr)
    return std::nullopt;
  s.result = form.type();
  const bool insertion = form.opcode == Opcode::bfi;
  s.sources = {form.type(), insertion ? form.type() : Type::u32, Type::u32, Type::u32};
  s.source_count = insertion ? 4 : form.opcode == Opcode::bfe ? 3 : 1;
  return s;
}

template <class F>
constexpr LaneFunction of_three_words =
    ternary<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, F>;

template <std::size_t... modes>
LaneFunction permutation(const InstructionForm& form, std::index_sequence<modes...>) {
  constexpr LaneFunction by_mode[] = {of_three_words<PermuteByMode<modes>>...};
  for (std::size_t mode = 0; mode < sizeof...(modes); ++mode)
    if (form.has(permute_modes[mode].name))
      return by_mode[mode];
  return of_three_words<Permute>;
}

// bmsk.b32, szext.u32, szext.s32
LaneFunction masking_function(const InstructionForm& form) {
  using S32 = std::int32_t;
  const bool clamps = form.has(Modifier::clamp);
  if (form.opcode == Opcode::bmsk)
    return clamps ? binary<U32, U32, U32, BitMask<true>> : binary<U32, U32, U32, BitMask<false>>;
  if (form.type() == Type::s32)
    return clamps ? binary<S32, S32, U32, ExtendFrom<S32, true>>
                  : binary<S32, S32, U32, ExtendFrom<S32, false>>;
  return clamps ? binary<U32, U32, U32, ExtendFrom<U32, true>>
                : binary<U32, U32, U32, ExtendFrom<U32, false>>;
}

} // namespace

std::optional<Selection> select_bit_field(const InstructionForm& form) {
  if (form.type_count != 1)
    return std::nullopt;
  Selection s;
  if (form.opcode == Opcode::bmsk || form.opcode == Opcode::szext) {
    s.apply = masking_function(form);
    s.result = form.type();
    s.sources = {form.type(), Type::u32, Type::none, Type::none};
    s.source_count = 2;
    return s;
  }
  if (form.opcode == Opcode::fns) {
    s.apply = ternary<std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t, FindNthSet>;
    s.result = Type::b32;
    s.sources = {Type::b32, Type::b32, Type::s32, Type::none};
    s.source_count = 3;
    return s;
  }
  if (form.opcode == Opcode::prmt) {
    s.apply = permutation(form, std::make_index_sequence<std::size(permute_modes)>());
    s.result = Type::b32;
    s.sources = {Type::b32, Type::b32, Type::b32, Type::none};
    s.source_count = 3;
    return s;
  }
  if (ptx::size_bytes(form.type()) < 4)
    return std::nullopt;
  with_integer_type(form.type(), [&](auto zero) { s.apply = counting_function<decltype(zero)>(form); });
  if (s.apply == nullptr)
    return select_field(form, s);
  s.result = Type::u32;
  s.sources = {form.type(), Type::none, Type::none, Type::none};
  s.source_count = 1;
  return s;
}

} // namespace kerncast::warp
