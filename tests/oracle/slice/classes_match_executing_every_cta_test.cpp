// CTA classes found by bisection against executing every CTA: the same behaviours, each as often.
#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

void put(std::uint64_t x, std::string& text) { text += std::to_string(x) + ","; }

void describe_visit(const LaunchBehaviour& b, const tasklist::BlockVisit& visit, std::string& text) {
  put(visit.block, text);
  put(visit.active_mask, text);
  for (std::uint32_t a = 0; a < visit.accesses.count; ++a) {
    const AddressShape& s = b.shapes[b.access_pool[visit.accesses.begin + a]];
    put(s.known ? 1 : 0, text);
    put(s.mask, text);
    for (const std::uint64_t offset : s.offsets)
      put(offset, text);
  }
}

// What a CTA does, written out so that two results can be compared.
std::string describe(const LaunchBehaviour& b, const tasklist::CtaClass& c) {
  std::string text;
  for (const std::uint32_t path : c.warp_paths) {
    for (const PathNode& node : b.paths.at(path).nodes) {
      put(node.length, text);
      put(node.count, text);
      if (node.kind == PathNode::Kind::visit)
        describe_visit(b, b.visits[node.visit], text);
    }
    text += ";";
  }
  return text;
}

std::map<std::string, std::uint64_t> census(const LaunchBehaviour& b) {
  std::map<std::string, std::uint64_t> counts;
  for (const tasklist::CtaClass& c : b.classes)
    counts[describe(b, c)] += c.cta_count;
  return counts;
}

// Executes at most a tenth of the CTAs (and 200) and finds the same classes with the same counts.
void expect_exact_classes(const Kernel& kernel, const Launch& l) {
  slice::SliceOptions every_cta;
  every_cta.full_execution_ctas = l.grid.count();
  const auto all = kernel.execute(l, every_cta);
  const auto found = kernel.execute(l);
  EXPECT_EQ(all.ctas_executed, l.grid.count());
  EXPECT_LE(found.ctas_executed, l.grid.count() / 10 + 200);
  EXPECT_TRUE(census(found) == census(all)) << found.classes.size() << " classes, not " << all.classes.size();
  EXPECT_EQ(found.assumptions.at(0),
            "CTA classes found by bisection: " + std::to_string(found.ctas_executed) + " of " +
                std::to_string(l.grid.count()) + " CTAs executed");
}

TEST(CtaClasses, StencilWithInteriorEdgesCornersAndOutside) {
  const Kernel kernel = Kernel::of_file("stencil.ptx", "stencil");
  for (const auto& [width, height] : std::vector<std::pair<std::int32_t, std::int32_t>>{
           {1024, 1024}, {1000, 1000}, {1016, 500}, {640, 1023}})
    expect_exact_classes(
        kernel, launch({64, 64, 1}, {16, 16, 1}, {buffer(0), buffer(1), integer(width), integer(height)}));
}

TEST(CtaClasses, RowsThatEndInsideALineHaveManyAlignments) {
  // 1023 floats a row: 32 alignments of rows.
  const Kernel kernel = Kernel::of_file("stencil.ptx", "stencil");
  expect_exact_classes(
      kernel, launch({32, 128, 1}, {32, 8, 1}, {buffer(0), buffer(1), integer(1023), integer(1020)}));
}

TEST(CtaClasses, EarlyExitAnywhereInALongGrid) {
  const Kernel kernel = Kernel::of_file("early_exit.ptx", "early_exit");
  for (const std::int32_t n : {1, 127, 128, 4000, 99'999, 127'999, 128'000, 1'000'000})
    expect_exact_classes(kernel, launch({1000, 1, 1}, {128, 1, 1}, {buffer(0), integer(n)}));
}

TEST(CtaClasses, SmallCtasShareLines) {
  // 4 threads of 4 bytes: a line belongs to eight CTAs.
  const Kernel kernel = Kernel::of_file("early_exit.ptx", "early_exit");
  expect_exact_classes(kernel, launch({5000, 1, 1}, {4, 1, 1}, {buffer(0), integer(19'998)}));
}

TEST(CtaClasses, GaussianOfTheWorkloads) {
  const Kernel fan2 = Kernel::of_path("apps/workloads/rodinia/gaussian/gaussian.ptx", "Fan2");
  for (const std::int32_t t : {0, 1, 511, 1000, 1022})
    expect_exact_classes(
        fan2, launch({128, 128, 1}, {4, 4, 1},
                     {buffer(0), buffer(1), buffer(2), integer(512 + t), integer(512), integer(t)}));
}

TEST(CtaClasses, HotspotOfTheWorkloads) {
  const Kernel hotspot = Kernel::of_path("apps/workloads/rodinia/hotspot/hotspot.ptx", "calculate_temp");
  std::vector<Argument> arguments{integer(2),    buffer(0),     buffer(1),  buffer(2),
                                  integer(1024), integer(1024), integer(2), integer(2)};
  for (int i = 0; i < 6; ++i)
    arguments.push_back(real(1));
  expect_exact_classes(hotspot, launch({86, 86, 1}, {16, 16, 1}, arguments));
}

TEST(CtaClasses, PathfinderOfTheWorkloads) {
  const Kernel pathfinder =
      Kernel::of_path("apps/workloads/rodinia/pathfinder/pathfinder.ptx", "dynproc_kernel");
  expect_exact_classes(pathfinder, launch({463, 1, 1}, {256, 1, 1},
                                          {integer(20), buffer(0), buffer(1), buffer(2), integer(100'000),
                                           integer(100), integer(0), integer(20)}));
}

TEST(CtaClasses, ABudgetTooSmallIsNamedAndStillCountsEveryCta) {
  const Kernel kernel = Kernel::of_file("stencil.ptx", "stencil");
  slice::SliceOptions options;
  options.max_sampled_ctas = 5;
  const auto b = kernel.execute(
      launch({64, 64, 1}, {16, 16, 1}, {buffer(0), buffer(1), integer(1000), integer(1000)}), options);
  std::uint64_t ctas = 0;
  for (const tasklist::CtaClass& c : b.classes)
    ctas += c.cta_count;
  EXPECT_EQ(ctas, 4096U);
  ASSERT_EQ(b.assumptions.size(), 2U);
  EXPECT_NE((b.assumptions[0] + b.assumptions[1]).find("are taken to behave like the nearest"),
            std::string::npos);
}

TEST(CtaClasses, HugeGridsAreSampled) {
  const Kernel kernel = Kernel::of_file("early_exit.ptx", "early_exit");
  const auto b = kernel.execute(launch({10'000'000, 1, 1}, {128, 1, 1},
                                       {buffer(0, 0, std::uint64_t{1} << 33), integer(1'279'999'000)}));
  std::uint64_t ctas = 0;
  for (const tasklist::CtaClass& c : b.classes)
    ctas += c.cta_count;
  EXPECT_EQ(ctas, 10'000'000U);
  EXPECT_LT(b.ctas_executed, 200U);
}

} // namespace
} // namespace kerncast::slice_test
