// A tree's memory hands out separate, aligned pieces of any size, and copies do not depend on it.
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "ptx_parser/parser.h"
#include "ptx_parser/tree_memory.h"

namespace kerncast::ptx {
namespace {

// Every piece is filled with its number; one that overlaps another loses bytes to it.
TEST(TreeMemory, pieces_are_aligned_and_do_not_overlap) {
  TreeMemory memory(100000);
  struct Piece {
    unsigned char* bytes;
    std::size_t size;
  };
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t size = i * i * i % 60000 + 1; // within blocks, across their ends and larger than one
    auto* const bytes = static_cast<unsigned char*>(memory.allocate(size));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes) % alignof(std::max_align_t), 0U);
    std::memset(bytes, static_cast<int>(i), size);
    pieces.push_back({bytes, size});
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (const std::size_t at : {std::size_t{0}, pieces[i].size / 2, pieces[i].size - 1})
      EXPECT_EQ(pieces[i].bytes[at], i) << at << " of " << pieces[i].size;
}

// 5 MB: large enough for blocks with large pages.
TEST(TreeMemory, a_piece_larger_than_what_was_expected_is_whole) {
  TreeMemory memory(1);
  constexpr std::size_t size = 5000000;
  auto* const bytes = static_cast<unsigned char*>(memory.allocate(size));
  std::memset(bytes, 7, size);
  EXPECT_EQ(bytes[size - 1], 7);
}

TEST(TreeMemory, a_copy_of_a_function_outlives_its_module) {
  Function copy;
  {
    const auto module =
        parse(SourceText("a.ptx", ".version 8.0\n.target sm_80\n.entry k() { .reg .b32 %r<3>; L:\n"
                                  "add.s32 %r1, %r2, 5; bra L; ret; }\n"));
    ASSERT_TRUE(module);
    copy = module->functions[0];
  }
  ASSERT_EQ(copy.instructions.size(), 3U);
  EXPECT_EQ(copy.operands(copy.instructions[0])[2].value, 5);
  EXPECT_EQ(copy.labels.size(), 1U);
  copy.instructions.push_back(copy.instructions[0]);
  EXPECT_EQ(copy.instructions[3].opcode, Opcode::add);
}

} // namespace
} // namespace kerncast::ptx
