// Bit counting and bit fields: popc, clz, bfind, brev, fns-free; bfe, bfi, bmsk, szext, prmt (PTX ISA,
// section 9.7.1, integer arithmetic, and 9.7.9, prmt).
#include <bit>

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

} // namespace

std::optional<Selection> select_bit_field(const InstructionForm& form) {
  if (form.type_count != 1)
    return std::nullopt;
  Selection s;
  if (form.opcode == Opcode::prmt) {
    // Default mode only: the special modes (.f4e, .b4e, .rc8, ...) add a second modifier.
    if (form.modifiers.size() != 1)
      return std::nullopt;
    s.apply = ternary<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, Permute>;
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
