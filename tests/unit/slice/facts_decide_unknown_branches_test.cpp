// Facts from the application file decide what depends on unknown data; wrong facts are refused.
#include <set>

#include "slice/grid_accesses.h"
#include "slice_fixture.h"
#include "warp/lane_file.h"
#include "warp/memory_map.h"

namespace kerncast::slice_test {
namespace {

using tasklist::Space;

std::string line_of_branch(const LaunchBehaviour& without_facts) {
  const std::string& text = without_facts.assumptions.at(0); // "line N: ..."
  return text.substr(5, text.find(':') - 5);
}

// Share of warps that take the two-store side ("taken" is the other one).
TEST(Facts, AProbabilityHoldsOverTheGridsWarps) {
  const Kernel kernel = Kernel::of_file("unknown_data.ptx", "threshold");
  Launch l = launch({8, 1, 1}, {256, 1, 1}, {buffer(0), buffer(1), real(0)});
  const std::string line = line_of_branch(kernel.execute(l));
  for (const double probability : {0.0, 0.25, 0.5, 0.9, 1.0}) {
    l.facts.branch_taken[line] = probability;
    const auto b = kernel.execute(l);
    EXPECT_TRUE(b.assumptions.empty());
    std::map<tasklist::BlockId, std::uint64_t> visits;
    for (const auto& c : b.classes)
      for (const auto path : c.warp_paths)
        for (const auto v : visits_of(b, path))
          visits[b.visits[v].block] += c.cta_count;
    // 64 warps; each side has its own block: block 1 falls through, block 2 is the branch's target.
    EXPECT_NEAR(static_cast<double>(visits[2]), 64 * probability, 2.0);
    EXPECT_EQ(visits[1] + visits[2], 64U);
  }
}

TEST(Facts, AProbabilityHoldsOverALargeGrid) {
  const Kernel kernel = Kernel::of_file("unknown_data.ptx", "threshold");
  Launch l = launch({100'000, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), real(0)});
  l.facts.branch_taken["$L__BB0_2"] = 0.3;
  const auto b = kernel.execute(l);
  std::uint64_t taken = 0, ctas = 0;
  for (const auto& c : b.classes) {
    ctas += c.cta_count;
    taken += visit_count(b, c.warp_paths[0], 2) * c.cta_count;
  }
  EXPECT_EQ(ctas, 100'000U);
  EXPECT_NEAR(static_cast<double>(taken), 30'000, 6'250); // one of 16 choices is 6.25 %
}

// The samples that find the classes are choices themselves, and the only ones where nothing is chosen.
TEST(Facts, NoCtaIsExecutedTwiceForTheSameChoice) {
  const Kernel kernel = Kernel::of_file("unknown_data.ptx", "threshold");
  Launch l = launch({100'000, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), real(0)});
  l.facts.branch_taken["$L__BB0_2"] = 1;
  const auto certain = kernel.execute(l);
  l.facts.branch_taken["$L__BB0_2"] = 0.3;
  const auto open = kernel.execute(l);
  ASSERT_EQ(certain.classes.size(), 1U);
  EXPECT_EQ(open.ctas_executed, certain.ctas_executed + 15); // of 16 choices
}

TEST(Facts, ALoopRunsTheGivenTrips) {
  const Kernel kernel = Kernel::of_file("unknown_data.ptx", "walk");
  Launch l = launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1)});
  ASSERT_EQ(kernel.list().loops.size(), 1U);
  const tasklist::Block& header = kernel.list().blocks[kernel.list().loops[0].header];
  for (const std::uint64_t trips : {1ULL, 7ULL, 1000ULL, 3'000'000ULL}) {
    for (const std::string& key : {header.label, std::to_string(header.line)}) {
      l.facts = {};
      l.facts.loop_trips[key] = trips;
      const auto b = kernel.execute(l);
      std::uint64_t visits = 0, factor = 1;
      for (const PathNode& node : b.paths.at(0).nodes) {
        if (node.kind == PathNode::Kind::visit && b.visits[node.visit].block == kernel.list().loops[0].header)
          visits += factor;
        factor = node.kind == PathNode::Kind::repeat ? node.count : 1;
      }
      EXPECT_EQ(visits, trips) << key;
    }
  }
}

// b[i] = a[x[i]]: the line of the load from a, and its 4 bytes per lane.
const char* const gather = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 a, .param .u64 b)
{
.reg .b32 %r<4>;
.reg .b64 %l<8>;
ld.param.u64 %l1, [x];
ld.param.u64 %l2, [a];
ld.param.u64 %l3, [b];
mov.u32 %r1, %tid.x;
mul.wide.u32 %l4, %r1, 4;
add.u64 %l1, %l1, %l4;
add.u64 %l3, %l3, %l4;
ld.global.u32 %r2, [%l1];
mul.wide.u32 %l5, %r2, 4;
add.u64 %l2, %l2, %l5;
ld.global.u32 %r3, [%l2];
st.global.u32 [%l3], %r3;
ret;
}
)";

TEST(Facts, UnknownAddressesLieAsGiven) {
  using Spread = tasklist::AddressFact::Spread;
  const Kernel kernel = Kernel::of_text(gather);
  Launch l = launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)});
  EXPECT_FALSE(load_shapes(kernel.execute(l), kernel.list(), 0, Space::global).at(1).known);
  struct Case {
    tasklist::AddressFact fact;
    std::uint64_t of_lane_3; // bytes behind lane 0
    std::string said;
  };
  const Case cases[] = {
      {{Spread::coalesced, 0}, 12, "taken as coalesced, as given"},
      {{Spread::broadcast, 0}, 0, "taken as broadcast, as given"},
      {{Spread::strided, 256}, 768, "taken as strided by 256 bytes, as given"},
      {{Spread::strided, -8}, std::uint64_t(-24), "taken as strided by -8 bytes, as given"}};
  for (const Case& c : cases) {
    l.facts.addresses["18"] = c.fact;
    const auto b = kernel.execute(l);
    const AddressShape shape = load_shapes(b, kernel.list(), 0, Space::global).at(1);
    EXPECT_TRUE(shape.known);
    EXPECT_EQ(shape.offsets[3] - shape.offsets[0], c.of_lane_3) << c.said;
    ASSERT_EQ(b.assumptions.size(), 1U);
    EXPECT_EQ(b.assumptions[0], "line 18: the address depends on unknown data; " + c.said);
  }
  l.facts.addresses["18"] = {Spread::scattered, 0};
  EXPECT_FALSE(load_shapes(kernel.execute(l), kernel.list(), 0, Space::global).at(1).known);
}

