// Claim: rodinia/leukocyte compares gradients along circles, dilates, and lets flow fields settle as plain
// C++ does.
#include <algorithm>
#include <numbers>

#include "workload.h"

namespace kerncast::functional_test::leukocyte_test {
namespace {

constexpr std::size_t points = 150, circles = 7, margin = 22;

std::vector<std::int32_t> offsets(std::uint32_t seed) {
  return generated<std::int32_t>(circles * points, [=](std::uint32_t k) {
    return static_cast<std::int32_t>(scrambled(k + 5000 * seed) % 41) - 20;
  });
}

// Squared mean by variance of the gradients along one circle.
double ratio(const std::vector<double>& along) {
  double mean = 0, squares = 0;
  for (const double a : along)
    mean += a / points;
  for (const double a : along)
    squares += (a - mean) * (a - mean);
  return mean * mean / (squares / (points - 1));
}

TEST(Leukocyte, ComparesGradientsAlongCircles) {
  constexpr std::size_t rows = 2 * margin + 5, columns = 2 * margin + 3;
  const auto gx = random_floats(rows * columns, 1), gy = random_floats(rows * columns, 2),
             sine = random_floats(points, 3), cosine = random_floats(points, 4);
  const auto tx = offsets(1), ty = offsets(2);
  Device device;
  const Argument gicov = device.buffer(std::vector<float>(rows * columns));
  device.run(workload_with({{"c_sin_angle", sine}, {"c_cos_angle", cosine}, {"c_tX", tx}, {"c_tY", ty}},
                           "rodinia/leukocyte", "GICOV_kernel"),
             {columns - 2 * margin}, {rows - 2 * margin},
             {count(rows), gicov, device.buffer(gx), device.buffer(gy)});

  std::vector<double> expected(rows * columns);
  for (std::size_t column = margin; column < columns - margin; ++column)
    for (std::size_t row = margin; row < rows - margin; ++row)
      for (std::size_t circle = 0; circle < circles; ++circle) {
        std::vector<double> along;
        for (std::size_t n = 0; n < points; ++n) {
          const auto at = static_cast<std::size_t>((static_cast<int>(column) + tx[circle * points + n]) *
                                                       static_cast<int>(rows) +
                                                   static_cast<int>(row) + ty[circle * points + n]);
          along.push_back(double{gx[at]} * cosine[n] + double{gy[at]} * sine[n]);
        }
        double& greatest = expected[column * rows + row];
        greatest = std::max(greatest, ratio(along));
      }
  expect_near(device.read<float>(gicov), expected, 1e-4);
}

TEST(Leukocyte, Dilates) {
  constexpr int rows = 20, columns = 18, side = 5;
  const auto image = random_floats(rows * columns, 1);
  auto disk = generated<float>(25 * 25, [](std::uint32_t k) { return scrambled(k) % 3 == 0 ? 0 : 1; });
  Device device;
  const Argument dilated = device.buffer(std::vector<float>(rows * columns));
  device.run(workload_with({{"c_strel", disk}}, "rodinia/leukocyte", "dilate_kernel"), {6}, {64},
             {integer(rows), integer(columns), integer(side), integer(side), dilated, device.buffer(image)});
  std::vector<float> expected(rows * columns);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      for (int k = 0; k < side * side; ++k) {
        const int y = row - side / 2 + k / side, x = column - side / 2 + k % side;
        float& greatest = expected[static_cast<std::size_t>(row * columns + column)];
        if (y >= 0 && y < rows && x >= 0 && x < columns && disk[static_cast<std::size_t>(k)] != 0)
          greatest = std::max(greatest, image[static_cast<std::size_t>(x * rows + y)]);
      }
  EXPECT_EQ(device.read<float>(dilated), expected);
}

constexpr int rows = 9, columns = 40, of_cell = rows * columns, round = 320;
constexpr double vx = 1, vy = 0.5, e = 0.1;

double settled(const std::vector<double>& field, int point, double image) {
  const double old = field[static_cast<std::size_t>(point)];
  double flow = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int y = std::clamp(point / columns + dy, 0, rows - 1),
                x = std::clamp(point % columns + dx, 0, columns - 1);
      const double difference = field[static_cast<std::size_t>(y * columns + x)] - old;
      flow += (std::atan(difference * (dx * vx + dy * vy) / e) / std::numbers::pi + 0.5) * difference;
    }
  const double value = old + 0.1 * flow; // mu / lambda = 0.5 / 5
  return value - image * (value - image) / 5;
}

// Each round of 320 points sees the new values of the rounds before the last.
void settle(std::vector<double>& field, const std::vector<double>& image) {
  std::vector<double> waiting;
  for (int begin = 0; begin < of_cell; begin += round) {
    std::vector<double> values;
    for (int point = begin; point < std::min(begin + round, of_cell); ++point)
      values.push_back(settled(field, point, image[static_cast<std::size_t>(point)]));
    std::copy(waiting.begin(), waiting.end(), field.begin() + begin - static_cast<int>(waiting.size()));
    waiting = values;
  }
  std::copy(waiting.begin(), waiting.end(), field.end() - static_cast<int>(waiting.size()));
}

TEST(Leukocyte, LetsFieldsSettle) {
  constexpr std::uint32_t cells = 2;
  constexpr int iterations = 3;
  const auto images = random_floats(cells * of_cell, 1), fields = random_floats(cells * of_cell, 2);
  Device device;
  const Argument field = device.buffer(fields);
  device.run(workload("rodinia/leukocyte", "IMGVF_kernel"), {cells}, {round},
             {field, device.buffer(images), integer(rows), integer(columns), real(vx), real(vy),
              real(static_cast<float>(e)), integer(iterations), real(0)});
  std::vector<double> expected;
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    const auto part = [&](const std::vector<float>& all) {
      return std::vector<double>(all.begin() + cell * of_cell, all.begin() + (cell + 1) * of_cell);
    };
    auto mine = part(fields);
    for (int i = 0; i < iterations; ++i)
      settle(mine, part(images));
    expected.insert(expected.end(), mine.begin(), mine.end());
  }
  expect_near(device.read<float>(field), expected, 1e-5);
}

} // namespace
} // namespace kerncast::functional_test::leukocyte_test
