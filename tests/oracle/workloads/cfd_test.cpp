// Claim: rodinia/cfd computes step factors, fluxes over inner faces, wings and the far field, and time steps.
#include <array>

#include "workload.h"

namespace kerncast::functional_test::cfd_test {
namespace {

constexpr std::size_t elements = 128, variables = 5, faces = 4;
using State = std::array<double, variables>; // density, momentum, energy
using Vector = std::array<double, 3>;
using Fluxes = std::array<Vector, variables>; // of each variable

const std::vector<float> far_state = {1.5F, 0.25F, 0.5F, 0.125F, 2.5F};
const std::vector<float> far_fluxes = {1, 2, 3, 4,  5,  6,
                                       7, 8, 9, 10, 11, 12}; // of momentum x, y, z and energy

Code cfd(const std::string& kernel) {
  const auto row = [](std::size_t r) {
    return std::vector<float>(far_fluxes.begin() + static_cast<std::ptrdiff_t>(3 * r),
                              far_fluxes.begin() + static_cast<std::ptrdiff_t>(3 * r + 3));
  };
  return workload_with({{"ff_variable", far_state},
                        {"ff_flux_contribution_momentum_x", row(0)},
                        {"ff_flux_contribution_momentum_y", row(1)},
                        {"ff_flux_contribution_momentum_z", row(2)},
                        {"ff_flux_contribution_density_energy", row(3)}},
                       "rodinia/cfd", kernel);
}

// Positive pressure everywhere: density 1 to 2, energy 3 to 4, momentum below 1.
std::vector<float> random_states() {
  auto values = random_floats(elements * variables, 1);
  for (std::size_t e = 0; e < elements; ++e) {
    values[e] += 1;
    values[e + 4 * elements] += 3;
  }
  return values;
}

State state_of(const std::vector<float>& values, std::size_t element) {
  State s{};
  for (std::size_t v = 0; v < variables; ++v)
    s[v] = values[element + v * elements];
  return s;
}

struct Gas {
  Vector velocity;
  double speed, pressure, sound;
};

Gas gas_of(const State& s) {
  Gas gas{{s[1] / s[0], s[2] / s[0], s[3] / s[0]}, 0, 0, 0};
  gas.speed = std::hypot(gas.velocity[0], gas.velocity[1], gas.velocity[2]);
  gas.pressure = 0.4 * (s[4] - 0.5 * s[0] * gas.speed * gas.speed);
  gas.sound = std::sqrt(1.4 * gas.pressure / s[0]);
  return gas;
}

Fluxes fluxes_of(const State& s) {
  const Gas gas = gas_of(s);
  Fluxes f{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    f[0][axis] = s[1 + axis];
    for (std::size_t m = 0; m < 3; ++m)
      f[1 + m][axis] = gas.velocity[axis] * s[1 + m] + (axis == m ? gas.pressure : 0);
    f[4][axis] = gas.velocity[axis] * (s[4] + gas.pressure);
  }
  return f;
}

Fluxes far_field() {
  Fluxes f{{{far_state[1], far_state[2], far_state[3]}}};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t axis = 0; axis < 3; ++axis)
      f[1 + r][axis] = far_fluxes[3 * r + axis];
  return f;
}

void add_face(const std::vector<float>& values, const State& own, std::int32_t neighbour,
              const Vector& normal, State& sum) {
  const Gas gas = gas_of(own);
  if (neighbour == -1) { // wing
    for (std::size_t axis = 0; axis < 3; ++axis)
      sum[1 + axis] += normal[axis] * gas.pressure;
    return;
  }
  const bool is_inner = neighbour >= 0;
  const State other = is_inner ? state_of(values, static_cast<std::size_t>(neighbour)) : State{};
  const Fluxes here = fluxes_of(own), there = is_inner ? fluxes_of(other) : far_field();
  for (std::size_t v = 0; v < variables; ++v)
    for (std::size_t axis = 0; axis < 3; ++axis)
      sum[v] += 0.5 * normal[axis] * (here[v][axis] + there[v][axis]);
  if (!is_inner)
    return;
  const Gas other_gas = gas_of(other);
  const double damping = 0.1 * std::hypot(normal[0], normal[1], normal[2]) *
                         (gas.speed + other_gas.speed + gas.sound + other_gas.sound);
  for (std::size_t v = 0; v < variables; ++v)
    sum[v] += damping * (other[v] - own[v]);
}

TEST(EulerEquations, Fluxes) {
  const auto values = random_states(), normals = random_floats(elements * faces * 3, 2);
  const auto neighbours = generated<std::int32_t>(elements * faces, [](std::uint32_t k) {
    return static_cast<std::int32_t>(scrambled(k) % (elements + 40)) - 40;
  });
  std::vector<std::int32_t> three_kinds = neighbours; // below -2 there are none
  for (std::int32_t& n : three_kinds)
    n = n < -20 ? -1 : n < 0 ? -2 : n;
  Device device;
  const Argument fluxes = device.unknown_buffer<float>(values.size());
  device.run(
      cfd("cuda_compute_flux"), {2}, {64},
      {count(elements), device.buffer(three_kinds), device.buffer(normals), device.buffer(values), fluxes});

  std::vector<double> expected(values.size());
  for (std::size_t e = 0; e < elements; ++e) {
    State sum{};
    for (std::size_t f = 0; f < faces; ++f) {
      Vector normal{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        normal[axis] = normals[e + (f + axis * faces) * elements];
      add_face(values, state_of(values, e), three_kinds[e + f * elements], normal, sum);
    }
    for (std::size_t v = 0; v < variables; ++v)
      expected[e + v * elements] = sum[v];
  }
  expect_near(device.read<float>(fluxes), expected, 1e-5);
}

TEST(EulerEquations, StepFactorsAndTimeStep) {
  const auto values = random_states(), areas = random_floats(elements, 3),
             fluxes = random_floats(elements * variables, 4);
  Device device;
  const Argument factors = device.unknown_buffer<float>(elements),
                 stepped = device.unknown_buffer<float>(values.size()), old = device.buffer(values);
  device.run(cfd("cuda_compute_step_factor"), {2}, {64},
             {count(elements), old, device.buffer(areas), factors});
  device.run(cfd("cuda_time_step"), {2}, {64},
             {integer(1), count(elements), old, stepped, factors, device.buffer(fluxes)});
  std::vector<double> expected_factors, expected = doubles(values);
  for (std::size_t e = 0; e < elements; ++e) {
    const Gas gas = gas_of(state_of(values, e));
    expected_factors.push_back(0.5 / (std::sqrt(double{areas[e]}) * (gas.speed + gas.sound)));
    for (std::size_t v = 0; v < variables; ++v)
      expected[e + v * elements] += expected_factors[e] / 3 * fluxes[e + v * elements];
  }
  expect_near(device.read<float>(factors), expected_factors, 1e-5);
  expect_near(device.read<float>(stepped), expected, 1e-5);
}

TEST(EulerEquations, BeginsWithTheFarFieldEverywhere) {
  Device device;
  const Argument values = device.unknown_buffer<float>(elements * variables);
  device.run(cfd("cuda_initialize_variables"), {2}, {64}, {count(elements), values});
  std::vector<float> expected;
  for (std::size_t v = 0; v < variables; ++v)
    expected.insert(expected.end(), elements, far_state[v]);
  EXPECT_EQ(device.read<float>(values), expected);
}

} // namespace
} // namespace kerncast::functional_test::cfd_test
