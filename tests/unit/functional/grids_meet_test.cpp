// The grid of a cooperative launch synchronizes (tests/data/slice/grid_sync.cu).
#include <gmock/gmock.h>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

using testing::HasSubstr;

// out[i] = 2 in[n - 1 - i], which the last CTA has written; then between[i] = -out[i].
TEST(CooperativeGrid, SeesWhatAllWroteBeforeItMet) {
  const Code code = Code::of_path("tests/data/slice/grid_sync.ptx");
  constexpr std::uint32_t n = 1000;
  Device device;
  const Argument in = device.buffer(iota_words(n)), between = device.buffer(iota_words(n)),
                 out = device.buffer(iota_words(n));
  device.run(code, {8}, {128}, {in, between, out, integer(n)}, on_threads(4));
  const auto reversed = device.read<std::uint32_t>(out), negative = device.read<std::uint32_t>(between);
  for (std::uint32_t i = 0; i < n; ++i) {
    EXPECT_EQ(reversed[i], 2 * (n - 1 - i));
    EXPECT_EQ(negative[i], 0 - reversed[i]);
  }
}

// More CTAs than any device holds cannot meet: the workspace is null, and sync() traps.
TEST(CooperativeGrid, IsNoLargerThanADevice) {
  const Code code = Code::of_path("tests/data/slice/grid_sync.ptx");
  Device device;
  const Argument in = device.buffer(iota_words(1)), between = device.buffer(iota_words(1)),
                 out = device.buffer(iota_words(1));
  EXPECT_THAT(error_of(device.try_run(code, {10000}, {32}, {in, between, out, integer(1)})),
              HasSubstr("trap ends the kernel"));
}

} // namespace
} // namespace kerncast::functional_test
