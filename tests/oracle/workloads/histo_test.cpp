// Claim: the launches of parboil/histo count values, within the ranges that the first one finds and outside
// of them, up to 255.
#include <algorithm>

#include "workload.h"

namespace kerncast::functional_test::histo_test {
namespace {

constexpr std::uint32_t range = 24 * 1024, width = 1024, height = 3 * range / width, parts = 14;
constexpr std::uint32_t columns = 41, rows = 32; // of the values; an odd width

// Most of them between 30,000 and 40,000, that is in range 1, many of these the same; some anywhere.
std::uint32_t value(std::uint32_t k) {
  if (k % 3 == 0)
    return 35000 + k % 2;
  return k % 16 == 1 ? scrambled(k) % (3 * range) : 30000 + scrambled(k) % 10000;
}

// With one more column, which makes their number even.
Words padded_values() {
  return generated<std::uint32_t>(rows * (columns + 1), [](std::uint32_t k) {
    const std::uint32_t column = k % (columns + 1);
    return column == columns ? 0 : value(k / (columns + 1) * columns + column);
  });
}

TEST(SaturatingHistogram, CountsUpTo255) {
  const auto name = [](const char* kernel) { return workload("parboil/histo", kernel); };
  Device device;
  const Argument places = device.buffer(Words(rows * columns)),
                 of_parts = device.buffer(Words(parts * height * width / 4)),
                 global = device.buffer(Words(height * width / 2)),
                 overflow = device.buffer(Words(height * width)),
                 counts = device.buffer(Words(height * width / 4));
  device.run(name("histo_intermediates_kernel"), {rows / 16}, {(columns + 1) / 2},
             {device.buffer(padded_values()), count(rows), count(columns), count((columns + 1) / 2), places});
  device.run(name("histo_main_kernel"), {parts}, {96},
             {places, count(rows * columns), count(1), count(1), count(height), count(width), of_parts,
              global, overflow});
  device.run(name("histo_final_kernel"), {6}, {128},
             {count(1), count(1), count(height), count(width), of_parts, global, overflow, counts});
  std::vector<std::uint8_t> expected(height * width);
  for (std::uint32_t k = 0; k < rows * columns; ++k)
    expected[value(k)] = static_cast<std::uint8_t>(std::min(expected[value(k)] + 1, 255));
  EXPECT_EQ(device.read<std::uint8_t>(counts), expected);
}

// Of 2 x 512 x 8 values two eighths of 512 are looked at, one value each thread, so that no thread sees a
// deviation and both ranges are those of the mean.
TEST(SaturatingHistogram, EstimatesWhereTheMiddleIs) {
  constexpr std::uint32_t size = 2 * 512 * 8;
  Device device;
  const Argument found = device.buffer(Words{UINT32_MAX, 0});
  const auto values = generated<std::uint32_t>(
      size, [](std::uint32_t k) { return (k < size / 2 ? 5 : 9) * range + 1000 + k % 2000; });
  device.run(workload("parboil/histo", "histo_prescan_kernel"), {2}, {512},
             {device.buffer(values), count(size), found});
  EXPECT_EQ(device.read<std::uint32_t>(found), (Words{5, 9}));
}

} // namespace
} // namespace kerncast::functional_test::histo_test