// a is buffer 1; the addresses in x, buffer 0, are known.
TEST(Facts, OfABufferHoldWhereItsAddressesAreUnknown) {
  using Spread = tasklist::AddressFact::Spread;
  const Kernel kernel = Kernel::of_text(gather);
  Launch l = launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)});
  l.facts.buffer_addresses[0] = {Spread::broadcast, 0};
  EXPECT_FALSE(load_shapes(kernel.execute(l), kernel.list(), 0, Space::global).at(1).known);
  l.facts.buffer_addresses[1] = {Spread::strided, 64};
  const auto b = kernel.execute(l);
  const auto loads = load_shapes(b, kernel.list(), 0, Space::global);
  EXPECT_EQ(loads.at(0).offsets[3], 12U);
  EXPECT_TRUE(loads.at(1).known);
  EXPECT_EQ(loads.at(1).offsets[3], 192U);
  ASSERT_EQ(b.assumptions.size(), 1U);
  EXPECT_EQ(b.assumptions[0], "line 18: the address depends on unknown data; taken as strided by 64 bytes "
                              "within its buffer, as given");
  l.facts.addresses["18"] = {Spread::broadcast, 0}; // of the line goes first
  EXPECT_EQ(load_shapes(kernel.execute(l), kernel.list(), 0, Space::global).at(1).offsets[3], 0U);
}

// An address that two buffers are part of belongs to none of them.
TEST(Facts, OfABufferHoldForItsPointerAlone) {
  std::string both = gather;
  both.replace(both.find("add.u64 %l2, %l2, %l5;"), 22, "add.u64 %l2, %l2, %l3;");
  Launch l = launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)});
  l.facts.buffer_addresses[1] = {};
  EXPECT_TRUE(Kernel::of_text(both).execute(l).assumptions.empty()); // known after all
  both.replace(both.find("add.u64 %l2, %l2, %l3;"), 22, "add.u64 %l2, %l2, %l3;\nadd.u64 %l2, %l2, %l5;");
  const auto b = Kernel::of_text(both).execute(l);
  ASSERT_EQ(b.assumptions.size(), 1U);
  EXPECT_EQ(b.assumptions[0].find("within its buffer"), std::string::npos);
}

struct AccessInA {
  std::uint64_t begin = 0; // relative to the start of a
  tasklist::AccessPattern pattern = {};
};

