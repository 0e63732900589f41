// Kernels that are led by tables in buffers: what slices do on the tables' contents is what functional
// execution does, CTA by CTA and address by address; where anything writes a table nothing is taken from it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "predict/behaviour.h"
#include "predict/contents.h"
#include "predict/read_input.h"
#include "run/device_run.h"
#include "slice/grid_accesses.h"

namespace kerncast::app {
namespace {

const char* const dedispersion = R"(
 "buffers": {"in": {"bytes": 147456}, "out": {"bytes": 65536},
   "delays": {"bytes": 1024, "init": {"kind": "random", "type": "i32", "seed": 3, "min": 0, "max": 200}}},
 "events": [{"op": "kernel", "kernel": "dedisperse", "grid": [4, 16, 1], "block": [256, 1, 1],
   "args": [{"buffer": "in"}, {"buffer": "delays"}, {"buffer": "out"}, {"i32": 16}, {"i32": 2304},
            {"i32": 1000}]}])";

// Rows of 7 elements anywhere.
const char* const sparse_product = R"(
 "buffers": {"begins": {"bytes": 8196, "init": {"kind": "iota", "step": 7}},
   "columns": {"bytes": 57344, "init": {"kind": "random", "type": "i32", "seed": 5, "min": 0, "max": 2047}},
   "values": {"bytes": 57344}, "x": {"bytes": 8192}, "y": {"bytes": 8192}},
 "events": [{"op": "kernel", "kernel": "spmv", "grid": [16, 1, 1], "block": [128, 1, 1],
   "args": [{"buffer": "begins"}, {"buffer": "columns"}, {"buffer": "values"}, {"buffer": "x"},
            {"buffer": "y"}, {"i32": 2000}]}])";

const char* const search = R"(
 "buffers": {"begins": {"bytes": 8196, "init": {"kind": "iota", "step": 3}},
   "neighbours": {"bytes": 24576, "init": {"kind": "random", "type": "i32", "seed": 6, "min": 0, "max": 2047}},
   "frontier": {"bytes": 2048, "init": {"kind": "random", "type": "u8", "seed": 7}}, "marks": {"bytes": 8192}},
 "events": [{"op": "kernel", "kernel": "expand", "grid": [16, 1, 1], "block": [128, 1, 1],
   "args": [{"buffer": "frontier"}, {"buffer": "begins"}, {"buffer": "neighbours"}, {"buffer": "marks"},
            {"i32": 2048}]}])";

const char* const gather_buffers = R"(
 "buffers": {"in": {"bytes": 4096, "init": {"kind": "zeros"}}, "out": {"bytes": 4096, "init": {"kind": "zeros"}},
   "table": {"bytes": 4096, "init": {"kind": "random", "type": "i32", "seed": 8, "min": 0, "max": 1023}}},)";
const char* const gather = R"({"op": "kernel", "kernel": "gather", "grid": [8, 1, 1], "block": [128, 1, 1],
   "args": [{"buffer": "in"}, {"buffer": "table"}, {"buffer": "out"}]})";
const char* const gather_and_turn = R"({"op": "kernel", "kernel": "gather_and_turn", "grid": [8, 1, 1],
   "block": [128, 1, 1], "args": [{"buffer": "in"}, {"buffer": "table"}, {"buffer": "out"}, {"i32": 1024}]})";
const char* const write_anywhere = R"({"op": "kernel", "kernel": "write_anywhere", "grid": [1, 1, 1],
   "block": [32, 1, 1], "args": [{"buffer": "places"}, {"i32": 1}]})";
const char* const fill_table = R"({"op": "memset", "bytes": 4096, "buffer": "table", "value": 0})";

PredictInput input_of(const std::string& body) {
  const std::string text =
      R"({"format": "kerncast-app/1", "name": "tables", "modules": ["tables.ptx"],)" + body + "}";
  PredictOptions options;
  options.threads = 1;
  auto input = read_input({KERNCAST_SOURCE_DIR "/tests/data/slice/tables.json", text}, options);
  EXPECT_TRUE(input) << render(input.error());
  if (!input)
    return {};
  use_contents(*input, options);
  return std::move(*input);
}

std::string events(std::initializer_list<std::string_view> list) {
  return fmt::format("\n\"events\": [{}]", fmt::join(list, ",\n"));
}

// The accesses of one CTA, one line each.
std::vector<std::string> lines_of_accesses(tasklist::AccessSource& source, std::uint64_t number) {
  const tasklist::PlacedTrace placed = source.cta(number);
  std::vector<std::string> lines;
  for (const tasklist::TracedAccess& access : placed.trace->accesses) {
    const tasklist::AccessPattern& p = source.patterns().at(access.pattern);
    lines.push_back(fmt::format("task {} mask {:08x} known {} at {:x}: {}", access.task, p.mask, p.known,
                                placed.address(access), fmt::join(p.offsets, " ")));
  }
  return lines;
}

