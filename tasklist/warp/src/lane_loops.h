// Loops over the 32 lanes, shared by the operation families. Written so that the compiler vectorises them;
// a destination may be one of the sources, lane by lane.
#pragma once

#include <algorithm>
#include <limits>

#include "warp/micro_op.h"

// A destination that is a source is so lane by lane: no reason not to vectorise.
#ifdef __clang__
#define KERNCAST_LANES_ARE_INDEPENDENT
#else
#define KERNCAST_LANES_ARE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace kerncast::warp {

using U32 = std::uint32_t; // a lane of a register, the most frequent argument of these loops

// F is a stateless functor R(A).
template <class R, class A, class F>
void unary(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& a = file.lanes<BitsOf<A>>(op.sources[0].index);
  auto& d = file.lanes<BitsOf<R>>(destination);
  KERNCAST_LANES_ARE_INDEPENDENT
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = to_bits<R>(F{}(from_bits<A>(a[i])));
  file.lanes_known<BitsOf<R>>(destination) = file.lanes_known<BitsOf<A>>(op.sources[0].index);
}

// F is R(A, B).
template <class R, class A, class B, class F>
void binary(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& a = file.lanes<BitsOf<A>>(op.sources[0].index);
  const auto& b = file.lanes<BitsOf<B>>(op.sources[1].index);
  auto& d = file.lanes<BitsOf<R>>(destination);
  KERNCAST_LANES_ARE_INDEPENDENT
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = to_bits<R>(F{}(from_bits<A>(a[i]), from_bits<B>(b[i])));
  file.lanes_known<BitsOf<R>>(destination) =
      file.lanes_known<BitsOf<A>>(op.sources[0].index) & file.lanes_known<BitsOf<B>>(op.sources[1].index);
}

// F is R(A, B, C).
template <class R, class A, class B, class C, class F>
void ternary(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const auto& a = file.lanes<BitsOf<A>>(op.sources[0].index);
  const auto& b = file.lanes<BitsOf<B>>(op.sources[1].index);
  const auto& c = file.lanes<BitsOf<C>>(op.sources[2].index);
  auto& d = file.lanes<BitsOf<R>>(destination);
  KERNCAST_LANES_ARE_INDEPENDENT
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    d[i] = to_bits<R>(F{}(from_bits<A>(a[i]), from_bits<B>(b[i]), from_bits<C>(c[i])));
  file.lanes_known<BitsOf<R>>(destination) = file.lanes_known<BitsOf<A>>(op.sources[0].index) &
                                             file.lanes_known<BitsOf<B>>(op.sources[1].index) &
                                             file.lanes_known<BitsOf<C>>(op.sources[2].index);
}

// The type of the same width without sign; arithmetic in it wraps. 16 bits widen to 32 first, because C++
// would promote them to a signed int.
template <class T> using Wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

// .sat: to the range of T.
template <class T> T saturated(std::int64_t exact) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(std::clamp<std::int64_t>(exact, Limits::min(), Limits::max()));
}

// Calls f with a value of the C++ type that stands for an integer PTX type; false for other types.
// Untyped (.bN) values are taken as unsigned.
template <class F> bool with_integer_type(ptx::Type type, F&& f) {
  using ptx::Type;
  switch (type) {
  case Type::s16:
    f(std::int16_t{});
    return true;
  case Type::u16:
  case Type::b16:
    f(std::uint16_t{});
    return true;
  case Type::s32:
    f(std::int32_t{});
    return true;
  case Type::u32:
  case Type::b32:
    f(std::uint32_t{});
    return true;
  case Type::s64:
    f(std::int64_t{});
    return true;
  case Type::u64:
  case Type::b64:
    f(std::uint64_t{});
    return true;
  default:
    return false;
  }
}

} // namespace kerncast::warp
