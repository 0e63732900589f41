// Claims: a tasklist of ours becomes the items that the tool would be given, loops written out.
#include <gmock/gmock.h>

#include "configs/isa.h"
#include "ppt_gpu_2019/from_tasklist.h"
#include "ppt_gpu_2019/model.h"
#include "tasklist/text.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

using tasklist::PathNode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

configs::IsaRow row(std::vector<std::string> tokens, std::vector<configs::MachineOpSpec> machine) {
  configs::IsaRow r;
  r.tokens = std::move(tokens);
  r.machine = std::move(machine);
  return r;
}

configs::Gpu small_gpu() {
  configs::Gpu gpu;
  gpu.name = "small";
  gpu.sms = 2;
  gpu.clock_mhz = 1000;
  gpu.sub_cores_per_sm = 4;
  gpu.launch_overhead_us = 3;
  gpu.units = {{.name = "alu"}, {.name = "fp64"}, {.name = "sfu"}, {.name = "lsu"}};
  gpu.units[3].scope = configs::UnitScope::sm;
  gpu.limits = {.ctas_per_sm = 8,
                .threads_per_sm = 1024,
                .threads_per_cta = 512,
                .registers_per_sm = 65536,
                .shared_bytes_per_sm = 49152};
  gpu.l2.latency = 200;
  gpu.dram.latency = 350;
  gpu.shared.latency = 24;
  auto isa = std::make_shared<configs::IsaTable>();
  isa->rows = {row({"add"}, {{.unit = 0, .latency = 6, .issue_interval = 1}}),
               row({"mov"}, {}),
               row({"setp"}, {{.unit = 0, .latency = 6, .issue_interval = 1}}),
               row({"bra"}, {{.unit = 0, .latency = 2, .issue_interval = 1}}),
               row({"fma", "f32"}, {{.unit = 0, .latency = 6, .issue_interval = 1}}),
               row({"fma", "f64"}, {{.unit = 1, .latency = 48, .issue_interval = 16}}),
               row({"ex2"}, {{.unit = 2, .latency = 20, .issue_interval = 4}}),
               row({"ld"}, {{.unit = 3, .latency = 0, .issue_interval = 2}}),
               row({"st"}, {{.unit = 3, .latency = 0, .issue_interval = 2}})};
  gpu.isa = isa;
  return gpu;
}

tasklist::Tasklist read_list(const std::string& blocks) {
  const auto list = tasklist::read_text(SourceText("list", "kerncast-tasklist/1\nkernel k\n" + blocks));
  EXPECT_TRUE(list) << render(list.error());
  return list.value_or(tasklist::Tasklist{});
}

tasklist::Launch small_launch() {
  tasklist::Launch launch;
  launch.grid = {100, 1, 1};
  launch.block = {64, 1, 1};
  return launch;
}

Expected<Conversion> convert(const tasklist::Tasklist& list,
                             const tasklist::LaunchBehaviour& behaviour = {}) {
  const configs::Gpu gpu = small_gpu();
  const tasklist::Launch launch = small_launch();
  return from_tasklist({list, behaviour, gpu, launch, 32, 0.5});
}

std::vector<ItemKind> kinds(const Input& input) {
  std::vector<ItemKind> result;
  for (const Item& item : input.items)
    result.push_back(item.kind);
  return result;
}

std::vector<std::uint32_t> dependencies(const Input& input, std::size_t item) {
  const auto span = input.dependencies_of(input.items[item]);
  return {span.begin(), span.end()};
}

// 002, Table 1: two loads, their sum, times a constant, stored. Here dependencies count from 0.
TEST(StraightLine, follows_values) {
  const auto result = convert(read_list("block\n"
                                        "  ld.global.s32 %0 <- %4\n"
                                        "  ld.global.s32 %1 <- %4\n"
                                        "  add.s32 %2 <- %0 %1\n"
                                        "  add.f32 %3 <- %2\n"
                                        "  st.global.s32 <- %4 %3\n"
                                        "  exit\n"));
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_THAT(kinds(result->input), ElementsAre(ItemKind::global, ItemKind::global, ItemKind::ialu,
                                                ItemKind::falu, ItemKind::global));
  EXPECT_THAT(dependencies(result->input, 2), ElementsAre(0, 1));
  EXPECT_THAT(dependencies(result->input, 4), ElementsAre(3));
  EXPECT_EQ(result->input.items[2].latency, 6);
}

