// Claim: parboil/tpacf counts pairs by the bin of their cosine: within each catalogue once, and between the
// observed points (catalogue 0) and each random one.
#include <array>

#include "workload.h"

namespace kerncast::functional_test::tpacf_test {
namespace {

constexpr std::size_t sets = 2, points = 70, bins = 20;

// Limits of the bins, falling from 0.95 to -0.95; what lies beyond is not counted.
std::vector<float> limits() {
  return generated<float>(bins + 1, [](std::uint32_t k) { return 0.95 - 0.095 * k; });
}

int bin_of(double cosine, const std::vector<float>& limit) {
  for (std::size_t b = 0; b < bins; ++b)
    if (cosine < limit[b] && cosine >= limit[b + 1])
      return static_cast<int>(b);
  return -1;
}

using Axes = std::array<const std::vector<float>*, 3>;

double cosine_of(const Axes& axes, std::size_t one, std::size_t other) {
  double cosine = 0;
  for (const auto* axis : axes)
    cosine += double{(*axis)[one]} * (*axis)[other];
  return cosine;
}

// What CTA `cta` counts: a catalogue's pairs with itself, or those of catalogue 0 with another.
void add_pairs(const Axes& axes, std::size_t cta, const std::vector<float>& limit, std::uint64_t* counts) {
  const bool with_itself = cta <= sets;
  const std::size_t a = (with_itself ? cta : 0) * points, b = (with_itself ? cta : cta - sets) * points;
  for (std::size_t i = 0; i < points; ++i)
    for (std::size_t j = 0; j < (with_itself ? i : points); ++j) {
      const int bin = bin_of(cosine_of(axes, a + i, b + j), limit);
      if (bin >= 0)
        ++counts[bin];
    }
}

TEST(AngularCorrelation, CountsPairs) {
  const auto axis = [](std::uint32_t seed) {
    auto values = random_floats(points * (sets + 1), seed);
    for (float& v : values)
      v = 1.9F * v - 0.95F;
    return values;
  };
  const auto x = axis(1), y = axis(2), z = axis(3), limit = limits();
  Device device;
  const Argument counts = device.unknown_buffer<std::uint64_t>((2 * sets + 1) * bins);
  device.run(workload_with({{"dev_binb", limit}}, "parboil/tpacf", "gen_hists"), {2 * sets + 1}, {256},
             {counts, device.buffer(x), device.buffer(y), device.buffer(z), count(sets), count(points)});

  std::vector<std::uint64_t> expected((2 * sets + 1) * bins);
  for (std::size_t cta = 0; cta < 2 * sets + 1; ++cta)
    add_pairs({&x, &y, &z}, cta, limit, &expected[cta * bins]);
  EXPECT_EQ(device.read<std::uint64_t>(counts), expected);
}

} // namespace
} // namespace kerncast::functional_test::tpacf_test
