// Bulk tensor copies: which elements of a tensor a box takes, and where they lie in shared memory.
#include <gmock/gmock.h>

#include "tile_run.h"

namespace kerncast::functional_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* tile_2d = "2d.shared::cluster.global.tile";

// Of 20 x 6 words, a box of 8 x 4 at (16, -1): of its rows the first, of its columns the last four are
// outside.
TEST(TensorMaps, ElementsOutsideAreZeros) {
  TileRun run(map_of({20, 6}, {8, 4}), iota_words(120));
  const Numbers tile = run.tile_after(load_of(tile_2d, "16, -1", 8 * 4 * 4), 32);
  EXPECT_EQ(run.error(), "");
  for (std::uint32_t r = 0; r < 4; ++r)
    for (std::uint32_t c = 0; c < 8; ++c)
      EXPECT_EQ(tile[8 * r + c], r > 0 && c < 4 ? 20 * (r - 1) + 16 + c : 0) << r << ' ' << c;
}

TEST(TensorMaps, ElementsOutsideAreNoNumbersWhereAsked) {
  TensorMap map = map_of({4}, {8});
  map.type = static_cast<std::uint8_t>(TensorType::f16);
  map.fill = 1;
  TileRun run(map, iota_words(2)); // 0, 0, 1, 0 as halves
  const Numbers tile = run.tile_after(load_of("1d.shared::cluster.global.tile", "0", 16), 4);
  EXPECT_EQ(tile, (Numbers{0, 1, 0x7ff77ff7, 0x7ff77ff7})) << run.error();
}

// Rows of 128 bytes: chunk c of 16 bytes of row r lies where chunk c ^ (r mod 8) would; of 64 bytes, c is
// changed by half the row's number, of 32 bytes by a quarter.
TEST(TensorMaps, SwizzlesExchangeChunksOfRows) {
  for (std::uint8_t mode = 1; mode <= 3; ++mode) {
    const std::uint32_t words = 4U << mode, chunks = words / 4;
    TensorMap map = map_of({words, 16}, {static_cast<std::uint16_t>(words), 16});
    map.swizzle = mode;
    TileRun run(map, iota_words(16 * words));
    const Numbers tile = run.tile_after(load_of(tile_2d, "0, 0", 64 * words), 16 * words);
    EXPECT_EQ(run.error(), "");
    for (std::uint32_t r = 0; r < 16; ++r)
      for (std::uint32_t c = 0; c < chunks; ++c)
        EXPECT_EQ(tile[words * r + 4 * (c ^ (r * chunks / 8 % chunks))], words * r + 4 * c)
            << int{mode} << ' ' << r << ' ' << c;
  }
}

// Every second row, 4 of the box's 8.
TEST(TensorMaps, ElementStridesSkipRows) {
  TensorMap map = map_of({4, 16}, {4, 8});
  map.element_strides[1] = 2;
  TileRun run(map, iota_words(64));
  const Numbers tile = run.tile_after(load_of(tile_2d, "0, 1", 64), 16);
  EXPECT_EQ(run.error(), "");
  for (std::uint32_t k = 0; k < 16; ++k)
    EXPECT_EQ(tile[k], 4 * (1 + 2 * (k / 4)) + k % 4);
}

// Three dimensions with gaps: slices are 256 bytes apart, rows 32.
TEST(TensorMaps, StridesAreFollowed) {
  TensorMap map = map_of({4, 2, 2}, {4, 2, 2});
  map.strides = {32, 256};
  TileRun run(map, iota_words(128));
  const Numbers tile = run.tile_after(load_of("3d.shared::cluster.global.tile", "0, 0, 0", 64), 16);
  EXPECT_EQ(run.error(), "");
  for (std::uint32_t k = 0; k < 16; ++k)
    EXPECT_EQ(tile[k], k / 8 * 64 + k / 4 % 2 * 8 + k % 4);
}

TEST(TensorMaps, FourRowsAreGathered) {
  TileRun run(map_of({8, 10}, {8, 1}), iota_words(80));
  const Numbers tile =
      run.tile_after(load_of("2d.shared::cta.global.tile::gather4", "0, 7, 2, -1, 9", 128), 32);
  EXPECT_EQ(run.error(), "");
  for (std::uint32_t c = 0; c < 8; ++c) {
    EXPECT_EQ(tile[c], 56 + c);
    EXPECT_EQ(tile[8 + c], 16 + c);
    EXPECT_EQ(tile[16 + c], 0U); // row -1
    EXPECT_EQ(tile[24 + c], 72 + c);
  }
}

