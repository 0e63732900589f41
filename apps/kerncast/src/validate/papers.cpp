// validate papers: numbers that the papers print. Left out: what needs a measured machine (003's Tables 8 and
// 10 to 12: validate curves), 000's matrix products, and 004's microbenchmarks.
#include <algorithm>

#include <fmt/format.h>

#include "analytical/instruction_mix.h"
#include "analytical/single_pipeline.h"
#include "analytical/volkov.h"
#include "configs/occupancy.h"
#include "gpu_options.h"
#include "papers.h"
#include "predict/models.h"
#include "small_kernels.h"

namespace kerncast::app {
namespace {

Subject subject(std::string of, std::string_view model, std::string quantity) {
  return {"papers", std::move(of), {}, std::string(model), std::move(quantity), statistics::Scale::relative,
          true};
}

// 003, Table 2: C1; C2; M1(C1,C2); C3(M1); C4(C3); M2(C4), two issues per cycle.
const SmallSm& example_sm() {
  static const SmallSm sm{2, 2, configs::SchedulerPolicy::oldest};
  return sm;
}
SmallRun example_kernel(std::uint32_t resident, std::uint64_t warps) {
  return {{{0, 1, 4, {}}, {0, 1, 4, {}}, {1, 2, 6, {0, 1}}, {0, 1, 4, {2}}, {0, 1, 4, {3}}, {1, 2, 6, {4}}},
          1,
          resident,
          warps,
          false};
}

// Between two runs, so that filling and draining drop out.
double example_rate(std::uint32_t resident) {
  const std::uint64_t warps = std::uint64_t{2000} * resident;
  const double longer = simulated_cycles(example_sm(), example_kernel(resident, 2 * warps));
  return static_cast<double>(warps) /
         (longer - simulated_cycles(example_sm(), example_kernel(resident, warps)));
}

// The closed form is min(w / 25, 1 / 4); the simulator, which picks by age, reaches 0.24 at 7 warps.
void add_example(Report& report) {
  const std::string name = "003 example kernel";
  const double dependent[] = {4, 6, 4, 4, 6};
  const double independent[] = {1};
  const double latency = analytical::application_latency(dependent, independent);
  for (int warps = 1; warps <= 12; ++warps)
    report.add(subject(name, "volkov", "warps_per_cycle"),
               {fmt::format("{} warps", warps), std::min(warps / 25.0, 0.25),
                analytical::volkov_warps_per_cycle(0.25, warps, latency), std::nullopt, 1e-12});
  report.add(subject(name, simulator, "cycles"),
             {"1 warp", 25, simulated_cycles(example_sm(), example_kernel(1, 1)), std::nullopt, 0.0});
  report.add(subject(name, simulator, "warps_per_cycle"),
             {"7 warps", 0.24, example_rate(7), std::nullopt, 0.01});
  for (std::uint32_t warps = 8; warps <= 12; ++warps)
    report.add(subject(name, simulator, "warps_per_cycle"),
               {fmt::format("{} warps", warps), 0.25, example_rate(warps), std::nullopt, 0.001});
}

struct MixCase {
  const char* name;
  std::uint16_t second_unit;
  std::uint32_t issue_width;
  double tolerance; // relative
  double (*closed_form)(const analytical::InstructionMix& mix);
};
constexpr MixCase mixes[] = {{"003 eq. 43", 0, 2, 0.02, analytical::mix_ipc_one_subsystem},
                             {"003 eq. 44", 1, 2, 0.02, analytical::mix_ipc_two_subsystems},
                             {"003 eq. 45", 1, 1, 0.08, [](const analytical::InstructionMix& mix) {
                                return analytical::mix_ipc_issue_limited(mix, 1);
                              }}};

// beta instructions of interval 1 to one of interval 4, 32 warps.
void add_mix(const MixCase& mix, Report& report) {
  constexpr std::uint64_t repeats = 2000;
  constexpr std::uint32_t warps = 32;
  for (const std::uint64_t beta : {1U, 2U, 3U, 4U, 6U, 8U, 16U}) {
    SmallRun run{std::vector<SmallOp>(beta, SmallOp{0, 1, 1, {}}), repeats, warps, warps, false};
    run.ops.push_back({mix.second_unit, 4, 4, {}});
    const double cycles = simulated_cycles({mix.issue_width, 2, configs::SchedulerPolicy::oldest}, run);
    const double expected = mix.closed_form({static_cast<double>(beta), 1, 4});
    report.add(subject(mix.name, simulator, "instructions_per_cycle"),
               {fmt::format("beta {}", beta), expected, static_cast<double>(beta * repeats * warps) / cycles,
                std::nullopt, mix.tolerance * expected});
  }
}

// Round robin, integer interval and latency: exactly.
void add_single_pipeline(Report& report) {
  for (const std::uint32_t warps : {1U, 3U, 8U, 32U})
    for (const std::uint64_t instructions : {1U, 7U, 100U})
      for (const double interval : {1.0, 2.0, 8.0})
        for (const double latency : {8.0, 18.0, 400.0}) {
          const SmallRun run{{{0, interval, latency, {}}}, instructions, warps, warps, true};
          const double expected = analytical::single_pipeline_cycles(
              {static_cast<double>(warps), static_cast<double>(instructions), interval, latency});
          report.add(subject("000 eq. 1", simulator, "cycles"),
                     {fmt::format("W {} N {} interval {} latency {}", warps, instructions, interval, latency),
                      expected, simulated_cycles({1, 1, configs::SchedulerPolicy::lrr}, run), std::nullopt,
                      0.0});
        }
}

struct Table4Row {
  const char* kernel;
  configs::CtaResources cta; // threads, registers, shared bytes, CTAs of the grid
  double ctas_per_sm;
  double warps_per_sm;
};
// 002 names neither the GPU (only a TITAN X fits) nor registers (any up to 32 fit).
constexpr Table4Row table_4[] = {
    {"stencil", {128, 32, 1024, 1024}, 16, 64},      {"tpacf", {256, 32, 10240, 201}, 8, 64},
    {"lud_internal", {256, 30, 2048, 16129}, 8, 64}, {"nn", {256, 12, 0, 168}, 7, 56},
    {"pathfinder", {256, 16, 2048, 463}, 8, 64},     {"gaussian Fan2", {16, 16, 0, 65536}, 32, 32},
    {"bfs Kernel", {512, 22, 0, 1954}, 4, 64},       {"bfs Kernel2", {512, 12, 0, 1954}, 4, 64}};

} // namespace

Expected<void> add_pipelines(const SuiteInput&, Report& report) {
  add_single_pipeline(report);
  add_example(report);
  for (const MixCase& mix : mixes)
    add_mix(mix, report);
  return {};
}

Expected<void> add_occupancies(const SuiteInput& input, Report& report) {
  const Expected<configs::Gpu> gpu = load_gpu("titan-x", std::vector<std::string>{}, input.session.configs);
  if (!gpu)
    return tl::unexpected(gpu.error());
  for (const Table4Row& row : table_4) {
    const Expected<configs::Occupancy> ours = configs::occupancy(row.cta, *gpu);
    if (!ours)
      return tl::unexpected(ours.error());
    const auto add = [&](const char* quantity, double published, double found) {
      Subject of = subject("002 Table 4", "occupancy", quantity);
      of.gpu = gpu->name;
      report.add(of, {row.kernel, published, found, std::nullopt, 0.0});
    };
    add("ctas_per_sm", row.ctas_per_sm, ours->ctas_per_sm);
    add("warps_per_sm", row.warps_per_sm, ours->warps_per_sm);
  }
  return {};
}

Expected<void> validate_papers(const SuiteInput& input, Report& report) {
  for (const auto part : {add_pipelines, add_dissertation, add_occupancies})
    if (const Expected<void> added = part(input, report); !added)
      return tl::unexpected(added.error());
  return {};
}

} // namespace kerncast::app
