// Compare-and-swap loops on the host, of 16, 32 and 64 bits.
#include "atomics.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "warp/matrix_op.h"

namespace kerncast::functional {
namespace {

using ptx::Type;
using warp::Atomic;

template <class T> using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T> T from_bits(Bits<T> bits) { return std::bit_cast<T>(bits); }
template <class T> Bits<T> to_bits(T value) { return std::bit_cast<Bits<T>>(value); }

template <class T> struct Wrap { using type = std::make_unsigned_t<T>; };
template <> struct Wrap<float> { using type = float; };
template <> struct Wrap<double> { using type = double; };

// Up to b and then to 0; down from b.
template <class T> T counted_up(T old, T b) { return old >= b ? T{0} : static_cast<T>(old + 1); }
template <class T> T counted_down(T old, T b) { return old == T{0} || old > b ? b : static_cast<T>(old - 1); }

// The manual's definitions.
template <class T, Atomic function> T combined(T old, T b, T c) {
  using U = typename Wrap<T>::type;
  if constexpr (function == Atomic::add)
    return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
  else if constexpr (function == Atomic::min)
    return std::min(old, b);
  else if constexpr (function == Atomic::max)
    return std::max(old, b);
  else if constexpr (function == Atomic::inc)
    return counted_up(old, b);
  else if constexpr (function == Atomic::dec)
    return counted_down(old, b);
  else if constexpr (function == Atomic::and_)
    return static_cast<T>(old & b);
  else if constexpr (function == Atomic::or_)
    return static_cast<T>(old | b);
  else if constexpr (function == Atomic::xor_)
    return static_cast<T>(old ^ b);
  else if constexpr (function == Atomic::exch)
    return b;
  else
    return old == b ? c : old;
}

template <class T, Atomic function>
std::uint64_t apply(std::uint8_t* at, std::uint64_t b_bits, std::uint64_t c_bits) {
  using Word = Bits<T>;
  const std::atomic_ref<Word> value(*reinterpret_cast<Word*>(at));
  const T b = from_bits<T>(static_cast<Word>(b_bits)), c = from_bits<T>(static_cast<Word>(c_bits));
  Word old = value.load();
  while (!value.compare_exchange_weak(old, to_bits<T>(combined<T, function>(from_bits<T>(old), b, c)))) {
  }
  return old;
}

template <class T> AtomicFunction arithmetic(Atomic function) {
  switch (function) {
  case Atomic::add:
    return apply<T, Atomic::add>;
  case Atomic::min:
    return apply<T, Atomic::min>;
  case Atomic::max:
    return apply<T, Atomic::max>;
  default:
    return nullptr;
  }
}

template <class T> AtomicFunction of_bits(Atomic function) {
  switch (function) {
  case Atomic::inc:
    return apply<T, Atomic::inc>;
  case Atomic::dec:
    return apply<T, Atomic::dec>;
  case Atomic::and_:
    return apply<T, Atomic::and_>;
  case Atomic::or_:
    return apply<T, Atomic::or_>;
  case Atomic::xor_:
    return apply<T, Atomic::xor_>;
  case Atomic::exch:
    return apply<T, Atomic::exch>;
  case Atomic::cas:
    return apply<T, Atomic::cas>;
  default:
    return arithmetic<T>(function);
  }
}

// One or two halves; a sum of two is exact in double, or its rounding there does not change the next one.
template <warp::Element element, Atomic function>
std::uint32_t half_combined(std::uint32_t old, std::uint32_t b) {
  const double x = warp::decode_element(old & 0xffff, element), y = warp::decode_element(b & 0xffff, element);
  double result = 0;
  if (function == Atomic::add)
    result = x + y;
  else if (std::isnan(x) || std::isnan(y))
    result = std::isnan(x) ? y : x;
  else
    result = (function == Atomic::min) == (y < x) ? y : x;
  return static_cast<std::uint32_t>(warp::encode_element(result, element));
}

template <class Word, warp::Element element, Atomic function>
std::uint64_t apply_to_halves(std::uint8_t* at, std::uint64_t b_bits, std::uint64_t) {
  const std::atomic_ref<Word> value(*reinterpret_cast<Word*>(at));
  const auto b = static_cast<std::uint32_t>(b_bits);
  Word old = value.load();
  std::uint32_t next = 0;
  do {
    next = half_combined<element, function>(old, b);
    if constexpr (sizeof(Word) == 4)
      next |= half_combined<element, function>(old >> 16, b >> 16) << 16;
  } while (!value.compare_exchange_weak(old, static_cast<Word>(next)));
  return old;
}

template <class Word, warp::Element element> AtomicFunction on_halves(Atomic function) {
  switch (function) {
  case Atomic::add:
    return apply_to_halves<Word, element, Atomic::add>;
  case Atomic::min:
    return apply_to_halves<Word, element, Atomic::min>;
  case Atomic::max:
    return apply_to_halves<Word, element, Atomic::max>;
  default:
    return nullptr;
  }
}

std::uint64_t swap_16_bits(std::uint8_t* at, std::uint64_t compared, std::uint64_t next) {
  auto old = static_cast<std::uint16_t>(compared);
  std::atomic_ref<std::uint16_t>(*reinterpret_cast<std::uint16_t*>(at))
      .compare_exchange_strong(old, static_cast<std::uint16_t>(next));
  return old;
}

} // namespace

AtomicFunction atomic_function(Atomic function, Type type) {
  switch (type) {
  case Type::b16:
    return function == Atomic::cas ? swap_16_bits : nullptr;
  case Type::f16:
    return on_halves<std::uint16_t, warp::Element::f16>(function);
  case Type::bf16:
    return on_halves<std::uint16_t, warp::Element::bf16>(function);
  case Type::f16x2:
    return on_halves<std::uint32_t, warp::Element::f16>(function);
  case Type::bf16x2:
    return on_halves<std::uint32_t, warp::Element::bf16>(function);
  case Type::f32:
    return function == Atomic::exch ? apply<std::uint32_t, Atomic::exch> : arithmetic<float>(function);
  case Type::f64:
    return function == Atomic::exch ? apply<std::uint64_t, Atomic::exch> : arithmetic<double>(function);
  case Type::s32:
    return arithmetic<std::int32_t>(function) != nullptr ? arithmetic<std::int32_t>(function)
                                                         : of_bits<std::uint32_t>(function);
  case Type::s64:
    return arithmetic<std::int64_t>(function) != nullptr ? arithmetic<std::int64_t>(function)
                                                         : of_bits<std::uint64_t>(function);
  case Type::u64:
  case Type::b64:
    return of_bits<std::uint64_t>(function);
  default:
    return of_bits<std::uint32_t>(function);
  }
}

bool order_matters(const warp::MemoryOp& op) {
  if (op.kind != warp::MemoryOp::Kind::atomic || op.space == ptx::Space::shared)
    return false;
  const bool returns =
      std::any_of(op.data.begin(), op.data.end(), [](warp::SlotId d) { return d.pool != warp::Pool::none; });
  const bool commutes = op.function == Atomic::and_ || op.function == Atomic::or_ ||
                        op.function == Atomic::xor_ || op.function == Atomic::min ||
                        op.function == Atomic::max || (op.function == Atomic::add && !ptx::is_float(op.type));
  return returns || !commutes;
}

} // namespace kerncast::functional
