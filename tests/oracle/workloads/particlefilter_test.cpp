// Claim: rodinia/particlefilter moves, weighs and resamples its particles as plain C++ with the same
// generator.
#include <algorithm>
#include <numbers>

#include "workload.h"

namespace kerncast::functional_test::particlefilter_test {
namespace {

constexpr std::size_t particles = 600, cells = 7, side = 16, frames = 3, frame = 1;
constexpr std::size_t image_cells = side * side * frames;

double uniform(std::int32_t& seed) {
  seed = static_cast<std::int32_t>(1103515245U * static_cast<std::uint32_t>(seed) + 12345U);
  return std::fabs(seed / 2147483647.0);
}

double normal(std::int32_t& seed) {
  const double u = uniform(seed), v = uniform(seed);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

struct Particles {
  std::vector<double> x, y, weight, cumulative, position;
};

// From (8, 8), all of them.
Particles plain(const std::vector<std::int32_t>& object, const std::vector<std::uint8_t>& image,
                std::vector<std::int32_t> seed) {
  Particles all;
  for (std::size_t p = 0; p < particles; ++p) {
    all.x.push_back(8 + 1 + 5 * normal(seed[p]));
    all.y.push_back(8 - 2 + 2 * normal(seed[p]));
    const int x = static_cast<int>(std::rint(all.x[p])), y = static_cast<int>(std::rint(all.y[p]));
    double sum = 0;
    for (std::size_t o = 0; o < cells; ++o) {
      const auto at = static_cast<std::size_t>(
          std::abs((x + object[2 * o + 1]) * static_cast<int>(side * frames) +
                   (y + object[2 * o]) * static_cast<int>(frames) + static_cast<int>(frame)));
      const int grey = image[at < image_cells ? at : 0];
      sum += ((grey - 100) * (grey - 100) - (grey - 228) * (grey - 228)) / 50.0;
    }
    all.weight.push_back(std::exp(sum / cells) / particles);
  }
  double total = 0, reached = 0;
  for (const double w : all.weight)
    total += w;
  const double first = uniform(seed[0]) / particles;
  for (std::size_t p = 0; p < particles; ++p) {
    all.cumulative.push_back(reached += all.weight[p] / total);
    all.position.push_back(first + static_cast<double>(p) / particles);
  }
  return all;
}

void expect_equal(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k)
    EXPECT_NEAR(got[k], expected[k], 1e-11 * std::fmax(1, std::fabs(expected[k]))) << "element " << k;
}

TEST(ParticleFilter, OneFrame) {
  const auto object = generated<std::int32_t>(
      2 * cells, [](std::uint32_t k) { return static_cast<std::int32_t>(scrambled(k) % 5) - 2; });
  const auto image =
      generated<std::uint8_t>(image_cells, [](std::uint32_t k) { return 150 + scrambled(k) % 30; });
  const auto seed = generated<std::int32_t>(particles, [](std::uint32_t k) { return scrambled(k) >> 1; });
  Device device;
  const auto vector = [&] { return device.buffer(std::vector<double>(particles)); };
  const Argument x = vector(), y = vector(), likelihood = vector(), weights = vector(), cumulative = vector(),
                 positions = vector(), new_x = device.buffer(std::vector<double>(particles, 8)),
                 new_y = device.buffer(std::vector<double>(particles, 8)), sums = vector(),
                 seeds = device.buffer(seed);
  const auto launch = [&](const char* kernel, const std::vector<Argument>& arguments) {
    device.run(workload("rodinia/particlefilter", kernel), {2}, {512}, arguments);
  };
  launch("likelihood_kernel",
         {x, y, new_x, new_y, cumulative, device.unknown_buffer<std::int32_t>(particles * cells),
          device.buffer(object), likelihood, device.buffer(image), positions, weights, count(particles),
          count(cells), count(image_cells), count(frame), count(side), count(frames), seeds, sums});
  launch("sum_kernel", {sums, count(particles)});
  launch("normalize_weights_kernel", {weights, count(particles), sums, cumulative, positions, seeds});
  launch("find_index_kernel", {x, y, cumulative, positions, new_x, new_y, weights, count(particles)});

  const Particles expected = plain(object, image, seed);
  expect_equal(device.read<double>(x), expected.x);
  expect_equal(device.read<double>(y), expected.y);
  expect_equal(device.read<double>(weights), expected.weight);
  expect_equal(device.read<double>(cumulative), expected.cumulative);
  std::vector<double> resampled;
  for (const double position : expected.position) {
    const auto found = std::lower_bound(expected.cumulative.begin(), expected.cumulative.end(), position);
    resampled.push_back(expected.x[std::min<std::size_t>(
        static_cast<std::size_t>(found - expected.cumulative.begin()), particles - 1)]);
  }
  expect_equal(device.read<double>(new_x), resampled);
}

} // namespace
} // namespace kerncast::functional_test::particlefilter_test
