// Five lines written by hand are a tasklist, and what is left out has a plain meaning.
#include "read_list.h"
#include "tasklist/json.h"
#include "tasklist/verify.h"

#include <nlohmann/json.hpp>

namespace kerncast::tasklist {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TextForm, needs_only_operations_and_values) {
  const auto list = read_list("kernel add_five\n"
                              "ld.global.v2.f32 %0, %1 <- %9\n"
                              "add.f32 %2 <- %1 %0\n"
                              "exit\n");
  EXPECT_EQ(list.kernel, "add_five");
  EXPECT_EQ(list.blocks.size(), 1U);
  EXPECT_EQ(list.tasks[0].kind, TaskKind::load);
  EXPECT_EQ(list.tasks[0].space, Space::global);
  EXPECT_EQ(list.tasks[0].access_bytes, 8);
  EXPECT_EQ(list.tasks[0].access, 0);
  EXPECT_EQ(list.tasks[1].line, 4U); // the version is line 1
  EXPECT_EQ(list.value_classes.size(), 10U);
  EXPECT_EQ(list.value_classes[9], ValueClass::b32);
  EXPECT_TRUE(list.stated_latency.empty());
  EXPECT_TRUE(verify(list));
}

TEST(TextForm, takes_attributes_after_a_colon) {
  const auto list = read_list("values predicate %1\n"
                              "tma %0 <- %1 : kind load space shared bytes 12 predicated latency 7.5 line 70 "
                              "source 3 instruction 0\n");
  const Task& task = list.tasks[0];
  EXPECT_EQ(task.kind, TaskKind::load);
  EXPECT_EQ(task.space, Space::shared);
  EXPECT_EQ(task.access_bytes, 12);
  EXPECT_TRUE(task.predicated);
  EXPECT_EQ(task.line, 70U);
  EXPECT_EQ(task.source_line, 3U);
  EXPECT_THAT(list.stated_latency, ElementsAre(7.5));
  EXPECT_THAT(list.value_classes, ElementsAre(ValueClass::b32, ValueClass::predicate));
}

TEST(TextForm, reads_loops_from_successors) {
  const auto list = read_list("block 0 -> 1\nblock 1 label LOOP line 9 -> 1 2\nbra\nblock 2\nexit\n");
  ASSERT_EQ(list.loops.size(), 1U);
  EXPECT_EQ(list.loops[0].header, 1U);
  EXPECT_EQ(list.blocks[1].label, "LOOP");
  EXPECT_TRUE(verify(list));
}

TEST(TextForm, ignores_comments_carriage_returns_and_empty_lines) {
  const auto list = read_list("# a note\r\n\r\n  add.s32 %0 <- %1 # why\r\n");
  EXPECT_EQ(list.tasks.size(), 1U);
}

TEST(TextForm, prints_dependencies_as_a_comment) {
  EXPECT_THAT(write_text(read_list("a %0\nb %1\nc <- %1 %0\n")),
              HasSubstr("c <- %1 %0 : line 4 # 2 after 0 1\n"));
}

TEST(TextForm, quotes_names_that_are_words_of_the_grammar) {
  Tasklist list = read_list("\"block\" %0\n\"odd name\" %0\n");
  list.kernel = "line \"1\"\n#\x01";
  const auto again = read_text(SourceText("again", write_text(list)));
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again, list);
}

TEST(Json, holds_every_task_with_its_dependencies) {
  const auto json = to_json(read_list("kernel k\nld.global.f32 %0\nadd.f32 %1 <- %0\n"));
  EXPECT_EQ(json["kernel"], "k");
  ASSERT_EQ(json["tasks"].size(), 2U);
  EXPECT_EQ(json["tasks"][0]["space"], "global");
  EXPECT_EQ(json["tasks"][0]["access_bytes"], 4);
  EXPECT_EQ(json["tasks"][1]["operation"], "add.f32");
  EXPECT_EQ(json["tasks"][1]["kind"], "compute");
  EXPECT_EQ(json["tasks"][1]["block"], 0);
  EXPECT_EQ(json["tasks"][1]["line"], 4);
  EXPECT_EQ(json["tasks"][1]["dependencies"], nlohmann::ordered_json::array({0}));
}

} // namespace
} // namespace kerncast::tasklist
