// Every launch that the shipped applications describe: the slice of sampled CTAs against what functional
// execution does there, with the contents that the applications give. Where nothing depends on data, the same
// blocks as often, the same masks, and for each access the same lanes at the same addresses. Where something
// does, the same until a branch or guard that the slice's assumptions name, and the same addresses wherever
// the slice knows them. Where it says that patterns stand for others, as many lanes.
#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "predict/read_input.h"
#include "run/device_run.h"
#include "slice/execute.h"
#include "slice/grid_accesses.h"
#include "support/files.h"

namespace kerncast::app {
namespace {

using slice::DataDependence;
using tasklist::AddressShape;
using tasklist::BlockVisit;
using tasklist::lanes_per_warp;
using tasklist::LaunchBehaviour;

constexpr std::uint64_t sampled_ctas = 12;
// Of an application whose kernels depend on data, executed one launch after the other.
constexpr std::uint64_t max_warp_instructions = 8'000'000;

// The visits of a path, repeats written out.
void expand(const std::vector<tasklist::PathNode>& nodes, std::size_t begin, std::size_t end,
            std::vector<std::uint32_t>& visits) {
  constexpr std::size_t enough = 1U << 18;
  for (std::size_t n = begin; n < end && visits.size() < enough; ++n) {
    if (nodes[n].kind == tasklist::PathNode::Kind::visit) {
      visits.push_back(nodes[n].visit);
      continue;
    }
    for (std::uint64_t k = 0; k < nodes[n].count && visits.size() < enough; ++k)
      expand(nodes, n + 1, n + 1 + nodes[n].length, visits);
    n += nodes[n].length;
  }
}

std::vector<std::uint32_t> visits_of(const LaunchBehaviour& b, std::uint32_t path) {
  std::vector<std::uint32_t> visits;
  const auto& nodes = b.paths.at(path).nodes;
  expand(nodes, 0, nodes.size(), visits);
  return visits;
}

// Blocks with a line of which the slice had to assume something, from which on others may be visited; true
// where that is not only the block's last instruction, so that its accesses may differ too.
using Doubts = std::map<tasklist::BlockId, bool>;

Doubts doubts_of(const KernelCode& kernel, const LaunchBehaviour& slice) {
  std::set<std::uint32_t> lines;
  for (const std::string& text : slice.assumptions)
    if (text.starts_with("line ") && text.find("depends on unknown data") != std::string::npos &&
        text.find("the address depends") == std::string::npos)
      lines.insert(static_cast<std::uint32_t>(std::stoul(text.substr(5))));
  Doubts doubts;
  for (tasklist::BlockId b = 0; b < kernel.list.blocks.size(); ++b) {
    const tasklist::Block& block = kernel.list.blocks[b];
    for (std::uint32_t i = 0; i < block.instruction_count; ++i)
      if (lines.contains(kernel.function()->instructions[block.first_instruction + i].place.line))
        doubts[b] = doubts[b] || i + 1 < block.instruction_count;
  }
  return doubts;
}

// Some access has more patterns than are kept: one that was stands for others.
bool has_stand_ins(const LaunchBehaviour& slice) {
  return std::any_of(slice.assumptions.begin(), slice.assumptions.end(), [](const std::string& text) {
    return text.find("different address patterns; the others are taken as") != std::string::npos;
  });
}

bool same_shape(const AddressShape& slice, const AddressShape& executed, bool stand_ins) {
  if (stand_ins)
    return std::popcount(slice.mask) == std::popcount(executed.mask) && slice.bytes == executed.bytes;
  if (slice.mask != executed.mask || slice.bytes != executed.bytes)
    return false;
  return !slice.known || !slice.place_known || slice.offsets == executed.offsets;
}

bool same_accesses(const LaunchBehaviour& a, const BlockVisit& x, const LaunchBehaviour& b,
                   const BlockVisit& y, bool stand_ins) {
  if (x.accesses.count != y.accesses.count)
    return false;
  for (std::uint32_t k = 0; k < x.accesses.count; ++k) {
    const AddressShape& shape = a.shapes[a.access_pool[x.accesses.begin + k]];
    if (!same_shape(shape, b.shapes[b.access_pool[y.accesses.begin + k]], stand_ins))
      return false;
  }
  return true;
}

// One warp: the same visits, at least up to a doubtful one.
bool same_way(const LaunchBehaviour& slice, const std::vector<std::uint32_t>& expected,
              const LaunchBehaviour& run, const std::vector<std::uint32_t>& done, const Doubts& doubts) {
  const bool stand_ins = has_stand_ins(slice);
  for (std::size_t v = 0; v < std::max(expected.size(), done.size()); ++v) {
    if (v >= expected.size() || v >= done.size())
      return false;
    const BlockVisit &x = slice.visits[expected[v]], &y = run.visits[done[v]];
    if (x.block != y.block || x.active_mask != y.active_mask)
      return false;
    const auto doubt = doubts.find(x.block);
    if (doubt != doubts.end() && doubt->second)
      return true;
    if (!same_accesses(slice, x, run, y, stand_ins))
      return false;
    if (doubt != doubts.end())
      return true;
  }
  return true;
}

bool same_way(const LaunchBehaviour& slice, const tasklist::CtaClass& expected, const LaunchBehaviour& run,
              const tasklist::CtaClass& done, const Doubts& doubts) {
  if (expected.warp_paths.size() != done.warp_paths.size())
    return false;
  for (std::size_t w = 0; w < done.warp_paths.size(); ++w)
    if (!same_way(slice, visits_of(slice, expected.warp_paths[w]), run, visits_of(run, done.warp_paths[w]),
                  doubts))
      return false;
  return true;
}

// Each class of CTAs that occurred is one that the slice has.
void expect_same_ways(const KernelCode& kernel, const LaunchBehaviour& slice, const LaunchBehaviour& run) {
  const Doubts doubts = doubts_of(kernel, slice);
  for (const tasklist::CtaClass& done : run.classes)
    EXPECT_TRUE(
        std::any_of(slice.classes.begin(), slice.classes.end(),
                    [&](const tasklist::CtaClass& c) { return same_way(slice, c, run, done, doubts); }))
        << "a class of " << done.cta_count << " CTAs";
}

// The accesses of one CTA, one line each.
std::vector<std::string> written_out(tasklist::AccessSource& source, std::uint64_t number) {
  const tasklist::PlacedTrace placed = source.cta(number);
  std::vector<std::string> lines;
  std::size_t warp = 0;
  for (std::size_t a = 0; a < placed.trace->accesses.size(); ++a) {
    while (warp + 1 < placed.trace->warp_begin.size() && placed.trace->warp_begin[warp + 1] <= a)
      ++warp;
    const tasklist::TracedAccess& access = placed.trace->accesses[a];
    const tasklist::AccessPattern& p = source.patterns().at(access.pattern);
    std::string line = fmt::format("warp {} task {} mask {:08x} bytes {} known {} local {} at {:x}:", warp,
                                   access.task, p.mask, p.bytes, p.known, p.local, placed.address(access));
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      if ((p.mask >> i & 1U) != 0)
        line += fmt::format(" {}", p.offsets[i]);
    lines.push_back(std::move(line));
  }
  return lines;
}

// The CTAs that are recorded, as numbers of the grid, and where a trace of them alone has them.
struct Sampled {
  std::uint64_t cta = 0;
  std::uint64_t place = 0;
};
std::vector<Sampled> sampled(const tasklist::Launch& launch, bool only_recorded) {
  const std::uint64_t size = launch.cluster ? launch.cluster->count() : 1;
  const std::uint64_t clusters = launch.grid.count() / size;
  const std::uint64_t recorded = std::min(clusters, sampled_ctas);
  std::vector<Sampled> ctas;
  for (std::uint64_t n = 0; n < recorded; ++n) {
    const std::uint64_t cluster = n * clusters / recorded;
    if (size > 1 || !only_recorded)
      ctas.push_back({cluster * size, cluster * size}); // clusters along x
    else
      ctas.push_back({cluster, n});
  }
  return ctas;
}

void expect_same_addresses(const KernelCode& kernel, const tasklist::Launch& launch,
                           const functional::RunResult& run, bool only_recorded) {
  const slice::SliceProgram program(*kernel.module, *kernel.function(), kernel.list);
  auto traced = slice::trace_grid(program, launch);
  ASSERT_TRUE(traced) << render(traced.error());
  ASSERT_TRUE(run.trace);
  const auto executed = functional::source_of(run.trace);
  for (const Sampled& at : sampled(launch, only_recorded)) {
    const auto expected = written_out(**traced, at.cta), done = written_out(*executed, at.place);
    if (expected == done)
      continue;
    const auto differ = std::mismatch(expected.begin(), expected.end(), done.begin(), done.end());
    ADD_FAILURE() << "CTA " << at.cta << ", access " << differ.first - expected.begin()
                  << "\n  slice: " << (differ.first == expected.end() ? "ends" : *differ.first)
                  << "\n  executed: " << (differ.second == done.end() ? "ends" : *differ.second);
  }
}

class Applications : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    PredictOptions options;
    options.threads = 1;
    auto source = read_source(KERNCAST_SOURCE_DIR "/apps/workloads/" + GetParam() + "/app.json");
    ASSERT_TRUE(source) << render(source.error());
    auto input = read_input(std::move(*source), options);
    ASSERT_TRUE(input) << render(input.error());
    input_.emplace(std::move(*input));
    for (LaunchJob& job : input_->launches)
      job.launch.facts = {}; // said of data that is not given
    for (const KernelCode& kernel : input_->kernels)
      depends_.push_back(slice::data_dependence(*kernel.module, *kernel.function(), kernel.list, true));
  }