// Of warp `warp` of the CTA.
std::vector<AccessInA> accesses_in_a(tasklist::AddressFact fact, std::uint64_t cta, std::uint32_t warp) {
  Launch l = launch({4, 1, 1}, {64, 1, 1}, {buffer(0), buffer(1), buffer(2)});
  l.facts.buffer_addresses[1] = fact;
  const auto source = slice::trace_grid(Kernel::of_text(gather).program(), l);
  const tasklist::PlacedTrace placed = (*source)->cta(cta);
  std::vector<AccessInA> found;
  // The first access is that of x, the last one that of b.
  for (std::uint32_t a = placed.trace->warp_begin[warp] + 1; a + 1 < placed.trace->warp_begin[warp + 1];
       ++a) {
    const auto& access = placed.trace->accesses[a];
    found.push_back(
        {placed.address(access) - warp::buffer_address(1, 64), (*source)->patterns()[access.pattern]});
  }
  return found;
}

// Byte addresses that the lanes load from.
std::vector<std::uint64_t> places_in_a(tasklist::AddressFact fact, std::uint64_t cta, std::uint32_t warp) {
  std::vector<std::uint64_t> places;
  for (const AccessInA& access : accesses_in_a(fact, cta, warp))
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if (warp::has(access.pattern.mask, lane))
        places.push_back(access.begin + static_cast<std::uint64_t>(access.pattern.offsets[lane]));
  return places;
}

TEST(Facts, OfABufferPutAccessesIntoIt) {
  using Spread = tasklist::AddressFact::Spread;
  constexpr std::uint64_t bytes = 1U << 26;
  // Lanes that lie anywhere are drawn by whoever follows them: the trace has the buffer.
  const auto scattered = accesses_in_a({Spread::scattered, 0}, 1, 0);
  ASSERT_EQ(scattered.size(), 1U);
  EXPECT_FALSE(scattered[0].pattern.known);
  EXPECT_EQ(scattered[0].pattern.mask, warp::all_lanes);
  EXPECT_EQ(scattered[0].pattern.reach, bytes);
  EXPECT_EQ(scattered[0].begin, 0U);
  // Warp 1 of CTA 2 is the grid's sixth: 5 x 128 bytes further.
  const auto streamed = places_in_a({Spread::coalesced, 0}, 2, 1);
  ASSERT_EQ(streamed.size(), 32U);
  EXPECT_EQ(streamed[0], 640U);
  EXPECT_EQ(streamed[31], 640U + 124);
  const auto uniform = places_in_a({Spread::broadcast, 0}, 3, 0);
  EXPECT_EQ(std::set<std::uint64_t>(uniform.begin(), uniform.end()).size(), 1U);
  const auto strided = places_in_a({Spread::strided, -8}, 0, 0);
  EXPECT_EQ((strided[0] - strided[2] + bytes) % bytes, 16U);
}

TEST(Facts, AddressesOfLinesWithoutAnAccessAreRefused) {
  Launch l = launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)});
  l.facts.addresses["17"] = {};
  const auto b = Kernel::of_text(gather).try_execute(l);
  ASSERT_FALSE(b);
  EXPECT_NE(render(b.error()).find("has no access to memory in line '17'"), std::string::npos);
  EXPECT_NE(render(b.error()).find("it accesses memory in the lines 15, 18, 19"), std::string::npos)
      << render(b.error());
}

TEST(Facts, KeysThatNameNothingAreRefused) {
  const Kernel kernel = Kernel::of_file("unknown_data.ptx", "walk");
  Launch l = launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1)});
  l.facts.loop_trips["nowhere"] = 4;
  l.facts.branch_taken["3"] = 0.5;
  const auto b = kernel.try_execute(l);
  ASSERT_FALSE(b);
  ASSERT_EQ(b.error().size(), 2U);
  EXPECT_NE(render(b.error()).find("has no conditional branch '3'"), std::string::npos);
  EXPECT_NE(render(b.error()).find("has no loop 'nowhere'"), std::string::npos);
}

TEST(Facts, ProbabilitiesOutsideZeroToOneAreRefused) {
  const Kernel kernel = Kernel::of_file("unknown_data.ptx", "threshold");
  Launch l = launch({1, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), real(0)});
  l.facts.branch_taken["$L__BB0_2"] = 1.5;
  ASSERT_FALSE(kernel.try_execute(l));
  l.facts.branch_taken["$L__BB0_2"] = std::numeric_limits<double>::quiet_NaN();
  ASSERT_FALSE(kernel.try_execute(l));
}

TEST(Facts, KnownBranchesIgnoreThem) {
  // The bounds check is known from the arguments, so a probability does not change it.
  const Kernel kernel = Kernel::of_file("early_exit.ptx", "early_exit");
  Launch l = launch({1, 1, 1}, {32, 1, 1}, {buffer(0), integer(32)});
  l.facts.branch_taken["$L__BB0_2"] = 1.0;
  const auto b = kernel.execute(l);
  EXPECT_EQ(store_shapes(b, kernel.list(), 0, Space::global).size(), 1U);
}

} // namespace
} // namespace kerncast::slice_test
