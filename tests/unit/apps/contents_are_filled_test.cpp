// Patterns of buffers: every element follows from its position.
#include "application/contents.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "application/read.h"

namespace kerncast::application {
namespace {

template <class T> std::vector<T> filled(const Contents& contents, std::size_t elements) {
  std::vector<std::uint8_t> bytes(elements * sizeof(T));
  EXPECT_TRUE(fill(contents, bytes));
  std::vector<T> values(elements);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Contents of(InitKind kind, ElementType type) {
  Contents contents;
  contents.kind = kind;
  contents.type = type;
  return contents;
}

TEST(Contents, IotaCountsInSteps) {
  Contents rows = of(InitKind::iota, ElementType::i32);
  EXPECT_EQ(filled<std::int32_t>(rows, 4), (std::vector<std::int32_t>{0, 1, 2, 3}));
  rows.start = -8;
  rows.step = 4;
  EXPECT_EQ(filled<std::int32_t>(rows, 4), (std::vector<std::int32_t>{-8, -4, 0, 4}));
  EXPECT_EQ(filled<float>(of(InitKind::iota, ElementType::f32), 3), (std::vector<float>{0, 1, 2}));
}

TEST(Contents, AnElementThatTheEndCutsStaysZero) {
  Contents threes = of(InitKind::constant, ElementType::u16);
  threes.value = 0x303;
  EXPECT_EQ(filled<std::uint8_t>(threes, 5), (std::vector<std::uint8_t>{3, 3, 3, 3, 0}));
}

TEST(Contents, RandomElementsKeepTheirBoundsAndTheirSeed) {
  Contents random = of(InitKind::random, ElementType::i32);
  random.least = -5;
  random.most = 9;
  random.seed = 7;
  const auto values = filled<std::int32_t>(random, 1000);
  for (const std::int32_t v : values)
    EXPECT_TRUE(v >= -5 && v <= 9) << v;
  EXPECT_EQ(filled<std::int32_t>(random, 500),
            std::vector<std::int32_t>(values.begin(), values.begin() + 500));
  random.seed = 8;
  EXPECT_NE(filled<std::int32_t>(random, 1000), values);
  for (const float f : filled<float>(of(InitKind::random, ElementType::f32), 1000))
    EXPECT_TRUE(f >= 0 && f < 1) << f;
}

TEST(Contents, ValuesMustFitTheirType) {
  Contents c = of(InitKind::constant, ElementType::u8);
  for (const double wrong : {-1.0, 256.0, 0.5}) {
    c.value = wrong;
    EXPECT_NE(contents_error(c), "") << wrong;
  }
  c.value = 255;
  EXPECT_EQ(contents_error(c), "");
  Contents random = of(InitKind::random, ElementType::i32);
  random.least = 3;
  random.most = 2;
  EXPECT_EQ(contents_error(random), "min 3 is above max 2");
}

// Two structures of 3 elements, 12 bytes apart: {0, 10, 11} and {0, 15, 16}, then what no piece says.
Piece last_two_of_each_structure() {
  Piece piece{4, 8, 2, 12, 5, of(InitKind::iota, ElementType::i32)};
  piece.contents.start = 10;
  return piece;
}

Contents pieces(const Piece& piece) {
  Contents contents;
  contents.kind = InitKind::pieces;
  contents.pieces = {piece};
  return contents;
}

TEST(Contents, PiecesRepeatAndAdvance) {
  EXPECT_EQ(filled<std::int32_t>(pieces(last_two_of_each_structure()), 7),
            (std::vector<std::int32_t>{0, 10, 11, 0, 15, 16, 0}));
}

// The last byte is 4 + 12 + 8 = 24.
TEST(Contents, PiecesLieInTheirBuffer) {
  Piece piece = last_two_of_each_structure();
  EXPECT_EQ(pieces_error(pieces(piece), 24), "");
  EXPECT_EQ(pieces_error(pieces(piece), 23), "piece 1 goes beyond the 23 bytes");
  piece.copies = max_bytes;
  EXPECT_EQ(pieces_error(pieces(piece), 24), "piece 1 goes beyond the 24 bytes");
}

TEST(Contents, AdvancingKeepsToTheType) {
  Piece piece = last_two_of_each_structure();
  piece.contents.type = ElementType::u8;
  piece.advance = 250;
  EXPECT_EQ(pieces_error(pieces(piece), 24), "the last copy of piece 1: 260 is no u8");
}

const std::string head =
    R"({"format": "kerncast-app/1", "name": "x", "modules": [], "buffers": {"b": {"bytes": 8, "init": )";

TEST(Contents, AreReadWithTheirPlaces) {
  const auto app =
      read_application({"a.json", head + R"({"kind": "random", "type": "u8", "seed": 3, "min": 1, "max": 2}}},
 "events": [{"op": "memset", "bytes": 4, "buffer": "b", "offset": 4, "value": 255}]})"});
  ASSERT_TRUE(app) << render(app.error());
  EXPECT_EQ(app->buffers[0].contents.seed, 3U);
  EXPECT_EQ(app->buffers[0].contents.most, 2.0);
  ASSERT_EQ(app->fills.size(), 1U);
  EXPECT_EQ(app->fills[0].offset, 4U);
  EXPECT_EQ(app->fills[0].value, 255);
  for (const char* wrong :
       {R"({"kind": "constant", "type": "u8", "value": 300}}}, "events": []})",
        R"({"kind": "zeros"}}}, "events": [{"op": "memset", "bytes": 9, "buffer": "b"}]})",
        R"({"kind": "zeros"}}}, "events": [{"op": "memset", "bytes": 9, "buffer": "c"}]})"}) {
    const auto refused = read_application({"a.json", head + wrong});
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error()[0].place.line, 1U) << wrong;
  }
}

} // namespace
} // namespace kerncast::application