  DataDependence depends_on(const LaunchJob& job) const { return depends_[job.kernel]; }
  bool depends_on_buffers(const LaunchJob& job) const { return depends_on(job) >= DataDependence::loads; }

  functional::RunOptions recording() const {
    functional::RunOptions options;
    options.check_races = false;
    options.any_contents = true;
    options.recorded_ctas = sampled_ctas;
    return options;
  }

  void compare(const LaunchJob& job, const functional::RunResult& run, bool only_recorded) {
    const KernelCode& kernel = input_->kernels[job.kernel];
    SCOPED_TRACE(fmt::format("{} of {} CTAs", kernel.name, job.launch.grid.count()));
    const auto slice = slice::execute_slice(*kernel.module, *kernel.function(), kernel.list, job.launch);
    ASSERT_TRUE(slice) << render(slice.error());
    ASSERT_TRUE(run.behaviour);
    expect_same_ways(kernel, *slice, *run.behaviour);
    ++compared_[job.kernel];
    if (depends_on(job) != DataDependence::none)
      return;
    for (const std::string& text : slice->assumptions)
      EXPECT_EQ(text.find("unknown"), std::string::npos) << text;
    expect_same_addresses(kernel, job.launch, run, only_recorded);
  }

  void compare_what_launches_decide();
  void compare_what_data_decide();
  void compare_alone(DeviceRun& device, std::uint32_t j);