// What the compiler removes is no item; who reads its result waits for what it read.
TEST(StraightLine, looks_through_operations_that_cost_nothing) {
  const auto result = convert(read_list("block\n"
                                        "  add.s32 %0 <- %3\n"
                                        "  mov.u32 %1 <- %0\n"
                                        "  add.s32 %2 <- %1\n"
                                        "  exit\n"));
  ASSERT_TRUE(result) << render(result.error());
  ASSERT_EQ(result->input.items.size(), 2U);
  EXPECT_THAT(dependencies(result->input, 1), ElementsAre(0));
}

// The first round reads %0 from item 0, the second and third from the round before: add, setp and bra are
// items 1 to 3, 4 to 6 and 7 to 9.
TEST(StraightLine, writes_loops_out) {
  const tasklist::Tasklist list = read_list("values predicate %1\n"
                                            "block -> 1\n"
                                            "  add.s32 %0 <- %9\n"
                                            "block label L -> 1 2\n"
                                            "  add.s32 %0 <- %0\n"
                                            "  setp.lt.s32 %1 <- %0\n"
                                            "  bra <- %1\n"
                                            "block\n"
                                            "  exit\n");
  ASSERT_EQ(list.blocks.size(), 3U);
  tasklist::LaunchBehaviour behaviour;
  for (tasklist::BlockId b = 0; b < 3; ++b)
    behaviour.visits.push_back({.block = b, .active_mask = UINT32_MAX, .accesses = {}});
  behaviour.paths.push_back(
      {{PathNode{.visit = 0}, PathNode{.kind = PathNode::Kind::repeat, .length = 1, .count = 3},
        PathNode{.visit = 1}, PathNode{.visit = 2}}});
  behaviour.classes.push_back({.warp_paths = {0, 0}, .cta_count = 100});
  const auto result = convert(list, behaviour);
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_EQ(result->input.items.size(), 1U + 3 * 3);
  EXPECT_THAT(dependencies(result->input, 1), ElementsAre(0));
  EXPECT_THAT(dependencies(result->input, 7), ElementsAre(4));
  EXPECT_THAT(result->assumptions, ::testing::Contains(HasSubstr("no class for bra")));

  behaviour.paths[0].nodes[1].count = 1'000'000'000'000;
  const auto endless = convert(list, behaviour);
  ASSERT_FALSE(endless);
  EXPECT_THAT(render(endless.error()), HasSubstr("writes all of them out"));
}

TEST(StraightLine, needs_to_know_the_way_through_several_blocks) {
  const auto result = convert(read_list("block -> 1\n"
                                        "  add.s32 %0 <- %9\n"
                                        "block label L -> 1\n"
                                        "  bra\n"));
  ASSERT_FALSE(result);
  EXPECT_THAT(render(result.error()), HasSubstr("is not known"));
}

TEST(StraightLine, refuses_operations_without_a_latency) {
  const auto result = convert(read_list("block\n"
                                        "  popc.b32 %0 <- %1\n"
                                        "  exit\n"));
  ASSERT_FALSE(result);
  EXPECT_THAT(render(result.error()), HasSubstr("no latency for popc.b32"));
}

// Pipelines of the SM x 32 / issue interval: 4 x 32, 4 x 32 / 16, 4 x 32 / 4 and 1 x 32 / 2.
TEST(Hardware, has_the_lanes_that_the_units_sustain) {
  const auto hardware = to_hardware(small_gpu());
  ASSERT_TRUE(hardware) << render(hardware.error());
  EXPECT_EQ(hardware->sp_lanes, 128U);
  EXPECT_EQ(hardware->dp_lanes, 8U);
  EXPECT_EQ(hardware->sf_lanes, 32U);
  EXPECT_EQ(hardware->load_store_units, 16U);
  EXPECT_EQ(hardware->l2_to_global_latency, 150);
}

// 64 threads: limited to 8 CTAs; 100 CTAs are 13 portions of 8, 7 on the busier of 2 SMs.
TEST(Conversion, can_be_predicted) {
  const auto result = convert(read_list("block\n"
                                        "  add.s32 %0 <- %1\n"
                                        "  exit\n"));
  ASSERT_TRUE(result) << render(result.error());
  const auto prediction = predict(result->input);
  ASSERT_TRUE(prediction) << render(prediction.error());
  EXPECT_EQ(prediction->blocks_per_sm, 8U);
  EXPECT_EQ(prediction->waves, 7U);
  EXPECT_DOUBLE_EQ(prediction->total_time_s, 7 * prediction->cycles / 1e9 + 3e-6);
}

} // namespace
} // namespace kerncast::ppt_gpu_2019
