// Claim: parboil/mri-q adds the samples' contributions to Q from where they begin to where they end.
#include "workload.h"

namespace kerncast::functional_test::mri_q_test {
namespace {

TEST(MriQ, SquaredMagnitudes) {
  const auto a = random_floats(300, 1), b = random_floats(300, 2);
  Device device;
  const Argument magnitude = device.unknown_buffer<float>(300);
  device.run(workload("parboil/mri-q", "ComputePhiMag_GPU"), {1}, {512},
             {device.buffer(a), device.buffer(b), magnitude, count(300)});
  std::vector<double> expected;
  for (std::size_t k = 0; k < 300; ++k)
    expected.push_back(double{a[k]} * a[k] + double{b[k]} * b[k]);
  expect_near(device.read<float>(magnitude), expected, 1e-6);
}

// The second launch of 1,024 + 37 samples: 37.
TEST(MriQ, AddsAPortionOfTheSamples) {
  constexpr std::size_t voxels = 256, samples = 37, first = 1024;
  const auto k_space = random_floats(4 * samples, 1); // kx, ky, kz, magnitude of each
  const auto x = random_floats(voxels, 2), y = random_floats(voxels, 3), z = random_floats(voxels, 4),
             before = random_floats(voxels, 5);
  Device device;
  const Argument q_real = device.buffer(before), q_imaginary = device.buffer(before);
  device.run(workload_with({{"ck", k_space}}, "parboil/mri-q", "ComputeQ_GPU"), {1}, {256},
             {count(first + samples), count(first), device.buffer(x), device.buffer(y), device.buffer(z),
              q_real, q_imaginary});
  std::vector<double> real_part = doubles(before), imaginary_part = doubles(before);
  for (std::size_t v = 0; v < voxels; ++v)
    for (std::size_t k = 0; k < samples; ++k) {
      const float* s = &k_space[4 * k];
      const double angle =
          6.283185307179586 * (double{s[0]} * x[v] + double{s[1]} * y[v] + double{s[2]} * z[v]);
      real_part[v] += s[3] * std::cos(angle);
      imaginary_part[v] += s[3] * std::sin(angle);
    }
  // Angles below 19 are rounded to 2^-20 or so.
  expect_near(device.read<float>(q_real), real_part, 3e-5);
  expect_near(device.read<float>(q_imaginary), imaginary_part, 3e-5);
}

} // namespace
} // namespace kerncast::functional_test::mri_q_test
