// mul, mad, mul24, mad24 in .lo, .hi and .wide (PTX ISA, section 9.7.1, integer arithmetic).
//
// Carries (mad.cc, madc) are in carries.cpp, saturation in dot_products.cpp.
#include "lane_loops.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

// GCC's 128-bit integers, for the upper half of 64-bit products.
__extension__ using Signed128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;

template <class T> struct WiderOf;
template <> struct WiderOf<std::int16_t> { using type = std::int32_t; };
template <> struct WiderOf<std::uint16_t> { using type = std::uint32_t; };
template <> struct WiderOf<std::int32_t> { using type = std::int64_t; };
template <> struct WiderOf<std::uint32_t> { using type = std::uint64_t; };
template <> struct WiderOf<std::int64_t> { using type = Signed128; };
template <> struct WiderOf<std::uint64_t> { using type = Unsigned128; };
template <class T> using Wider = typename WiderOf<T>::type;

template <class T> struct Low {
  T operator()(T a, T b) const { return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b)); }
};
template <class T> struct High {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wider<T>>(Wider<T>(a) * Wider<T>(b)) >> (8 * sizeof(T)));
  }
};
template <class T> struct Wide {
  Wider<T> operator()(T a, T b) const { return static_cast<Wider<T>>(Wider<T>(a) * Wider<T>(b)); }
};
// Products of the 24 low bits: .lo the low 32 bits of the 48, .hi the high 32.
template <class T, bool high> struct Product24 {
  static std::int64_t low24(T a) {
    const auto shifted = static_cast<std::uint32_t>(a) << 8;
    return std::is_signed_v<T> ? static_cast<std::int32_t>(shifted) >> 8
                               : static_cast<std::int64_t>(shifted >> 8);
  }
  T operator()(T a, T b) const { return static_cast<T>((low24(a) * low24(b)) >> (high ? 16 : 0)); }
};
// a * b + c with the sum wrapping in c's type.
template <class T, class Product> struct PlusC {
  template <class A, class C> C operator()(A a, A b, C c) const {
    return static_cast<C>(Wrapping<C>(Product{}(a, b)) + Wrapping<C>(c));
  }
};

enum class ProductPart : std::uint8_t { lo, hi, wide };

struct Shape {
  bool add_c = false;
  bool only_24_bits = false;
  ProductPart part = ProductPart::lo;
};

template <class T, class R, class Product> LaneFunction with_optional_c(bool add_c) {
  return add_c ? ternary<R, T, T, R, PlusC<T, Product>> : binary<R, T, T, Product>;
}

template <class T> LaneFunction function_for(const Shape& shape) {
  if (shape.only_24_bits) {
    if constexpr (sizeof(T) == 4)
      return shape.part == ProductPart::hi ? with_optional_c<T, T, Product24<T, true>>(shape.add_c)
                                           : with_optional_c<T, T, Product24<T, false>>(shape.add_c);
    return nullptr;
  }
  switch (shape.part) {
  case ProductPart::lo:
    return with_optional_c<T, T, Low<T>>(shape.add_c);
  case ProductPart::hi:
    return with_optional_c<T, T, High<T>>(shape.add_c);
  case ProductPart::wide:
    if constexpr (sizeof(T) <= 4)
      return with_optional_c<T, Wider<T>, Wide<T>>(shape.add_c);
    return nullptr;
  }
  return nullptr;
}

Type wider(Type type) {
  switch (type) {
  case Type::s16:
    return Type::s32;
  case Type::u16:
    return Type::u32;
  case Type::s32:
    return Type::s64;
  default:
    return Type::u64;
  }
}

AdvanceRule rule_for(const Shape& shape, Type type) {
  if (shape.only_24_bits || shape.part == ProductPart::hi || ptx::size_bytes(type) < 4)
    return AdvanceRule::constant;
  return shape.part == ProductPart::wide ? AdvanceRule::widening_product : AdvanceRule::product;
}

// clmad: bits of a choose shifted copies of b, which are added without carries, as c is.
template <bool is_high> struct CarrylessProduct {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
    std::uint64_t result = c;
    for (std::uint32_t bit = 0; bit < 64; ++bit)
      if ((a >> bit & 1) != 0)
        result ^= !is_high ? b << bit : bit == 0 ? 0 : b >> (64 - bit);
    return result;
  }
};

Selection select_carryless(const InstructionForm& form) {
  using U64 = std::uint64_t;
  Selection s;
  s.apply = form.has(Modifier::hi) ? ternary<U64, U64, U64, U64, CarrylessProduct<true>>
                                   : ternary<U64, U64, U64, U64, CarrylessProduct<false>>;
  s.result = Type::u64;
  s.sources.fill(Type::u64);
  s.source_count = 3;
  return s;
}

std::optional<Shape> shape_of(const InstructionForm& form) {
  Shape shape;
  shape.add_c = form.opcode == Opcode::mad || form.opcode == Opcode::mad24;
  shape.only_24_bits = form.opcode == Opcode::mul24 || form.opcode == Opcode::mad24;
  if (!shape.add_c && form.opcode != Opcode::mul && form.opcode != Opcode::mul24)
    return std::nullopt;
  if (form.has(Modifier::sat) || form.has(Modifier::cc))
    return std::nullopt;
  shape.part = form.has(Modifier::wide) ? ProductPart::wide
               : form.has(Modifier::hi) ? ProductPart::hi
                                        : ProductPart::lo;
  return shape;
}

} // namespace

std::optional<Selection> select_multiplication(const InstructionForm& form) {
  if (form.opcode == Opcode::clmad)
    return select_carryless(form);
  const auto shape = shape_of(form);
  if (!shape || form.type_count != 1)
    return std::nullopt;
  Selection s;
  with_integer_type(form.type(), [&](auto zero) { s.apply = function_for<decltype(zero)>(*shape); });
  if (s.apply == nullptr)
    return std::nullopt;
  s.rule = rule_for(*shape, form.type());
  s.result = shape->part == ProductPart::wide ? wider(form.type()) : form.type();
  s.sources = {form.type(), form.type(), s.result, Type::none};
  s.source_count = shape->add_c ? 3 : 2;
  return s;
}

} // namespace kerncast::warp
