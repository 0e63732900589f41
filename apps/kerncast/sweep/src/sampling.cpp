#include "sweep/sampling.h"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>

#include "support/mix_bits.h"

namespace kerncast::sweep {
namespace {

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return mix_bits(state_ += 0x9e3779b97f4a7c15ULL); }
  // Below `bound`, by the high half of a product: biased by less than bound / 2^32.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(((next() >> 32) * bound) >> 32); }

private:
  std::uint64_t state_;
};

constexpr int sobol_bits = 32;
using Directions = std::array<std::uint32_t, sobol_bits>;

// A primitive polynomial over GF(2) and the first direction numbers (Joe and Kuo, file new-joe-kuo-6):
// x^degree + ... + 1, whose inner coefficients are the bits of `coefficients`.
struct Polynomial {
  int degree;
  std::uint32_t coefficients;
  std::array<std::uint32_t, 7> first;
};
constexpr Polynomial polynomials[] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};
static_assert(std::size(polynomials) + 1 == most_sobol_axes);

Directions directions_of(std::size_t axis) {
  Directions v{};
  if (axis == 0) { // van der Corput's sequence
    for (int i = 0; i < sobol_bits; ++i)
      v[static_cast<std::size_t>(i)] = 1U << (sobol_bits - 1 - i);
    return v;
  }
  const Polynomial& p = polynomials[axis - 1];
  const auto degree = static_cast<std::size_t>(p.degree);
  for (std::size_t i = 0; i < sobol_bits; ++i) {
    if (i < degree) {
      v[i] = p.first[i] << (sobol_bits - 1 - static_cast<int>(i));
      continue;
    }
    v[i] = v[i - degree] ^ (v[i - degree] >> degree);
    for (std::size_t k = 1; k < degree; ++k)
      if ((p.coefficients >> (degree - 1 - k)) & 1U)
        v[i] ^= v[i - k];
  }
  return v;
}

} // namespace

std::vector<Coordinates> latin_hypercube(std::size_t axes, std::size_t points, std::uint64_t seed) {
  std::vector<Coordinates> all(points, Coordinates(axes));
  Random random(seed);
  std::vector<std::size_t> cells(points);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::iota(cells.begin(), cells.end(), std::size_t{0});
    for (std::size_t i = points; i > 1; --i)
      std::swap(cells[i - 1], cells[random.below(i)]);
    for (std::size_t i = 0; i < points; ++i)
      all[i][axis] = (static_cast<double>(cells[i]) + 0.5) / static_cast<double>(points);
  }
  return all;
}

std::vector<Coordinates> sobol(std::size_t axes, std::size_t points, std::uint64_t seed) {
  assert(axes <= most_sobol_axes && "the sweep file's reader refuses more axes");
  std::vector<Coordinates> all(points, Coordinates(axes));
  Random random(seed);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const Directions v = directions_of(axis);
    const auto shift = static_cast<std::uint32_t>(seed == 0 ? 0 : random.next() >> 32);
    std::uint32_t x = 0;
    for (std::size_t i = 0; i < points; ++i) {
      all[i][axis] = static_cast<double>(x ^ shift) / 4294967296.0;
      x ^= v[static_cast<std::size_t>(std::countr_zero(i + 1))]; // Gray code order (Antonov and Saleev 1979)
    }
  }
  return all;
}

double between_geometrically(double from, double to, double t) {
  if (t >= 1)
    return to;
  // t = sum of bits 2^-k, and x^(2^-k) is k square roots.
  constexpr int bits = 50;
  double root = to / from;
  double value = from;
  for (int k = 0; k < bits && t > 0; ++k) {
    root = std::sqrt(root);
    t *= 2;
    if (t >= 1) {
      value *= root;
      t -= 1;
    }
  }
  return value;
}

} // namespace kerncast::sweep
