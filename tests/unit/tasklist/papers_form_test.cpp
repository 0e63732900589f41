// Table 1 of the PPT-GPU paper: printed exactly, and read back.
#include "tasklist/paper_form.h"

#include "read_list.h"

namespace kerncast::tasklist {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const table_1 = "ld.global.s32 %1 <- %0\n"
                            "ld.global.s32 %3 <- %2\n"
                            "add.s32 %4 <- %3 %1\n"
                            "mul.lo.s32 %5 <- %4\n"
                            "st.global.s32 <- %0 %5\n"
                            "ret\n";

TEST(PapersForm, prints_table_1_plain) {
  EXPECT_EQ(write_paper(read_list(table_1)), "[GLOB_MEM_ACCESS, LOAD]\n"
                                             "[GLOB_MEM_ACCESS, LOAD]\n"
                                             "[iALU, 1, 2]\n"
                                             "[iALU, 3]\n"
                                             "[GLOB_MEM_ACCESS, STORE, 4]\n");
}

const char* const table_1_annotated = "[GLOB_MEM_ACCESS, LOAD]\n"
                                      "[GLOB_MEM_ACCESS, LOAD]\n"
                                      "[iALU, 6, 1, 2]\n"
                                      "[iALU, 13, 3]\n"
                                      "[GLOB_MEM_ACCESS, STORE, 4]\n";

TEST(PapersForm, prints_table_1_annotated) {
  const auto list = read_list(table_1);
  const auto latency = [&](const Task& task) -> std::optional<double> {
    return list.operations[task.operation] == "add.s32" ? 6.0 : 13.0;
  };
  EXPECT_EQ(write_paper(list, latency), table_1_annotated);
}

TEST(PapersForm, prints_fractions_of_a_cycle_only_where_there_are_any) {
  const auto list = read_list("add.s32 %0\n");
  EXPECT_EQ(write_paper(list, [](const Task&) { return 7.5; }), "[iALU, 7.5]\n");
  EXPECT_EQ(write_paper(list, [](const Task&) { return 7.0; }), "[iALU, 7]\n");
}

TEST(PapersForm, has_a_truthful_word_for_every_kind) {
  const auto list = read_list("block -> 1\n"
                              "fma.rn.f32 %0\nfma.rn.f64 %1\nsin.approx.f32 %2\ncvt.f64.s32 %3\n"
                              "ld.shared.f32 %4\nst.local.f32 <- %4\nld.const.f32 %5\ntex.1d.v4.f32.s32 %6\n"
                              "ld.param.u64 %7\natom.global.add.u32 %8\nred.global.add.u32 <- %8\nld.f32 %9\n"
                              "bar.sync\nmembar.gl\nshfl.sync.down.b32 %10\nbra\n"
                              "block\nexit\n");
  EXPECT_EQ(write_paper(list), "[fALU]\n[dALU]\n[SFU]\n[dALU]\n"
                               "[SHARED_MEM_ACCESS, LOAD]\n[LOCAL_MEM_ACCESS, STORE, 5]\n"
                               "[CONST_MEM_ACCESS, LOAD]\n[TEX_MEM_ACCESS, LOAD]\n[PARAM_MEM_ACCESS, LOAD]\n"
                               "[GLOB_MEM_ACCESS, ATOMIC]\n[GLOB_MEM_ACCESS, REDUCTION, 10]\n"
                               "[GENERIC_MEM_ACCESS, LOAD]\n"
                               "[THREAD_SYNC]\n[FENCE]\n[WARP_SYNC]\n[BRANCH]\n");
}

TEST(PapersForm, keeps_an_exit_that_is_not_the_last_task) {
  EXPECT_EQ(write_paper(read_list("block\nexit\nblock\nret\n")), "[EXIT]\n");
}

TEST(PapersForm, is_read_back_as_one_block_of_values) {
  const SourceText source("t", table_1_annotated);
  const auto list = read_paper(source);
  ASSERT_TRUE(list) << render(list.error());
  EXPECT_EQ(list->blocks.size(), 1U);
  EXPECT_THAT(list->stated_latency, ElementsAre(0, 0, 6, 13, 0));
  EXPECT_THAT(after(*list, 2), ElementsAre(0, 1));
  EXPECT_EQ(list->tasks[4].kind, TaskKind::store);
  EXPECT_EQ(list->tasks[4].line, 5U);
  EXPECT_EQ(list->definitions(list->tasks[4]).size(), 1U);
  EXPECT_EQ(write_paper(*list,
                        [&](const Task& task) {
                          return std::optional(
                              list->stated_latency[static_cast<std::size_t>(&task - list->tasks.data())]);
                        }),
            table_1_annotated);
}

TEST(PapersForm, keeps_its_words_when_printed_again) {
  const std::string text = "[iALU]\n[fALU, 1]\n[dALU]\n[SFU]\n[SHARED_MEM_ACCESS, ATOMIC]\n[THREAD_SYNC]\n"
                           "[FENCE]\n[WARP_SYNC]\n[BRANCH, 1]\n";
  const SourceText annotated("t",
                             "[iALU, 0]\n[fALU, 0, 1]\n[dALU, 0]\n[SFU, 0]\n[SHARED_MEM_ACCESS, ATOMIC]\n"
                             "[THREAD_SYNC]\n[FENCE]\n[WARP_SYNC]\n[BRANCH, 1]\n");
  const auto list = read_paper(annotated);
  ASSERT_TRUE(list) << render(list.error());
  EXPECT_EQ(write_paper(*list), text);
}

struct BadPaper {
  const char* text;
  const char* place_and_message;
};
class MalformedPapersForm : public testing::TestWithParam<BadPaper> {};

TEST_P(MalformedPapersForm, is_located) {
  const SourceText source("t", GetParam().text);
  const auto list = read_paper(source);
  ASSERT_FALSE(list);
  EXPECT_THAT(render(list.error()), HasSubstr(GetParam().place_and_message));
}

INSTANTIATE_TEST_SUITE_P(
    all, MalformedPapersForm,
    testing::Values(BadPaper{"", "t: error: there is no task"},
                    BadPaper{"\n\n[iALU\n", "t:3:1: error: a task is one line"},
                    BadPaper{"[]\n", "t:1:2: error: unknown word"},
                    BadPaper{"[iAlu, 6]", "t:1:2: error: unknown word"},
                    BadPaper{"[iALU]", "t:1:2: error: iALU has no latency"},
                    BadPaper{"[iALU, x]", "t:1:8: error: expected the latency"},
                    BadPaper{"[iALU, -6]", "t:1:8: error: expected the latency"},
                    BadPaper{"[iALU, nan]", "t:1:8: error: expected the latency"},
                    BadPaper{"[iALU, 1e999]", "t:1:8: error: expected the latency"},
                    BadPaper{"[GLOB_MEM_ACCESS]", "t:1:2: error: unknown word"},
                    BadPaper{"[GLOB_MEM_ACCESS, LAOD]", "t:1:19: error: unknown word"},
                    BadPaper{"[iALU, 6, 0]", "t:1:11: error: expected the number of a task"},
                    BadPaper{"[iALU, 6, 1]", "t:1:11: error: task 1 depends on task 1"},
                    BadPaper{"[iALU, 6,]", "t:1:10: error: expected the number of a task"},
                    BadPaper{"[THREAD_SYNC, 99999999999]", "t:1:15: error: expected the number of a task"}));

TEST(MalformedPapersForm, reports_every_line_and_counts_bad_lines_as_tasks) {
  const SourceText source("t", "[nonsense]\n[iALU, 6, 1]\n[iALU, 6, 3]\n");
  const auto list = read_paper(source);
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().size(), 2U);
  EXPECT_EQ(list.error()[1].place, (Place{3, 11}));
}

TEST(PapersForm, is_told_from_json_and_ptx) {
  EXPECT_TRUE(looks_like_paper("# c\n\n [iALU, 6]\n"));
  EXPECT_FALSE(looks_like_paper("[{\"format\": 1}]"));
  EXPECT_FALSE(looks_like_paper(".version 7.0\n"));
  EXPECT_FALSE(looks_like_paper("["));
}

} // namespace
} // namespace kerncast::tasklist
