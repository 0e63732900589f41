// Number and types of arguments against the kernel's parameters.
#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

using Kind = Argument::Kind;

tasklist::Tasklist with_parameters(std::vector<tasklist::Parameter> parameters) {
  tasklist::Tasklist list;
  list.kernel = std::string("k");
  list.source_name = std::string("k.ptx");
  list.parameters = std::move(parameters);
  return list;
}
const tasklist::Parameter word{"n", 4, 0, false, false};
const tasklist::Parameter number_parameter{"x", 4, 0, false, true};
const tasklist::Parameter pointer{"p", 8, 0, false, false};
const tasklist::Parameter structure{"s", 24, 0, false, false};

bool accepts(const tasklist::Parameter& p, Kind kind) {
  Launch l;
  l.arguments.push_back({kind, 0, 0, 0});
  return slice::check_arguments(with_parameters({p}), l).has_value();
}

TEST(Arguments, IntegerTypesOfEqualWidthAreInterchangeable) {
  EXPECT_TRUE(accepts(word, Kind::i32));
  EXPECT_TRUE(accepts(word, Kind::u32));
  EXPECT_TRUE(accepts(pointer, Kind::i64));
  EXPECT_TRUE(accepts(pointer, Kind::u64));
  EXPECT_FALSE(accepts(word, Kind::i64));
  EXPECT_FALSE(accepts(pointer, Kind::i32));
}

TEST(Arguments, FloatsAreNotIntegers) {
  EXPECT_FALSE(accepts(word, Kind::f32));
  EXPECT_TRUE(accepts(number_parameter, Kind::f32));
  EXPECT_FALSE(accepts(number_parameter, Kind::i32));
  EXPECT_FALSE(accepts(number_parameter, Kind::f64));
}

TEST(Arguments, BuffersArePointers) {
  EXPECT_TRUE(accepts(pointer, Kind::buffer));
  EXPECT_FALSE(accepts(word, Kind::buffer));
  EXPECT_FALSE(accepts(number_parameter, Kind::buffer));
}

TEST(Arguments, UnknownValuesFitEverything) {
  EXPECT_TRUE(accepts(structure, Kind::unknown));
  EXPECT_FALSE(accepts(structure, Kind::u64));
  EXPECT_TRUE(accepts(structure, Kind::structure));
  EXPECT_TRUE(slice::check_arguments(with_parameters({word, structure}), Launch{}));
}

Launch with_members(std::vector<tasklist::StructMember> members) {
  Launch l;
  l.arguments = {{Kind::structure, 0, 0, 0}};
  l.members = std::move(members);
  return l;
}

// 24 bytes: 16 to 24 fits, 20 to 28 does not, nor do 8 to 16 and 12 to 16 together.
TEST(Arguments, MembersLieInsideOfTheirStructureAndApart) {
  const auto list = with_parameters({structure});
  EXPECT_TRUE(slice::check_arguments(list, with_members({{0, 16, 8, buffer(0)}, {0, 8, 8, buffer(1)}})));
  const auto outside = slice::check_arguments(list, with_members({{0, 20, 8, buffer(0)}}));
  ASSERT_FALSE(outside);
  EXPECT_NE(
      render(outside.error()).find("the member at byte 20 ends at byte 28, but parameter s has 24 bytes"),
      std::string::npos)
      << render(outside.error());
  const auto overlapping =
      slice::check_arguments(list, with_members({{0, 8, 8, buffer(0)}, {0, 12, 4, integer(1)}}));
  ASSERT_FALSE(overlapping);
  EXPECT_NE(render(overlapping.error()).find("the member at byte 12 overlaps the one at byte 8"),
            std::string::npos)
      << render(overlapping.error());
}

TEST(Arguments, TheNumberOfArgumentsIsChecked) {
  Launch l;
  l.arguments = {integer(1)};
  const auto checked = slice::check_arguments(with_parameters({word, pointer}), l);
  ASSERT_FALSE(checked);
  const std::string text = render(checked.error());
  EXPECT_NE(text.find("kernel k takes 2 arguments, not 1"), std::string::npos) << text;
  EXPECT_NE(text.find("n (i32 or u32), p (i64, u64 or buffer)"), std::string::npos) << text;
}

TEST(Arguments, EveryWrongArgumentIsNamed) {
  Launch l;
  l.arguments = {real(1), buffer(0), integer(2)};
  const auto checked = slice::check_arguments(with_parameters({word, pointer, number_parameter}), l);
  ASSERT_FALSE(checked);
  ASSERT_EQ(checked.error().size(), 2U);
  EXPECT_NE(render(checked.error()).find("argument 1 of kernel k is f32"), std::string::npos);
  EXPECT_NE(render(checked.error()).find("argument 3 of kernel k is i32"), std::string::npos);
}

} // namespace
} // namespace kerncast::slice_test
