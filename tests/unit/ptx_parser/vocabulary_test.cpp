// Opcodes, modifiers and types by name.
#include "ptx_parser/opcode.h"

#include <gtest/gtest.h>

namespace kerncast::ptx {
namespace {

TEST(Vocabulary, every_opcode_is_found_by_its_name) {
  int count = 0;
#define KERNCAST_OPCODE(identifier, text)                                                                    \
  EXPECT_EQ(find_opcode(text), Opcode::identifier);                                                          \
  EXPECT_EQ(name(Opcode::identifier), text);                                                                 \
  ++count;
#include "ptx_parser/opcodes.def"
#undef KERNCAST_OPCODE
  EXPECT_GT(count, 100);
  EXPECT_FALSE(find_opcode("addd"));
  EXPECT_FALSE(find_opcode(""));
}

TEST(Vocabulary, every_modifier_is_found_by_its_name) {
  int count = 0;
#define KERNCAST_MODIFIER(identifier, text)                                                                  \
  EXPECT_EQ(find_modifier(text), Modifier::identifier);                                                      \
  EXPECT_EQ(name(Modifier::identifier), text);                                                               \
  ++count;
#include "ptx_parser/modifiers.def"
#undef KERNCAST_MODIFIER
  EXPECT_GT(count, 300);
  EXPECT_FALSE(find_modifier("shared::nowhere"));
}

TEST(Vocabulary, names_that_are_no_identifiers_follow_one_rule) {
  EXPECT_EQ(name(Modifier::shared_cta), "shared::cta");
  EXPECT_EQ(name(Modifier::_2d), "2d");
  EXPECT_EQ(name(Modifier::volatile_), "volatile");
  EXPECT_EQ(name(Opcode::and_), "and");
}

TEST(Types, have_sizes_and_classes) {
  EXPECT_EQ(size_bytes(Type::b128), 16U);
  EXPECT_EQ(size_bytes(Type::f16x2), 4U);
  EXPECT_EQ(size_bytes(Type::pred), 0U);
  EXPECT_TRUE(is_float(Type::bf16x2));
  EXPECT_FALSE(is_float(Type::b32));
  EXPECT_TRUE(is_signed(Type::s8));
  EXPECT_FALSE(is_signed(Type::u8));
  EXPECT_EQ(type_of(Modifier::f32), Type::f32);
  EXPECT_EQ(type_of(Modifier::global), Type::none);
  EXPECT_EQ(name(Type::surfref), "surfref");
}

} // namespace
} // namespace kerncast::ptx
