// Claim: parboil/lbm collides the distributions of a cell and moves them on; obstacles send them back, and
// accelerated cells have the lid's velocity.
#include <array>
#include <map>

#include "workload.h"

namespace kerncast::functional_test::lbm_test {
namespace {

constexpr std::ptrdiff_t row = 128, layer = row * 120, margin = 2 * layer, cells = layer * 150 + 2 * margin;
constexpr std::size_t velocities = 19, flags = 19;

// In the order of the distributions; opposite ones follow each other.
constexpr std::array<std::array<int, 3>, velocities> velocity = {{{0, 0, 0},
                                                                  {0, 1, 0},
                                                                  {0, -1, 0},
                                                                  {1, 0, 0},
                                                                  {-1, 0, 0},
                                                                  {0, 0, 1},
                                                                  {0, 0, -1},
                                                                  {1, 1, 0},
                                                                  {-1, -1, 0},
                                                                  {-1, 1, 0},
                                                                  {1, -1, 0},
                                                                  {0, 1, 1},
                                                                  {0, -1, -1},
                                                                  {0, 1, -1},
                                                                  {0, -1, 1},
                                                                  {1, 0, 1},
                                                                  {-1, 0, -1},
                                                                  {1, 0, -1},
                                                                  {-1, 0, 1}}};

using Distributions = std::array<double, velocities>;

// At an obstacle every direction turns round.
Distributions reflected(const Distributions& f) {
  Distributions result{f[0]};
  for (std::size_t v = 1; v < velocities; v += 2) {
    result[v] = f[v + 1];
    result[v + 1] = f[v];
  }
  return result;
}

double weight_of(std::size_t v) { return v == 0 ? 1 / 3.0 : v < 7 ? 1 / 18.0 : 1 / 36.0; }

Distributions collided(const Distributions& f, std::uint32_t flag) {
  if (flag == 1)
    return reflected(f);
  Distributions result{};
  double density = 0;
  std::array<double, 3> u{};
  for (std::size_t v = 0; v < velocities; ++v) {
    density += f[v];
    for (std::size_t axis = 0; axis < 3; ++axis)
      u[axis] += velocity[v][axis] * f[v];
  }
  for (double& component : u)
    component /= density;
  if (flag == 2)
    u = {0.005, 0.002, 0};
  const double squared = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  for (std::size_t v = 0; v < velocities; ++v) {
    const double along = velocity[v][0] * u[0] + velocity[v][1] * u[1] + velocity[v][2] * u[2];
    const double balance = weight_of(v) * density * (1 + 3 * along + 4.5 * along * along - 1.5 * squared);
    result[v] = (1 - 1.95) * f[v] + 1.95 * balance;
  }
  return result;
}

std::size_t place(std::size_t distribution, std::ptrdiff_t cell) {
  return sizeof(float) * (distribution * static_cast<std::size_t>(cells) + static_cast<std::size_t>(cell));
}

// Writes a cell's distributions and flag; what they become.
Distributions put(std::span<std::uint8_t> grid, std::ptrdiff_t cell, const Distributions& f) {
  const std::uint32_t flag = scrambled(static_cast<std::uint32_t>(cell)) % 4 % 3;
  std::memcpy(&grid[place(flags, cell)], &flag, sizeof flag);
  for (std::size_t v = 0; v < velocities; ++v) {
    const auto value = static_cast<float>(f[v]);
    std::memcpy(&grid[place(v, cell)], &value, sizeof value);
  }
  return collided(f, flag);
}

// In the neighbours, by place.
void expect_moved(std::ptrdiff_t cell, const Distributions& moved, std::map<std::size_t, double>& expected) {
  for (std::size_t v = 0; v < velocities; ++v)
    expected[place(v, cell + velocity[v][0] + row * velocity[v][1] + layer * velocity[v][2])] = moved[v];
}

// Two rows of two layers: each fourth cell or so is an obstacle, another fourth accelerated.
TEST(LatticeBoltzmann, CollidesAndStreams) {
  Device device;
  const Argument source = device.unknown_buffer<float>(20 * cells, false),
                 destination = device.unknown_buffer<float>(20 * cells, false);
  const auto in = device.memory.buffer(source.buffer).bytes();
  const auto values = random_floats(4 * 120 * velocities, 1);
  std::map<std::size_t, double> expected; // by place
  std::size_t next = 0;
  for (std::ptrdiff_t z = 0; z < 2; ++z)
    for (std::ptrdiff_t y = 0; y < 2; ++y)
      for (std::ptrdiff_t x = 0; x < 120; ++x) {
        const std::ptrdiff_t cell = margin + x + row * y + layer * z;
        Distributions f{};
        for (std::size_t v = 0; v < velocities; ++v)
          f[v] = values[next++];
        expect_moved(cell, put(in, cell, f), expected);
      }
  device.run(workload("parboil/lbm", "performStreamCollide_kernel"), {2, 2}, {120}, {source, destination});
  const auto out = device.memory.buffer(destination.buffer).bytes();
  for (const auto& [at, value] : expected) {
    float got = 0;
    std::memcpy(&got, &out[at], sizeof got);
    EXPECT_NEAR(got, value, 1e-5) << "byte " << at;
  }
}

} // namespace
} // namespace kerncast::functional_test::lbm_test
