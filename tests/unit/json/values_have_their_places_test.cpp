// Claims: every kind of value keeps what it says and where it stands, and finds its neighbours.
#include "json/tree.h"

#include <gtest/gtest.h>

namespace kerncast::json {
namespace {

struct Expectation {
  Kind kind;
  std::string_view written; // as it stands in the text
};

void expect_nodes(const std::string& text, std::initializer_list<Expectation> expected) {
  const Expected<Tree> tree = parse(SourceText("t.json", text), 0, text.size());
  ASSERT_TRUE(tree) << render(tree.error());
  ASSERT_EQ(tree->nodes.size(), expected.size());
  const Node* node = tree->nodes.data();
  for (const Expectation& e : expected) {
    EXPECT_EQ(name(node->kind), name(e.kind)) << e.written;
    EXPECT_EQ(text.substr(node->begin, node->end - node->begin), e.written);
    ++node;
  }
}

TEST(Values, OfEveryKindStandWhereTheyAreWritten) {
  expect_nodes(R"( [ null,true , false,12,-3, 0.5e-3,1E2,"a", {"k" :[ ]}] )",
               {{Kind::array, R"([ null,true , false,12,-3, 0.5e-3,1E2,"a", {"k" :[ ]}])"},
                {Kind::null, "null"},
                {Kind::boolean, "true"},
                {Kind::boolean, "false"},
                {Kind::natural, "12"},
                {Kind::negative, "-3"},
                {Kind::real, "0.5e-3"},
                {Kind::real, "1E2"},
                {Kind::string, "\"a\""},
                {Kind::object, R"({"k" :[ ]})"},
                {Kind::key, "\"k\""},
                {Kind::array, "[ ]"}});
}

TEST(Values, WithEscapesAndBracketsInStringsStandWhereTheyAreWritten) {
  expect_nodes(R"(["\"", "\\", "a\u0041,]", "{", 1])", {{Kind::array, R"(["\"", "\\", "a\u0041,]", "{", 1])"},
                                                        {Kind::string, R"("\"")"},
                                                        {Kind::string, R"("\\")"},
                                                        {Kind::string, R"("a\u0041,]")"},
                                                        {Kind::string, R"("{")"},
                                                        {Kind::natural, "1"}});
}

TEST(Values, KeepWhatTheySay) {
  const std::string text = R"(["a\u0041\n", 18446744073709551615, -9223372036854775808, -0, 0.25, true])";
  const Expected<Tree> tree = parse(SourceText("t.json", text), 0, text.size());
  ASSERT_TRUE(tree) << render(tree.error());
  EXPECT_EQ(tree->text(1), "aA\n");
  EXPECT_EQ(tree->nodes[2].natural, UINT64_MAX);
  EXPECT_EQ(tree->nodes[3].negative, INT64_MIN);
  EXPECT_EQ(name(tree->nodes[4].kind), "a number"); // -0 is not below zero
  EXPECT_EQ(tree->nodes[4].natural, 0U);
  EXPECT_EQ(tree->nodes[5].real, 0.25);
  EXPECT_TRUE(tree->nodes[6].boolean);
}

TEST(Values, AreFollowedByTheNextAfterTheirChildren) {
  const std::string text = R"([[1, [2]], 3])"; // nodes: 0 [, 1 [, 2 1, 3 [, 4 2, 5 3
  const Expected<Tree> tree = parse(SourceText("t.json", text), 0, text.size());
  ASSERT_TRUE(tree) << render(tree.error());
  const NodeId after[] = {6, 5, 3, 5, 5, 6};
  for (NodeId id = 0; id < 6; ++id)
    EXPECT_EQ(tree->nodes[id].after, after[id]) << id;
}

TEST(Values, OfAPartOfATextStandWhereTheWholeHasThem) {
  const SourceText source("t.jsonl", "[1]\n[23]\n");
  const Expected<Tree> tree = parse(source, 4, 8);
  ASSERT_TRUE(tree) << render(tree.error());
  EXPECT_EQ(source.place(tree->nodes[1].begin), (Place{2, 2}));
}

TEST(Values, AfterAByteOrderMarkStandAfterIt) {
  expect_nodes("\xef\xbb\xbf[7]", {{Kind::array, "[7]"}, {Kind::natural, "7"}});
}

} // namespace
} // namespace kerncast::json