// Of the CTAs of a grid, all of which were executed: classes as text, so that numbers do not matter.
std::vector<std::string> classes_of(const tasklist::LaunchBehaviour& b) {
  std::vector<std::string> classes;
  for (const tasklist::CtaClass& c : b.classes) {
    std::string text = fmt::format("{} CTAs:", c.cta_count);
    for (const std::uint32_t path : c.warp_paths)
      for (const tasklist::PathNode& node : b.paths.at(path).nodes) {
        text += fmt::format(" {}x{}", node.count, node.length);
        if (node.kind != tasklist::PathNode::Kind::visit)
          continue;
        const tasklist::BlockVisit& visit = b.visits.at(node.visit);
        text += fmt::format(" block {} {:x}", visit.block, visit.active_mask);
        for (std::uint32_t a = 0; a < visit.accesses.count; ++a) {
          const tasklist::AddressShape& s = b.shapes.at(b.access_pool.at(visit.accesses.begin + a));
          text += fmt::format(" ({} {:x}: {})", s.known, s.mask, fmt::join(s.offsets, " "));
        }
      }
    classes.push_back(std::move(text));
  }
  std::sort(classes.begin(), classes.end());
  return classes;
}

void expect_as_executed(const std::string& body) {
  const PredictInput input = input_of(body);
  ASSERT_EQ(input.launches.size(), 1U);
  const LaunchJob& job = input.launches[0];
  const KernelCode& kernel = input.kernels[job.kernel];
  ASSERT_TRUE(job.contents);
  EXPECT_FALSE(job.behaviour); // nothing was executed
  EXPECT_TRUE(job.assumptions.empty());
  const auto slice = behaviour_of(kernel, job, std::nullopt);
  ASSERT_TRUE(slice) << render(slice.error());
  EXPECT_EQ(slice->assumptions, std::vector<std::string>{});
  auto device = DeviceRun::prepare(input);
  ASSERT_TRUE(device) << render(device.error());
  functional::RunOptions options;
  options.check_races = false;
  options.any_contents = true;
  options.recorded_ctas = job.launch.grid.count();
  options.traced_accesses = 1U << 20;
  auto run = device->launch(0, options);
  ASSERT_TRUE(run) << render(run.error());
  EXPECT_EQ(classes_of(*slice), classes_of(*run->behaviour));
  slice::TraceOptions tracing;
  tracing.contents = job.contents;
  const auto traced =
      slice::trace_grid({*kernel.module, *kernel.function(), kernel.list}, job.launch, tracing);
  ASSERT_TRUE(traced) << render(traced.error());
  const auto executed = functional::source_of(run->trace);
  for (std::uint64_t cta = 0; cta < job.launch.grid.count(); ++cta)
    ASSERT_EQ(lines_of_accesses(**traced, cta), lines_of_accesses(*executed, cta)) << "CTA " << cta;
}

TEST(Tables, OfDelaysLeadADedispersion) { expect_as_executed(dedispersion); }
TEST(Tables, OfColumnsLeadASparseProduct) { expect_as_executed(sparse_product); }
TEST(Tables, OfNeighboursAndAFrontierLeadASearch) { expect_as_executed(search); }

TEST(Tables, ThatTheKernelWritesAreExecuted) {
  const PredictInput input = input_of(gather_buffers + events({gather_and_turn, gather_and_turn}));
  for (const LaunchJob& job : input.launches) {
    EXPECT_FALSE(job.contents);
    EXPECT_TRUE(job.behaviour);
  }
  EXPECT_EQ(input.launches.size(), 2U); // the second sees what the first left
}

TEST(Tables, ThatAnEarlierLaunchWritesAreExecuted) {
  const PredictInput input = input_of(gather_buffers + events({gather_and_turn, gather}));
  for (const LaunchJob& job : input.launches) {
    EXPECT_FALSE(job.contents);
    EXPECT_TRUE(job.behaviour);
  }
}

// The same launch before and after: what it does is not the same.
TEST(Tables, ThatAreWrittenBetweenTwoLaunchesAreExecuted) {
  const PredictInput input = input_of(gather_buffers + events({gather, gather_and_turn, gather}));
  for (const LaunchJob& job : input.launches)
    EXPECT_FALSE(job.contents);
}

TEST(Tables, ThatAMemsetFillsAreExecuted) {
  const PredictInput input = input_of(gather_buffers + events({fill_table, gather}));
  for (const LaunchJob& job : input.launches)
    EXPECT_FALSE(job.contents);
}

TEST(Tables, ThatALaterLaunchWritesAreFollowed) {
  const PredictInput input = input_of(gather_buffers + events({gather, gather_and_turn}));
  ASSERT_EQ(input.launches.size(), 2U);
  EXPECT_TRUE(input.launches[0].contents);
  EXPECT_FALSE(input.launches[1].contents);
}

// A store through a pointer that was loaded may go anywhere.
TEST(Tables, AreNotFollowedAfterAStoreOfUnknownTarget) {
  std::string buffers = gather_buffers;
  buffers.insert(buffers.find("\"in\""), R"("places": {"bytes": 256}, )");
  const PredictInput input = input_of(buffers + events({write_anywhere, gather}));
  for (const LaunchJob& job : input.launches)
    EXPECT_FALSE(job.contents);
}

} // namespace
} // namespace kerncast::app
