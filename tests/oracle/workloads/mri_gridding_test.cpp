// Claim: the launches of parboil/mri-gridding sort samples by bin, leave out those that find no room, and add
// up at every grid point the samples within the cutoff, weighted by a Kaiser-Bessel window.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <numeric>

#include "workload.h"

namespace kerncast::functional_test::mri_gridding_test {
namespace {

constexpr std::size_t samples = 1300; // the second CTA of the sort is not full
constexpr std::uint32_t side = 16, bins = side * side * side, fields = 6;
constexpr double cutoff = 2.5;
constexpr float beta = 23.4F;

class MriGridding : public testing::Test {
protected:
  const Code& code(const char* kernel) { // variables belong to a module, so all live until the end
    return codes_.emplace_back(workload_with({{"grid", grid()}}, "parboil/mri-gridding", kernel));
  }
  // What the suite's host launches for one level of sums.
  void scan(const Argument& data, std::size_t size) {
    const auto ctas = static_cast<std::uint32_t>((size + 1023) / 1024);
    constexpr std::uint32_t tree = 128, shared = 4 * (tree + tree / 32);
    const Argument sums = device_.buffer(Words(tree));
    device_.run(code("scan_L1_kernel"), {ctas}, {512}, {count(size), data, sums});
    run_shared(device_, code("scan_inter1_kernel"), {1}, {tree / 2}, {sums, count(1)}, shared);
    auto up = device_.read<std::uint32_t>(sums);
    up.back() = 0;
    const Argument down = device_.buffer(up);
    run_shared(device_, code("scan_inter2_kernel"), {1}, {tree / 2}, {down, count(1)}, shared);
    device_.run(code("uniformAdd"), {ctas}, {512}, {count(size), data, down});
  }
  // By bin, and equal ones in their order.
  void sort(Argument& keys, Argument& values) {
    constexpr std::uint32_t ctas = (samples + 1023) / 1024;
    Argument new_keys = device_.buffer(Words(samples)), new_values = device_.buffer(Words(samples));
    for (int pass = 0; pass < 4; ++pass) {
      const Argument histogram = device_.buffer(Words(std::size_t{16} * ctas));
      device_.run(code("splitSort"), {ctas}, {256}, {count(samples), integer(pass), keys, values, histogram});
      scan(histogram, std::size_t{16} * ctas);
      device_.run(code("splitRearrange"), {ctas}, {256},
                  {count(samples), integer(pass), keys, new_keys, values, new_values, histogram});
      std::swap(keys, new_keys);
      std::swap(values, new_values);
    }
  }
  void bin(const std::vector<float>& input, std::uint32_t room) {
    input_ = device_.buffer(input);
    keys_ = device_.unknown_buffer<std::uint32_t>(samples);
    numbers_ = device_.unknown_buffer<std::uint32_t>(samples);
    begins_ = device_.buffer(Words(bins + 1));
    device_.run(code("binning_kernel"), {3}, {512},
                {count(samples), input_, keys_, numbers_, begins_, count(room), count(bins)});
  }

  Device device_;
  Argument input_, keys_, numbers_, begins_;

private:
  static Words grid() {
    Words words{side, side, side, side * side};
    for (const double value : {cutoff, cutoff * cutoff, 1 / (cutoff * cutoff)})
      words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    return words;
  }

  std::deque<Code> codes_;
};

// x, y and z within the grid, signal and compensation from -1 to 1 and from 0 to 1; some are of no signal.
std::vector<float> some_samples() {
  auto list = random_floats(samples * fields, 7);
  for (std::size_t s = 0; s < samples; ++s) {
    float* sample = &list[s * fields];
    for (std::size_t axis = 0; axis < 3; ++axis)
      sample[axis] *= side;
    for (std::size_t part = 3; part < 5; ++part)
      sample[part] = s % 50 == 0 ? 0 : 2 * sample[part] - 1;
  }
  return list;
}

std::uint32_t bin_of(const float* sample) {
  return (static_cast<std::uint32_t>(sample[2]) * side + static_cast<std::uint32_t>(sample[1])) * side +
         static_cast<std::uint32_t>(sample[0]);
}

using Sums = std::array<double, 3>; // real, imaginary, samples

// std::cyl_bessel_i takes the same values from its series.
Sums at_point(const std::vector<float>& list, const std::array<double, 3>& point) {
  Sums sums{};
  for (std::size_t s = 0; s < samples; ++s) {
    const float* sample = &list[s * fields];
    double distance2 = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      distance2 += (sample[axis] - point[axis]) * (sample[axis] - point[axis]);
    if (distance2 >= cutoff * cutoff || (sample[3] == 0 && sample[4] == 0))
      continue;
    const double weight =
        std::cyl_bessel_i(0.0, double{beta} * std::sqrt(1 - distance2 / (cutoff * cutoff))) * sample[5];
    sums[0] += weight * sample[3];
    sums[1] += weight * sample[4];
    sums[2] += 1;
  }
  return sums;
}

TEST_F(MriGridding, SortsSamplesByBin) {
  const auto list = some_samples();
  bin(list, 32);
  sort(keys_, numbers_);
  Words order(samples);
  std::iota(order.begin(), order.end(), 0U);
  const auto bin = [&](std::uint32_t s) { return bin_of(&list[s * fields]); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return bin(a) < bin(b); });
  EXPECT_EQ(device_.read<std::uint32_t>(numbers_), order);
}

// All samples in one bin.
TEST_F(MriGridding, FillsABinUpToItsRoom) {
  bin(std::vector<float>(samples * fields, 3.5F), 32);
  const auto keys = device_.read<std::uint32_t>(keys_);
  const auto counts = device_.read<std::uint32_t>(begins_);
  EXPECT_EQ(std::count(keys.begin(), keys.end(), bins), samples - 32);
  EXPECT_EQ(std::count(keys.begin(), keys.end(), (3 * side + 3) * side + 3), 32);
  EXPECT_EQ(counts[(3 * side + 3) * side + 3], 32U);
}

TEST_F(MriGridding, AddsSamplesWithinTheCutoff) {
  const auto list = some_samples();
  bin(list, 32);
  sort(keys_, numbers_);
  const Argument signals = device_.unknown_buffer<float>(2 * samples),
                 places = device_.unknown_buffer<float>(4 * samples);
  device_.run(code("reorder_kernel"), {3}, {512}, {count(samples), numbers_, input_, signals, places});
  scan(begins_, bins + 1);
  const Argument values = device_.unknown_buffer<float>(std::size_t{2} * bins),
                 densities = device_.unknown_buffer<float>(bins);
  device_.run(code("gridding_GPU"), {side / 8, side * side / 32}, {8, 4, 2},
              {signals, places, begins_, values, densities, real(beta)});

  std::vector<double> expected_values, expected_densities;
  for (std::uint32_t p = 0; p < bins; ++p) {
    const double x = p % side, y = p / side % side, z = p / (side * side);
    const Sums sums = at_point(list, {x, y, z});
    expected_values.insert(expected_values.end(), {sums[0], sums[1]});
    expected_densities.push_back(sums[2]);
  }
  // Sums of both signs cancel, so the tolerance is a share of the window's peak, I0(23.4) = 1.2e9, where the
  // kernel's approximation is 8e-5 too large.
  const auto got = device_.read<float>(values);
  for (std::size_t k = 0; k < got.size(); ++k)
    EXPECT_NEAR(got[k], expected_values[k], 2e-4 * 1.2e9) << "element " << k;
  expect_near(device_.read<float>(densities), expected_densities, 0);
}

} // namespace
} // namespace kerncast::functional_test::mri_gridding_test
