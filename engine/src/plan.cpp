// How a launch's CTAs spread over SMs, and which workloads must be simulated to know the time of all.
//
// Leaves out: that CTAs start on the SM that frees up first.
#include <algorithm>
#include <cassert>
#include <map>

#include <fmt/format.h>

#include "cta_sequence.h"
#include "dram_mix.h"
#include "engine/kernel.h"
#include "engine/l2_rates.h"
#include "engine/simulate_plan.h"
#include "hit_rates/issued_source.h"
#include "machine/executed_behaviour.h"
#include "misses_under_way.h"
#include "sm_program.h"
#include "spread.h"
#include "tasklist/operation.h"

namespace kerncast::engine {
namespace {

// The GPU starts one CTA after the other, on its SMs in turn, those that get most CTAs first. Of SMs that get
// the same, the last to get its first CTA is meant: `before` SMs of all have theirs by then.
void share_launches(const configs::Gpu& gpu, std::uint64_t before, std::uint64_t all, SmConfig& config) {
  config.first_cta_launch = gpu.cta_launch_interval * static_cast<double>(before);
  config.cta_launch_interval = gpu.cta_launch_interval * static_cast<double>(all);
}

// `most`: bytes per clock that DRAM sustains for the SM. `written`: of the bytes that DRAM moves.
DramLoad dram_load(const configs::Dram& dram, double most, double written) {
  const configs::LoadedLatency& loaded = dram.loaded_latency;
  const double slope = loaded.a > 0 ? dram.latency * loaded.b / loaded.a : 0;
  const double behind_writes = dram.write_wait * written / most;
  if (slope <= 0 && behind_writes <= 0)
    return {};
  return {.slope = slope, .limit = most * (loaded.c > 0 ? loaded.c : 1), .behind_writes = behind_writes};
}

// What as many instructions of the unit's own interval take as may wait for it.
double queue_cycles(const configs::Unit& unit) { return unit.queue * unit.issue_interval / unit.count; }

// `share`: of what all SMs use. `written`: of the bytes that DRAM moves.
SmConfig sm_config(const configs::Gpu& gpu, double share, double written) {
  SmConfig config;
  config.sub_cores = gpu.sub_cores_per_sm;
  config.issue_width = gpu.issue_width;
  config.dual_issue = gpu.dual_issue;
  config.issue_interval = gpu.issue_interval;
  config.warp_issue_distance = gpu.warp_issue_distance;
  config.scheduler = gpu.scheduler;
  config.warp_end = gpu.warp_end;
  config.cta_launch_latency = gpu.cta_launch_latency;
  for (const configs::Unit& unit : gpu.units)
    config.units.push_back({unit.scope, unit.count, queue_cycles(unit)});
  config.memory_ports = gpu.memory.ports_per_sm;
  config.link_bytes_per_clock = gpu.memory.to_l2_bytes_per_clock;
  config.l2_bytes_per_clock = gpu.l2_bytes_per_clock() * share;
  config.l2_requests = l2_requests_of(gpu, share);
  config.dram_bytes_per_clock =
      gpu.dram_bytes_per_clock() * share / slowdown_of_mix(written, gpu.dram.mixed_loss);
  config.dram_load = dram_load(gpu.dram, config.dram_bytes_per_clock, written);
  if (const double most = dram_bytes_per_clock_of_mshrs(gpu) * share; most > 0)
    config.dram_bytes_per_clock = std::min(config.dram_bytes_per_clock, most);
  config.others_share = 1 - share;
  config.in_flight_bytes = in_flight_bytes(gpu);
  config.loads_per_warp = gpu.memory.loads_per_warp;
  return config;
}

// Instructions have 16 bytes since Volta, 8 before (cuobjdump; Fermi's and Kepler's control words apart).
std::uint32_t bytes_per_instruction(const configs::Gpu& gpu) {
  return gpu.compute_capability_major >= 7 ? 16 : 8;
}

std::uint64_t code_bytes(const KernelInput& input) {
  return input.program.static_instructions() * bytes_per_instruction(input.gpu);
}

std::uint64_t sms_with_ctas(const std::vector<SmShare>& all) {
  std::uint64_t sms = 0;
  for (const SmShare& share : all)
    sms += share.sm_count;
  return sms;
}

// Of L2 and DRAM. The SM with most work gets as much of them as of the work: what saturates them ends when
// the bytes of all CTAs have passed. The others compete with it on equal terms, as long as they run. Where
// all have about the same work they have the same shares, and can be simulated in one run.
double bandwidth_of(const SmShare& share, const std::vector<SmShare>& all) {
  const auto sms = static_cast<double>(sms_with_ctas(all));
  const double most = std::ranges::max(all, {}, &SmShare::of_work).of_work;
  return most * sms <= 1 + equal_work ? most : std::max(share.of_work, 1 / sms);
}

// Simulated alone, SMs that begin with the same CTAs do the same as long as these are alike, only later: at
// least where that is by whole cycles and turns of the sub-cores, and nearly so elsewhere.
bool have_the_same(const SmConfig& a, const SmConfig& b) {
  return a.l2_bytes_per_clock == b.l2_bytes_per_clock && a.dram_bytes_per_clock == b.dram_bytes_per_clock;
}

// Groups that begin as the busiest does.
void simulate_with_busiest(KernelPlan& plan) {
  const std::size_t first = busiest_group(plan);
  SmWorkload& busiest = plan.groups[first].workload;
  if (ctas_of(busiest) <= busiest.resident_ctas)
    return;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const SmWorkload& workload = plan.groups[g].workload;
    if (g == first || !have_the_same(workload.config, busiest.config) ||
        common_ctas(workload.ctas, busiest.ctas) < busiest.resident_ctas)
      continue;
    plan.groups[g].with_busiest = busiest.other_ctas.size();
    plan.groups[g].later = workload.config.first_cta_launch - busiest.config.first_cta_launch;
    busiest.other_ctas.push_back(workload.ctas);
  }
}

// What no access of the launch uses is left out, so that workloads that do the same are the same. `share`: of
// what all SMs use.
void plan_turns(const SmProgram& program, const configs::Gpu& gpu, double share, SmConfig& config) {
  const auto takes_turns = [](const memory_model::Request& request) { return request.hottest_turns > 0; };
  if (std::ranges::any_of(program.requests, takes_turns))
    config.hottest_turns_per_clock = hottest_turns_per_clock(gpu, share);
}

// Code that the instruction cache cannot hold is fetched from L2 again and again. How much of a fetch
// prefetching leaves is a property of the GPU that its description must state: with all of L2's latency a
// convolution of 89 KiB on an RTX 2080 Ti would take 4.6 times as long as measured, without any it takes 0.67
// times.
//
// Of the SMs that share a cache as many fetch as of all SMs: CTAs are dealt evenly.
void plan_fetches(const KernelInput& input, std::uint64_t sms_with_ctas, SmConfig& config) {
  constexpr std::uint32_t line_bytes = 128;
  const configs::InstructionCache& cache = input.gpu.instruction_cache;
  if (cache.miss_latency == 0 || cache.bytes < line_bytes || code_bytes(input) <= cache.bytes)
    return;
  config.instruction_cache_lines = static_cast<std::uint32_t>(cache.bytes / line_bytes);
  config.instructions_per_line = line_bytes / bytes_per_instruction(input.gpu);
  config.instruction_miss_latency = cache.miss_latency;
  const double sharing = std::min(cache.sms, static_cast<double>(input.gpu.sms));
  config.instruction_sms = std::max(1.0, sharing * static_cast<double>(sms_with_ctas) / input.gpu.sms);
}

void note_fetches(const KernelInput& input, std::vector<std::string>& assumptions) {
  const configs::InstructionCache& cache = input.gpu.instruction_cache;
  if (cache.bytes == 0 || code_bytes(input) <= cache.bytes)
    return;
  const std::string cost =
      cache.miss_latency == 0
          ? "fetching them is taken to be free (no instruction_cache.miss_latency)"
          : fmt::format("a line of 128 bytes comes from L2 in {:g} cycles", cache.miss_latency);
  assumptions.push_back(fmt::format("instruction cache: {} KiB of code do not fit {} KiB; {}",
                                    code_bytes(input) / 1024, cache.bytes / 1024, cost));
}

// A buffer counts once, with what several arguments say of it.
std::uint64_t buffer_bytes(const tasklist::Launch& launch) {
  std::map<std::uint32_t, std::uint64_t> of_buffer;
  const auto add = [&](const tasklist::Argument& argument) {
    if (argument.kind == tasklist::Argument::Kind::buffer)
      of_buffer[argument.buffer] = std::max(of_buffer[argument.buffer], argument.buffer_bytes);
  };
  std::ranges::for_each(launch.arguments, add);
  std::ranges::for_each(launch.members, add, &tasklist::StructMember::value);
  std::uint64_t sum = 0;
  for (const auto& [buffer, bytes] : of_buffer)
    sum += bytes;
  return sum;
}

void note_buffers(const KernelInput& input, std::vector<std::string>& assumptions) {
  constexpr double gib = 1024.0 * 1024 * 1024;
  const std::uint64_t bytes = buffer_bytes(input.launch);
  if (bytes > input.gpu.dram.bytes)
    assumptions.push_back(fmt::format(
        "{}: the {:.2f} GiB of the launch's buffers do not fit dram.gib = {:g}; taken as "
        "if they did",
        input.gpu.name, static_cast<double>(bytes) / gib, static_cast<double>(input.gpu.dram.bytes) / gib));
}

// Where misses of the TLB are part of the description, but not of what is predicted.
void note_translation(const KernelInput& input, std::vector<std::string>& assumptions) {
  constexpr double mib = 1024.0 * 1024;
  const configs::Tlb& tlb = input.gpu.tlb;
  if (tlb.reach_bytes == 0 || buffer_bytes(input.launch) <= tlb.reach_bytes)
    return;
  if (tlb.miss_latency == 0 || input.hit_rates)
    assumptions.push_back(fmt::format(
        "TLB: the {:.4g} MiB of the launch's buffers are more than tlb.reach_mib = {:g}, but misses "
        "are taken to be free ({})",
        static_cast<double>(buffer_bytes(input.launch)) / mib, static_cast<double>(tlb.reach_bytes) / mib,
        tlb.miss_latency == 0 ? "no tlb.miss_latency" : "hit rates are given"));
}

void note_turns(const KernelInput& input, std::vector<std::string>& assumptions) {
  const auto is_atomic_in_l2 = [](const machine::MachineOp& op) {
    return op.kind == machine::OpKind::memory && op.space != tasklist::Space::shared &&
           (op.task_kind == tasklist::TaskKind::atomic || op.task_kind == tasklist::TaskKind::reduction);
  };
  if (input.gpu.l2_atomic_interval == 0 && std::ranges::any_of(input.program.ops, is_atomic_in_l2))
    assumptions.push_back(
        fmt::format("{}: atomics of one address are taken not to wait for each other (no l2.atomic_interval)",
                    input.gpu.name));
}

// Of one CTA of each class: instructions, and bytes of bulk copies.
std::vector<GridKind> kinds_of(const KernelInput& input) {
  const std::vector<std::uint64_t> per_path = path_instructions(input);
  const std::vector<std::uint64_t> bytes = path_bulk_bytes(input.behaviour);
  std::vector<GridKind> kinds;
  for (const tasklist::CtaClass& one : input.behaviour.classes) {
    kinds.push_back({.ctas = one.cta_count, .extent = one.extent});
    for (const std::uint32_t path : one.warp_paths) {
      kinds.back().work += static_cast<double>(per_path[path]);
      kinds.back().bulk_bytes += bytes[path];
    }
  }
  return kinds;
}

std::uint64_t device_instructions(const KernelInput& input) {
  const std::vector<std::uint64_t> per_path = path_instructions(input);
  std::uint64_t sum = 0;
  for (const tasklist::CtaClass& one : input.behaviour.classes)
    for (const std::uint32_t path : one.warp_paths)
      sum += one.cta_count * per_path[path];
  return sum;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<OpSource> op_sources(const KernelInput& input) {
  std::vector<OpSource> sources;
  for (const machine::MachineOp& op : input.program.ops) {
    const tasklist::Task& task = input.list.tasks[op.task];
    sources.push_back({task.line, task.source_line, input.list.operations[task.operation]});
  }
  return sources;
}

// The launch's numbers that had to be guessed.
void note_guesses(const KernelInput& input, KernelPlan& plan) {
  append(plan.assumptions, input.gpu.assumptions);
  append(plan.assumptions, input.program.assumptions);
  append(plan.assumptions, input.behaviour.assumptions);
  if (!input.launch.registers)
    plan.assumptions.push_back(
        fmt::format("registers: {} per thread estimated from liveness (no count given){}", plan.registers,
                    configs::beyond_fitting(input.program.registers_estimated, plan.cta)));
  if (input.hit_rates)
    return;
  if (input.predicted == nullptr)
    plan.assumptions.push_back("hit rates: none given, every global access is taken to reach DRAM");
  else
    append(plan.assumptions, input.predicted->notes);
}

bool uses_predicted(const KernelInput& input) { return !input.hit_rates && input.predicted != nullptr; }

const char* hit_source_of(const KernelInput& input) {
  if (!uses_predicted(input))
    return input.hit_rates ? "oracle" : "assumed";
  return input.predicted->partly_given ? "oracle and predicted" : "predicted";
}

// A kernel that is launched has registers for its CTA, whatever is estimated.
configs::CtaResources resources_of(const tasklist::Tasklist& list, const machine::MachineProgram& program,
                                   const tasklist::Launch& launch, const configs::Gpu& gpu,
                                   std::uint64_t grid_ctas) {
  configs::CtaResources cta = {.threads_per_cta = launch.threads_per_cta(),
                               .registers_per_thread = launch.registers.value_or(program.registers_estimated),
                               .shared_bytes_per_cta = list.static_shared_bytes + launch.dynamic_shared_bytes,
                               .grid_ctas = grid_ctas};
  if (!launch.registers)
    cta.registers_per_thread = configs::fitting_registers(cta, gpu);
  return cta;
}

// Of the CTAs that fit on an SM, those that one has at a time.
double residency(const KernelInput& input, const configs::Occupancy& occupancy) {
  constexpr std::uint64_t any_grid = 0;
  const Expected<configs::Occupancy> room = configs::occupancy(
      resources_of(input.list, input.program, input.launch, input.gpu, any_grid), input.gpu);
  return room ? static_cast<double>(occupancy.ctas_per_sm) / room->ctas_per_sm : 1;
}

} // namespace

// Given ones of L1 are those of loads that go there.
memory_model::HitRates hits_of(const KernelInput& input, const machine::MachineOp& op) {
  if (uses_predicted(input))
    return input.predicted->by_task[hit_rates::task_of(op, input.list)];
  memory_model::HitRates hits = input.hit_rates.value_or(memory_model::HitRates{});
  if (hits.l1 > 0 && !op.is_spill && tasklist::passes_l1_by(input.list, input.list.tasks[op.task]))
    hits.l1 = 0;
  return hits;
}

Expected<configs::Occupancy> occupancy_of(const tasklist::Tasklist& list,
                                          const machine::MachineProgram& program,
                                          const tasklist::Launch& launch, const configs::Gpu& gpu) {
  return configs::occupancy(resources_of(list, program, launch, gpu, launch.grid.count()), gpu);
}

Expected<KernelPlan> plan_kernel(const KernelInput& asked) {
  const machine::ExecutedBehaviour executed(asked.behaviour, asked.program);
  const KernelInput input{asked.list,      asked.program,   executed.get(),     asked.launch, asked.gpu,
                          asked.hit_rates, asked.predicted, asked.average_hits, asked.exact,  asked.explain};
  KernelPlan plan;
  plan.kernel = input.list.kernel;
  const std::uint64_t ctas = input.launch.grid.count();
  Expected<configs::Occupancy> occupancy = occupancy_of(input.list, input.program, input.launch, input.gpu);
  if (!occupancy)
    return tl::unexpected(std::move(occupancy).error());
  plan.cta = resources_of(input.list, input.program, input.launch, input.gpu, ctas);
  plan.registers = plan.cta.registers_per_thread;
  plan.occupancy = *occupancy;
  plan.residency = residency(input, *occupancy);
  plan.hit_rates =
      uses_predicted(input) ? input.predicted->rates : input.hit_rates.value_or(memory_model::HitRates{});
  plan.hit_source = hit_source_of(input);
  plan.warp_instructions = device_instructions(input);
  plan.waves = static_cast<double>(ctas) / (static_cast<double>(plan.occupancy.ctas_per_sm) * input.gpu.sms);

  SmWorkload workload;
  std::vector<std::string> assumptions;
  note_fetches(input, assumptions);
  note_buffers(input, assumptions);
  note_translation(input, assumptions);
  note_turns(input, assumptions);
  workload.program = std::make_shared<const SmProgram>(make_sm_program(input, assumptions));
  workload.resident_ctas = plan.occupancy.ctas_per_sm;
  for (const tasklist::CtaClass& one : input.behaviour.classes)
    workload.kinds.push_back({one.warp_paths});
  plan.order = input.behaviour.order;
  workload.detail = input.explain;
  workload.steady_error = input.exact ? 0 : max_steady_error;
  const std::vector<GridKind> grid = kinds_of(input);
  const double written = written_share(*workload.program, workload.kinds, grid);
  plan.dram_bytes_per_clock =
      input.gpu.dram_bytes_per_clock() / slowdown_of_mix(written, input.gpu.dram.mixed_loss);
  const std::vector<SmShare> shares = spread(grid, input.gpu.sms);
  const std::uint64_t sms = sms_with_ctas(shares);
  std::uint64_t started = 0;
  for (const SmShare& share : shares) {
    const double of_bandwidth = bandwidth_of(share, shares);
    workload.config = sm_config(input.gpu, of_bandwidth, written);
    started += share.sm_count;
    share_launches(input.gpu, started - 1, sms, workload.config);
    plan_fetches(input, sms, workload.config);
    plan_turns(*workload.program, input.gpu, of_bandwidth, workload.config);
    workload.ctas = share.sequence;
    plan.groups.push_back({share.sm_count, share.ctas, workload, share.of_work, of_bandwidth});
  }
  simulate_with_busiest(plan);
  if (input.explain)
    plan.op_sources = op_sources(input);
  note_guesses(input, plan);
  append(plan.assumptions, assumptions);
  return plan;
}

} // namespace kerncast::engine
