// Claim: rodinia/nw fills the matrix of scores as the recurrence of Needleman and Wunsch does.
#include <algorithm>

#include "workload.h"

namespace kerncast::functional_test::nw_test {
namespace {

TEST(NeedlemanWunsch, FourTilesOnASide) {
  constexpr std::size_t columns = 65;
  constexpr std::uint32_t width = 4;
  constexpr std::int32_t penalty = 10;
  const auto likeness = generated<std::int32_t>(
      columns * columns, [](std::uint32_t k) { return static_cast<std::int32_t>(scrambled(k) % 16) - 4; });
  std::vector<std::int32_t> expected(columns * columns);
  for (std::size_t i = 1; i < columns; ++i)
    expected[i] = expected[i * columns] = -penalty * static_cast<std::int32_t>(i);
  Device device;
  const Argument scores = device.buffer(expected), likenesses = device.buffer(likeness);
  const auto launch = [&](const Code& code, std::uint32_t tiles) {
    device.run(code, {tiles}, {16},
               {likenesses, scores, count(columns), integer(penalty), count(tiles), count(width)});
  };
  const Code upper = workload("rodinia/nw", "needle_cuda_shared_1");
  const Code lower = workload("rodinia/nw", "needle_cuda_shared_2");
  for (std::uint32_t tiles = 1; tiles <= width; ++tiles)
    launch(upper, tiles);
  for (std::uint32_t tiles = width - 1; tiles > 0; --tiles)
    launch(lower, tiles);

  for (std::size_t y = 1; y < columns; ++y)
    for (std::size_t x = 1; x < columns; ++x) {
      const std::size_t at = y * columns + x;
      expected[at] = std::max({expected[at - columns - 1] + likeness[at], expected[at - 1] - penalty,
                               expected[at - columns] - penalty});
    }
  EXPECT_EQ(device.read<std::int32_t>(scores), expected);
}

} // namespace
} // namespace kerncast::functional_test::nw_test
