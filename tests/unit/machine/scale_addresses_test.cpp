// Addresses of shared memory that the access itself multiplies and adds to a place.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::Space;
using tasklist::TaskKind;
using ::testing::ElementsAre;

configs::Gpu gpu_of(int major, int minor) {
  configs::Gpu gpu = tiny_gpu();
  auto table = std::make_shared<configs::IsaTable>(*gpu.isa);
  table->rows.push_back(row({"shl", "b32"}, {on(alu, 6)}));
  table->rows.push_back(row({"atom"}, {on(alu, 6)}));
  gpu.isa = table;
  gpu.compute_capability_major = major;
  gpu.compute_capability_minor = minor;
  return gpu;
}

std::vector<std::uint32_t> scaled(const ListWriter& w, const configs::Gpu& gpu = gpu_of(8, 0),
                                  const std::vector<std::string_view>& without = {}) {
  return tasks_on(gpu, w, without);
}

// Value, distance, sum with the array's place, access.
ListWriter element(const std::string& bits, const std::string& load = "ld.u32") {
  ListWriter w = ptx_list();
  w.add("add.s32", {0}, {5});
  w.add("shl.b32", {1}, {0});
  give_constants(w, 1, {bits});
  w.add("add.s32", {2}, {1});
  give_constants(w, 2, {"array"});
  w.add(load, {3}, {2}, TaskKind::load).space = Space::shared;
  w.add("st.u32", {}, {3}, TaskKind::store).space = Space::global;
  return w;
}

TEST(ScaleAddresses, by_4_8_and_16) {
  for (const char* bits : {"2", "3", "4"})
    EXPECT_THAT(scaled(element(bits)), ElementsAre(0, 3, 4)) << bits;
  EXPECT_THAT(scaled(element("1")), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(scaled(element("5")), ElementsAre(0, 1, 3, 4));
  EXPECT_EQ(scaled(element("2"), gpu_of(8, 0), {"scaling", "fusion"}).size(), 5U);
}

TEST(ScaleAddresses, from_sm_75_to_sm_89) {
  EXPECT_EQ(scaled(element("2"), gpu_of(7, 5)).size(), 3U);
  EXPECT_EQ(scaled(element("2"), gpu_of(8, 9)).size(), 3U);
  EXPECT_EQ(scaled(element("2"), gpu_of(7, 0)), scaled(element("2"), gpu_of(7, 0), {"scaling"}));
  EXPECT_EQ(scaled(element("2"), gpu_of(9, 0)), scaled(element("2"), gpu_of(9, 0), {"scaling"}));
}

// Both arrays are read where one distance leads.
TEST(ScaleAddresses, share_a_distance) {
  ListWriter w = element("2");
  w.add("add.s32", {6}, {1});
  give_constants(w, 5, {"other"});
  w.add("ld.u32", {7}, {6}, TaskKind::load).space = Space::shared;
  EXPECT_THAT(scaled(w), ElementsAre(0, 3, 4, 6));
}

// The distance is stored as well; the sum is part of the access all the same.
TEST(ScaleAddresses, keep_what_something_else_reads) {
  ListWriter w = element("2");
  w.add("st.u32", {}, {1}, TaskKind::store).space = Space::global;
  EXPECT_THAT(scaled(w), ElementsAre(0, 1, 3, 4, 5));
}

// Two ways lead to the access, with distances of their own.
TEST(ScaleAddresses, keep_values_that_are_written_twice) {
  ListWriter w = element("2");
  w.add("add.s32", {0}, {0});
  EXPECT_THAT(scaled(w), ::testing::Contains(1));
}

// What is stored at a fixed place, or at itself, is computed.
TEST(ScaleAddresses, keep_what_is_stored) {
  ListWriter fixed = ptx_list();
  fixed.add("shl.b32", {1}, {0});
  give_constants(fixed, 0, {"2"});
  fixed.add("st.u32", {}, {1}, TaskKind::store).space = Space::shared;
  give_constants(fixed, 1, {"array"});
  EXPECT_THAT(scaled(fixed), ElementsAre(0, 1));
  ListWriter itself = ptx_list();
  itself.add("shl.b32", {1}, {0});
  give_constants(itself, 0, {"2"});
  itself.add("st.u32", {}, {1}, TaskKind::store).space = Space::shared;
  EXPECT_THAT(scaled(itself), ElementsAre(0, 1));
}

TEST(ScaleAddresses, of_atomics_are_not_multiplied) {
  EXPECT_THAT(scaled(element("2", "atom.add.u32")), ::testing::Contains(1));
}

} // namespace
} // namespace kerncast::machine::testing