// The box of 4 x 2 at (2, 1) of 4 x 2 words: two words of its first row are inside.
TEST(TensorMaps, StoresLeaveOutWhatIsOutside) {
  TileRun run(map_of({4, 2}, {4, 2}), Numbers(8, 100));
  const Numbers tensor =
      run.tensor_after("@%p cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%a, {2, 1}], [%x];\n"
                       "@%p cp.async.bulk.commit_group;\n@%p cp.async.bulk.wait_group 0;\n");
  EXPECT_EQ(tensor, (Numbers{100, 100, 100, 100, 100, 100, 0, 1})) << run.error();
}

TEST(TensorMaps, ReductionsAddToWhatIsThere) {
  TileRun run(map_of({4, 2}, {4, 2}), Numbers(8, 100));
  constexpr const char* reduce =
      "@%p cp.reduce.async.bulk.tensor.2d.global.shared::cta.{}.tile.bulk_group [%a, {{0, 0}}], [%x];\n";
  EXPECT_EQ(run.tensor_after(fmt::format(reduce, "add")), (Numbers{100, 101, 102, 103, 104, 105, 106, 107}))
      << run.error();
  EXPECT_EQ(run.tensor_after(fmt::format(reduce, "min")), (Numbers{0, 1, 2, 3, 4, 5, 6, 7})) << run.error();
}

TEST(TensorMaps, FieldsAreReplaced) {
  TileRun run(map_of({4, 4}, {4, 4}), iota_words(16));
  const Numbers tile = run.tile_after("@%p tensormap.replace.tile.global_dim.global.b1024.b32 [%a], 1, 1;\n"
                                      "@%p tensormap.replace.tile.box_dim.global.b1024.b32 [%a], 1, 2;\n"
                                      "@%p tensormap.replace.tile.global_address.global.b1024.b64 [%a], %m;\n"
                                      "@%p tensormap.replace.tile.elemtype.global.b1024.b32 [%a], 3;\n" +
                                          load_of(tile_2d, "0, 0", 32),
                                      8);
  // %m is 0, where no tensor lies.
  EXPECT_THAT(run.error(), HasSubstr("load of 16 bytes outside of memory, at address 0x0"));
  TileRun again(map_of({4, 4}, {4, 4}), iota_words(16));
  EXPECT_EQ(again.tile_after("@%p tensormap.replace.tile.global_dim.global.b1024.b32 [%a], 1, 1;\n"
                             "@%p tensormap.replace.tile.box_dim.global.b1024.b32 [%a], 1, 2;\n" +
                                 load_of(tile_2d, "0, 0", 32),
                             8),
            (Numbers{0, 1, 2, 3, 0, 0, 0, 0}))
      << again.error();
}

std::string tile_fault(const TensorMap& map, const std::string& body) {
  TileRun run(map, iota_words(64));
  run.tile_after(body, 1);
  return run.error();
}

TEST(TensorMaps, FaultsAreNamed) {
  const TensorMap map = map_of({8, 8}, {8, 8});
  EXPECT_THAT(tile_fault(map, load_of("1d.shared::cluster.global.tile", "0", 256)),
              AllOf(HasSubstr("has 2 dimensions, the copy 1"), HasSubstr("thread (0, 0, 0)")));
  EXPECT_THAT(tile_fault(map, "add.u32 %x, %x, 64;\n" + load_of(tile_2d, "0, 0", 256)),
              HasSubstr("store of 256 bytes at address 0x40, which is not aligned"));
  EXPECT_THAT(tile_fault(map, "add.s64 %a, %a, 64;\n" + load_of(tile_2d, "0, 0", 256)),
              HasSubstr("load of 128 bytes outside of memory"));
  TensorMap none = map;
  none.mark = 0;
  EXPECT_THAT(tile_fault(none, load_of(tile_2d, "0, 0", 256)), HasSubstr("there is no tensor map"));
  TensorMap interleaved = map;
  interleaved.interleave = 1;
  EXPECT_THAT(tile_fault(interleaved, load_of(tile_2d, "0, 0", 256)),
              HasSubstr("interleave 1, swizzle 0 and swizzle atomicity 0 are not supported"));
  TensorMap larger = map;
  larger.dims[1] = 100;
  EXPECT_THAT(tile_fault(larger, load_of(tile_2d, "0, 8", 256)),
              HasSubstr("load of 32 bytes outside of memory, at address"));
}

} // namespace
} // namespace kerncast::functional_test
