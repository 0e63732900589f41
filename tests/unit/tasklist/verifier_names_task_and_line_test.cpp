// Every way in which a tasklist can contradict itself is found and named with task and line.
#include "read_list.h"
#include "tasklist/verify.h"

namespace kerncast::tasklist {
namespace {

using testing::HasSubstr;

// Block 0: load (task 0), add (task 1), branch (task 2); block 1: store (task 3), exit (task 4).
Tasklist good() {
  return read_list("block -> 0 1\n"
                   "ld.global.f32 %0 <- %1\n"
                   "add.f32 %2 <- %0\n"
                   "bra <- %2\n"
                   "block\n"
                   "st.global.f32 <- %1 %2\n"
                   "exit\n");
}

std::string complaint(const Tasklist& list) {
  const auto result = verify(list);
  return result ? "" : render(result.error());
}

TEST(Verifier, accepts_a_consistent_list) { EXPECT_EQ(complaint(good()), ""); }

struct Damage {
  const char* name;
  void (*apply)(Tasklist&);
  const char* expected;
};
class Damaged : public testing::TestWithParam<Damage> {};

TEST_P(Damaged, list_is_refused) {
  Tasklist list = good();
  list.source_name = "k.ptx";
  GetParam().apply(list);
  EXPECT_THAT(complaint(list), HasSubstr(GetParam().expected)) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(
    all, Damaged,
    testing::Values(
        Damage{"operation", [](Tasklist& l) { l.tasks[1].operation = 9; }, "k.ptx:4:1: error"},
        Damage{"pool",
               [](Tasklist& l) {
                 l.tasks[1].uses = {UINT32_MAX, 2};
               },
               "task 1 (add.f32) refers to values or dependencies outside"},
        Damage{"value", [](Tasklist& l) { l.values[0] = 3; }, "task 0 (ld.global.f32) names value %3 of 3"},
        Damage{"space", [](Tasklist& l) { l.tasks[0].space = Space::none; }, "is of kind load in space none"},
        Damage{"compute space", [](Tasklist& l) { l.tasks[1].space = Space::shared; }, "is of kind compute"},
        Damage{"access", [](Tasklist& l) { l.tasks[0].access = 1; }, "has access number 1, not 0"},
        Damage{"latency",
               [](Tasklist& l) {
                 l.stated_latency = {1, 2, 3, 4, -1};
               },
               "states a latency of -1"},
        Damage{"latencies", [](Tasklist& l) { l.stated_latency = {1}; }, "1 latencies are stated for 5"},
        Damage{"partition", [](Tasklist& l) { l.blocks[1].first_task = 2; },
               "block 1 starts at task 2, not at 3"},
        Damage{"missing tasks", [](Tasklist& l) { --l.blocks[1].task_count; }, "hold 4 tasks of 5"},
        Damage{"instructions",
               [](Tasklist& l) { l.blocks[0].first_instruction = 1, l.blocks[0].instruction_count = 1; },
               "block 0 starts at instruction 1, not at 0"},
        Damage{"instruction", [](Tasklist& l) { l.tasks[0].instruction = 5; }, "comes from instruction 5"},
        Damage{"successor", [](Tasklist& l) { l.blocks[0].successors[0] = 7; },
               "block 0 has successor 7 of 2"},
        Damage{"branch inside", [](Tasklist& l) { std::swap(l.tasks[1], l.tasks[2]); },
               "transfers control inside block 0"},
        Damage{"no target", [](Tasklist& l) { l.blocks[0].successors.clear(); },
               "ends in a branch without target"},
        Damage{"exit goes on", [](Tasklist& l) { l.blocks[1].successors = {0}; },
               "block 1 goes on after its exit"},
        Damage{"two ways", [](Tasklist& l) { l.tasks[2].kind = TaskKind::compute; },
               "several successors but no branch"},
        Damage{"dependency", [](Tasklist& l) { l.dependency_pool[0] = 1; },
               "task 1 (add.f32) depends on tasks [1], its values say [0]"},
        Damage{"loop", [](Tasklist& l) { l.loops.clear(); }, "loops are not those"},
        Damage{"no block", [](Tasklist& l) { l.blocks.clear(); }, "there is no block"},
        Damage{"parameters",
               [](Tasklist& l) {
                 l.parameters = {{"a", 8, 0}, {"b", 4, 4}};
               },
               "parameter b overlaps"}));

} // namespace
} // namespace kerncast::tasklist