  std::optional<PredictInput> input_;
  std::vector<DataDependence> depends_;           // by kernel
  std::map<std::uint32_t, std::size_t> compared_; // launches, by kernel
};

// The first, the middle and the last of each kernel's launches.
std::set<std::uint32_t> some_launches(const PredictInput& input) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_kernel;
  for (std::uint32_t j = 0; j < input.launches.size(); ++j)
    of_kernel[input.launches[j].kernel].push_back(j);
  std::set<std::uint32_t> some;
  for (const auto& [kernel, jobs] : of_kernel)
    some.insert({jobs.front(), jobs[jobs.size() / 2], jobs.back()});
  return some;
}

// On memory of their own: the buffers may hold anything.
void Applications::compare_what_launches_decide() {
  auto device = DeviceRun::prepare(*input_, std::vector<bool>(input_->buffers.size()));
  ASSERT_TRUE(device) << render(device.error());
  for (const std::uint32_t j : some_launches(*input_))
    if (!depends_on_buffers(input_->launches[j]))
      compare_alone(*device, j);
}

void Applications::compare_alone(DeviceRun& device, std::uint32_t j) {
  functional::RunOptions options = recording();
  options.only_recorded = true;
  options.traced_accesses = 1U << 22;
  const auto run = device.launch(j, options);
  ASSERT_TRUE(run) << render(run.error());
  compare(input_->launches[j], *run, true);
}

// Launches in their order, each with what earlier ones left; of kernels that no budget reaches, one launch on
// what the buffers hold then.
void Applications::compare_what_data_decide() {
  auto device = DeviceRun::prepare(*input_);
  ASSERT_TRUE(device) << render(device.error());
  std::uint64_t executed = 0;
  const auto options_of = [&](const LaunchTurn&) {
    functional::RunOptions options = recording();
    options.max_warp_instructions = max_warp_instructions - std::min(executed, max_warp_instructions);
    return std::optional(options);
  };
  const auto ran = device->run(options_of, [&](const LaunchTurn& turn, functional::RunResult&& run) {
    executed += run.warp_instructions;
    if (run.given_up)
      return false;
    const LaunchJob& job = input_->launches[turn.job];
    constexpr std::size_t enough = 3;
    if (depends_on_buffers(job) && compared_[job.kernel] < enough)
      compare(job, run, false);
    return true;
  });
  ASSERT_TRUE(ran) << render(ran.error());
  for (std::uint32_t j = 0; j < input_->launches.size(); ++j)
    if (compared_[input_->launches[j].kernel] == 0)
      compare_alone(*device, j);
}

TEST_P(Applications, DoWhatTheirSlicesSay) {
  compare_what_launches_decide();
  if (std::any_of(input_->launches.begin(), input_->launches.end(),
                  [&](const LaunchJob& job) { return depends_on_buffers(job); }))
    compare_what_data_decide();
  for (const LaunchJob& job : input_->launches)
    EXPECT_GT(compared_[job.kernel], 0U) << input_->kernels[job.kernel].name;
}

std::vector<std::string> shipped() {
  const std::filesystem::path folder = KERNCAST_SOURCE_DIR "/apps/workloads";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().filename() == "app.json")
      names.push_back(std::filesystem::relative(entry.path().parent_path(), folder).string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& of) {
  std::string name = of.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Shipped, Applications, testing::ValuesIn(shipped()), test_name);

} // namespace
} // namespace kerncast::app
