// Claim: rodinia/myocyte computes with floats on the device what its model gives with doubles on the host;
// the model rests where the literature says that the cell does, and keeps its calmodulin; and the launches in
// app.json are those that the suite's solver asks for.
#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>

#include <nlohmann/json.hpp>

#include "../../../apps/workloads/rodinia/myocyte/model.h"
#include "workload.h"

namespace kerncast::functional_test::myocyte_test {
namespace {

using myocyte::cam_values;
using myocyte::cell_values;

template <class Real> struct Rates {
  std::vector<Real> of_values = std::vector<Real>(myocyte::values);
  std::array<Real, 3> calcium{};
};

template <class Real>
Rates<Real> on_host(int time_ms, const std::vector<Real>& values, const std::vector<Real>& parameters) {
  Rates<Real> rates;
  myocyte::cell_rates(time_ms, values.data(), parameters.data(), rates.of_values.data());
  myocyte::calmodulin_rates(values.data(), parameters.data(), rates.of_values.data(), rates.calcium.data());
  return rates;
}

nlohmann::json app() {
  std::ifstream file(KERNCAST_SOURCE_DIR "/apps/workloads/rodinia/myocyte/app.json");
  return nlohmann::json::parse(file);
}

// The numbers that the application begins with.
template <class Real> std::vector<Real> contents(const char* buffer) {
  const nlohmann::json description = app()["buffers"][buffer];
  std::vector<Real> numbers(description["bytes"].get<std::size_t>() / 4);
  for (const nlohmann::json& piece : description.at("init").at("pieces"))
    numbers[piece["at"].get<std::size_t>() / 4] = piece["init"]["value"];
  return numbers;
}

// Rates are differences of much larger terms, so that floats leave them the fewer digits the larger these
// are.
void expect_same(int time_ms, const std::vector<float>& values, const std::vector<float>& parameters) {
  Device device;
  const Argument rates = device.buffer(std::vector<float>(myocyte::values)),
                 calcium = device.buffer(std::vector<float>(3));
  device.run(workload("rodinia/myocyte", "kernel"), {2}, {32},
             {integer(time_ms), device.buffer(values), rates, device.buffer(parameters), calcium});
  const auto expected = on_host(time_ms, doubles(values), doubles(parameters));
  const auto got = device.read<float>(rates);
  for (std::size_t k = 0; k < got.size(); ++k)
    EXPECT_NEAR(got[k], expected.of_values[k], 1e-3 * std::fabs(expected.of_values[k]) + 2e-5)
        << "value " << k;
  const auto freed = device.read<float>(calcium);
  for (std::size_t k = 0; k < freed.size(); ++k)
    EXPECT_NEAR(freed[k], expected.calcium[k], 1e-3 * std::fabs(expected.calcium[k]) + 2e-5) << "place " << k;
}

TEST(Myocyte, ComputesTheModel) {
  auto values = contents<float>("values"), parameters = contents<float>("parameters");
  expect_same(3, values, parameters);
  expect_same(600, values, parameters);
  values[myocyte::voltage] = 12; // the other side of the sodium gates
  for (std::size_t place = 0; place < 3; ++place)
    for (std::size_t k = 0; k < cam_values; ++k)
      values[cell_values + place * cam_values + k] += 0.01F * static_cast<float>(k + 1);
  parameters[myocyte::magnesium] = 1.5F; // and of calmodulin's rates
  expect_same(3, values, parameters);
}

// The published values of rest, and no current: within what their seven digits allow, the potential stays;
// paced, it rises with 9.5 mV per ms.
TEST(Myocyte, RestsWhereTheLiteratureSays) {
  const auto values = contents<double>("values"), parameters = contents<double>("parameters");
  const auto rates = on_host(600, values, parameters).of_values;
  for (std::size_t k = 0; k < myocyte::unused_1; ++k)
    EXPECT_NEAR(rates[k], 0, k == myocyte::voltage ? 0.1 : 3e-3) << "value " << k;
  EXPECT_NEAR(on_host(3, values, parameters).of_values[myocyte::voltage] - rates[myocyte::voltage], 9.5,
              1e-9);
}

// Calmodulin in all its states, of which CaMKII's are shares of the kinase.
TEST(Myocyte, KeepsItsCalmodulin) {
  auto values = contents<double>("values");
  const auto parameters = contents<double>("parameters");
  for (std::size_t k = cell_values; k < myocyte::values; ++k)
    values[k] += 0.01 * static_cast<double>(scrambled(static_cast<std::uint32_t>(k)) % 16);
  const auto rates = on_host(0, values, parameters).of_values;
  for (std::size_t place = 0; place < 3; ++place) {
    const double* rate = &rates[cell_values + place * cam_values];
    const double free = std::accumulate(rate, rate + myocyte::pb2, 0.0);
    const double kinase = std::accumulate(rate + myocyte::pb2, rate + myocyte::pa, 0.0);
    const double calcineurin = std::accumulate(rate + myocyte::cam_can, rate + cam_values, 0.0);
    EXPECT_NEAR(free + parameters[place * myocyte::of_place + 2] * kinase + calcineurin, 0, 1e-9) << place;
  }
}

// Fehlberg's method of order 7 and 8 (NASA TR R-287, 1968, Table X).
constexpr std::size_t evaluations = 13;
using Table = std::array<std::array<double, evaluations>, evaluations>;
constexpr std::array<double, evaluations> at = {0,      2. / 27, 1. / 9, 1. / 6, 5. / 12, 1. / 2, 5. / 6,
                                                1. / 6, 2. / 3,  1. / 3, 1,      0,       1};
constexpr Table weights = {
    {{},
     {2. / 27},
     {1. / 36, 1. / 12},
     {1. / 24, 0, 1. / 8},
     {5. / 12, 0, -25. / 16, 25. / 16},
     {1. / 20, 0, 0, 1. / 4, 1. / 5},
     {-25. / 108, 0, 0, 125. / 108, -65. / 27, 125. / 54},
     {31. / 300, 0, 0, 0, 61. / 225, -2. / 9, 13. / 900},
     {2, 0, 0, -53. / 6, 704. / 45, -107. / 9, 67. / 90, 3},
     {-91. / 108, 0, 0, 23. / 108, -976. / 135, 311. / 54, -19. / 60, 17. / 6, -1. / 12},
     {2383. / 4100, 0, 0, -341. / 164, 4496. / 1025, -301. / 82, 2133. / 4100, 45. / 82, 45. / 164, 18. / 41},
     {3. / 205, 0, 0, 0, 0, -6. / 41, -3. / 205, -3. / 41, 3. / 41, 6. / 41},
     {-1777. / 4100, 0, 0, -341. / 164, 4496. / 1025, -289. / 82, 2193. / 4100, 51. / 82, 33. / 164, 12. / 41,
      0, 1}}};

using Values = std::vector<double>;

// What the host makes of the device's rates: calcium that calmodulin sets free or takes is added, and no
// numbers, which too large steps give, become small ones.
Values all_rates(int time_ms, const Values& values, const Values& parameters) {
  auto rates = on_host(time_ms, values, parameters);
  for (std::size_t place = 0; place < 3; ++place)
    rates.of_values[myocyte::ca_junction + place] += 1e-3 * rates.calcium[place];
  for (double& rate : rates.of_values)
    if (!std::isfinite(rate))
      rate = 1e-4;
  return rates.of_values;
}

struct Attempt {
  Values values;
  double worst = 0; // error by value
  std::vector<int> times;
};

Attempt attempt(double time, double step, const Values& from, const Values& parameters) {
  Attempt result;
  std::vector<Values> rates;
  for (std::size_t e = 0; e < evaluations; ++e) {
    Values values = from;
    for (std::size_t k = 0; k < values.size(); ++k)
      for (std::size_t other = 0; other < e; ++other)
        values[k] += step * weights[e][other] * rates[other][k];
    result.times.push_back(static_cast<int>(time + at[e] * step));
    rates.push_back(all_rates(result.times.back(), values, parameters));
  }
  for (std::size_t k = 0; k < from.size(); ++k) {
    const auto rate = [&](std::size_t e) { return rates[e][k]; };
    result.values.push_back(from[k] +
                            step * (41. / 840 * (rate(0) + rate(10)) + 34. / 105 * rate(5) +
                                    9. / 35 * (rate(6) + rate(7)) + 9. / 280 * (rate(8) + rate(9))));
    const double error = std::fabs(41. / 840 * (rate(0) + rate(10) - rate(11) - rate(12)));
    result.worst = std::max(result.worst, error / (from[k] == 0 ? 0.1 : std::fabs(from[k])));
  }
  return result;
}

// Of a run of 100 ms the tolerance is 10 / 100. Each ms begins with a step of 1 ms, which shrinks, to an
// eighth at most, until no error is above the tolerance.
TEST(Myocyte, IsLaunchedAsTheSolverAsks) {
  constexpr double tolerance = 0.1;
  constexpr int milliseconds = 10;
  const auto parameters = contents<double>("parameters");
  auto values = contents<double>("values");
  std::vector<int> expected;
  for (int ms = 0; ms < milliseconds; ++ms) {
    Attempt tried;
    double step = 1;
    do {
      tried = attempt(ms, step, values, parameters);
      expected.insert(expected.end(), tried.times.begin(), tried.times.end());
      step = std::min(0.9, step * std::clamp(0.8 * std::pow(tolerance / tried.worst, 1. / 7), 0.125, 4.0));
    } while (tried.worst > tolerance);
    values = tried.values;
  }
  std::vector<int> launched;
  const nlohmann::json described = app();
  for (const nlohmann::json& event : described["events"])
    if (event["op"] == "kernel")
      launched.push_back(event["args"][0]["i32"]);
  EXPECT_EQ(launched, expected);
}

} // namespace
} // namespace kerncast::functional_test::myocyte_test
