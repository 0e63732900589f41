// What functional execution records of kernels that do not depend on data, and slice execution of the same
// launches: the same paths, trip counts and addresses, as often.
#include <map>

#include "device.h"
#include "slice/execute.h"

namespace kerncast::functional_test {
namespace {

using tasklist::LaunchBehaviour;

void put(std::uint64_t x, std::string& text) { text += std::to_string(x) + ","; }

void describe_visit(const LaunchBehaviour& b, const tasklist::BlockVisit& visit, std::string& text) {
  put(visit.block, text);
  put(visit.active_mask, text);
  for (std::uint32_t a = 0; a < visit.accesses.count; ++a) {
    const tasklist::AddressShape& s = b.shapes[b.access_pool[visit.accesses.begin + a]];
    put(s.known ? 1 : 0, text);
    put(s.mask, text);
    for (const std::uint64_t offset : s.offsets)
      put(offset, text);
  }
}

// What CTAs do, written out, and how many do it.
std::map<std::string, std::uint64_t> census(const LaunchBehaviour& b) {
  std::map<std::string, std::uint64_t> counts;
  for (const tasklist::CtaClass& c : b.classes) {
    std::string text;
    for (const std::uint32_t path : c.warp_paths) {
      for (const tasklist::PathNode& node : b.paths.at(path).nodes) {
        put(node.length, text);
        put(node.count, text);
        if (node.kind == tasklist::PathNode::Kind::visit)
          describe_visit(b, b.visits[node.visit], text);
      }
      text += ";";
    }
    counts[text] += c.cta_count;
  }
  return counts;
}

void expect_same(Device& device, const Code& code, Dim3 grid, Dim3 block,
                 const std::vector<Argument>& arguments) {
  functional::RunOptions options;
  options.recorded_ctas = grid.count();
  const auto run = device.run(code, grid, block, arguments, options);
  ASSERT_TRUE(run.behaviour);
  Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.arguments = arguments;
  slice::SliceOptions every_cta;
  every_cta.full_execution_ctas = grid.count();
  const auto slice = slice::execute_slice(code.module(), code.function(), code.list(), launch, every_cta);
  ASSERT_TRUE(slice) << render(slice.error());
  EXPECT_TRUE(slice->assumptions.empty());
  EXPECT_TRUE(census(*run.behaviour) == census(*slice));
}

TEST(Records, OfAMatrixProduct) {
  const Code code = Code::of_path("apps/workloads/parboil/sgemm/sgemm.ptx");
  Device device;
  const auto a = device.buffer(random_floats(128 * 16, 1)), b = device.buffer(random_floats(64 * 16, 2));
  const auto c = device.buffer(random_floats(128 * 64, 3));
  expect_same(device, code, {1, 4}, {16, 8},
              {a, integer(128), b, integer(64), c, integer(128), integer(16), real(1), real(0)});
}

TEST(Records, OfAStencilWithEdges) {
  const Code code = Code::of_path("apps/workloads/rodinia/hotspot/hotspot.ptx");
  Device device;
  const auto power = device.buffer(random_floats(2500, 1)), in = device.buffer(random_floats(2500, 2));
  const auto out = device.buffer(std::vector<float>(2500));
  expect_same(device, code, {5, 5}, {16, 16},
              {integer(2), power, in, out, integer(50), integer(50), integer(2), integer(2), real(0.5F),
               real(2), real(4), real(80), real(0.125F), real(0.1F)});
}

TEST(Records, OfRowsAdvancedWithAHalo) {
  const Code code = Code::of_path("apps/workloads/rodinia/pathfinder/pathfinder.ptx");
  Device device;
  const auto wall = device.buffer(std::vector<std::int32_t>(21'000)),
             in = device.buffer(std::vector<std::int32_t>(1000));
  const auto out = device.buffer(std::vector<std::int32_t>(1000));
  expect_same(device, code, {5}, {256},
              {integer(20), wall, in, out, integer(1000), integer(21), integer(0), integer(20)});
}

TEST(Records, OfPrefixSumsAndTransposition) {
  Device device;
  const auto in = device.buffer(std::vector<std::int32_t>(1300)),
             out = device.buffer(std::vector<std::int32_t>(1300));
  const auto totals = device.buffer(std::vector<std::int32_t>(3));
  expect_same(device, Code::of_path("apps/workloads/basic/scan/scan.ptx"), {3}, {512},
              {in, out, totals, integer(1300)});
  const auto matrix = device.buffer(std::vector<double>(70 * 45)),
             other = device.buffer(std::vector<double>(70 * 45));
  expect_same(device, Code::of_path("apps/workloads/basic/transpose/transpose.ptx"), {3, 2}, {32, 8},
              {matrix, other, integer(70), integer(45)});
}

// Divergence (004, Fig. 5): branch (thread / c) % 4 for every c from 1 to 96.
TEST(Records, OfFourBranches) {
  const Code code = Code::of_path("tests/data/slice/divergence.ptx");
  for (std::int32_t c = 1; c <= 96; ++c) {
    Device device;
    const auto out = device.buffer(std::vector<float>(4096, 1.0F));
    expect_same(device, code, {1}, {384}, {out, integer(c)});
  }
}

} // namespace
} // namespace kerncast::functional_test
