// Claim: rodinia/backprop adds up inputs times weights per CTA of 16 inputs, and moves weights with momentum.
#include "workload.h"

namespace kerncast::functional_test::backprop_test {
namespace {

constexpr std::size_t inputs = 64, hidden = 16, side = 16;
constexpr std::size_t weight_count = (inputs + 1) * (hidden + 1);

std::size_t weight(std::size_t input, std::size_t unit) { return input * (hidden + 1) + unit; }

TEST(Backprop, LayerForward) {
  const auto input = random_floats(inputs + 1, 1), weights = random_floats(weight_count, 2);
  Device device;
  const Argument sums = device.unknown_buffer<float>(inputs / side * hidden);
  device.run(workload("rodinia/backprop", "bpnn_layerforward_CUDA"), {1, inputs / side}, {side, side},
             {device.buffer(input), device.unknown_buffer<float>(hidden + 1), device.buffer(weights), sums,
              count(inputs), count(hidden)});
  std::vector<double> expected(inputs / side * hidden);
  for (std::size_t i = 1; i <= inputs; ++i)
    for (std::size_t unit = 1; unit <= hidden; ++unit)
      expected[(i - 1) / side * hidden + unit - 1] += double{input[i]} * weights[weight(i, unit)];
  expect_near(device.read<float>(sums), expected, 1e-6);
}

TEST(Backprop, AdjustWeights) {
  const auto layer = random_floats(inputs + 1, 1), weights = random_floats(weight_count, 2),
             delta = random_floats(hidden + 1, 3), last = random_floats(weight_count, 4);
  Device device;
  const Argument w = device.buffer(weights), changes = device.buffer(last);
  device.run(workload("rodinia/backprop", "bpnn_adjust_weights_cuda"), {1, inputs / side}, {side, side},
             {device.buffer(delta), count(hidden), device.buffer(layer), count(inputs), w, changes});
  std::vector<double> expected = doubles(weights), expected_changes = doubles(last);
  for (std::size_t i = 0; i <= inputs; ++i)
    for (std::size_t unit = 1; unit <= hidden; ++unit) {
      const double input = i == 0 ? 1 : double{layer[i]};
      const double change = 0.3 * delta[unit] * input + 0.3 * last[weight(i, unit)];
      expected[weight(i, unit)] += change;
      expected_changes[weight(i, unit)] = change;
    }
  expect_near(device.read<float>(w), expected, 1e-6);
  expect_near(device.read<float>(changes), expected_changes, 1e-6);
}

} // namespace
} // namespace kerncast::functional_test::backprop_test
