#include "functional/kernel.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "atomics.h"
#include "global_races.h"
#include "launch_run.h"
#include "module_image.h"
#include "print_format.h"
#include "warp/cluster.h"
#include "warp/decode.h"
#include "warp/thread_diagnostic.h"
#include "watched_buffers.h"

namespace kerncast::functional {
namespace {

using tasklist::no_id;
using warp::Program;

// The loop whose header `target` is, if `source` lies outside of it.
std::uint32_t entered_loop(const tasklist::Tasklist& list, tasklist::BlockId source,
                           tasklist::BlockId target) {
  for (std::uint32_t l = 0; l < list.loops.size(); ++l) {
    const auto& blocks = list.loops[l].blocks;
    if (list.loops[l].header == target && !std::binary_search(blocks.begin(), blocks.end(), source))
      return l;
  }
  return no_id;
}

std::vector<EntryEdges> find_entries(const Program& program, const tasklist::Tasklist& list) {
  std::vector<EntryEdges> entries;
  for (tasklist::BlockId b = 0; b < program.blocks.size(); ++b) {
    const warp::Terminator& t = program.blocks[b].terminator;
    EntryEdges edges;
    edges.taken = entered_loop(list, b, t.taken);
    edges.next = entered_loop(list, b, t.next);
    for (const tasklist::BlockId target : t.targets)
      edges.targets.push_back(target == tasklist::no_id ? target : entered_loop(list, b, target));
    entries.push_back(std::move(edges));
  }
  return entries;
}

bool is_light(warp::Step::Kind kind) {
  using Kind = warp::Step::Kind;
  return kind == Kind::compute || kind == Kind::access || kind == Kind::members;
}

// A visit counts as one, and more for what takes time: each operation on memory as one, others sixteen as
// one.
std::vector<std::uint32_t> work_of_blocks(const Program& program) {
  constexpr std::uint32_t operations_per_work = 16;
  std::vector<std::uint32_t> work;
  for (const warp::BlockProgram& block : program.blocks) {
    std::uint32_t computes = 0;
    for (std::uint32_t s = block.first_step; s < block.first_step + block.step_count; ++s)
      computes += is_light(program.steps[s].kind) ? 1 : 0;
    work.push_back(1 + (block.step_count - computes) + computes / operations_per_work);
  }
  return work;
}

// Blocks of the heap lie where those before them leave room.
bool uses_heap(const Program& program) {
  return std::ranges::any_of(program.system_calls, [](const warp::SystemCall& call) {
    return call.kind == warp::SystemCall::Kind::allocate || call.kind == warp::SystemCall::Kind::release;
  });
}

// Shared memory is ordered by more than barriers for all: threads may meet there on purpose.
bool has_other_order(const ptx::Function& kernel, const Program& program) {
  const auto orders = [](const ptx::Instruction& i) {
    return i.opcode == ptx::Opcode::membar || i.opcode == ptx::Opcode::fence ||
           i.opcode == ptx::Opcode::mbarrier;
  };
  const auto is_partial = [](const warp::BarrierOp& op) {
    return op.threads.pool != warp::Pool::none || op.kind == warp::BarrierOp::Kind::arrive;
  };
  return std::any_of(kernel.instructions.begin(), kernel.instructions.end(), orders) ||
         std::any_of(program.barriers.begin(), program.barriers.end(), is_partial);
}

} // namespace

struct Kernel::Code {
  Program program;
  std::vector<EntryEdges> entries;
  std::vector<std::uint32_t> block_work;
  std::vector<std::optional<warp::LoopControl>> loop_controls;
  ModuleVariables variables;
  std::shared_ptr<const SourceText> source;
  std::vector<std::vector<ptx::Opcode>> opcodes; // by block
  std::vector<std::uint64_t> instructions;       // by block
  bool order_matters = false;
  bool orders_otherwise = false;
  std::optional<warp::MemoryUse> unordered_use; // where nothing may order CTAs
};

Kernel::Kernel(const ptx::Module& module, const ptx::Function& kernel, const tasklist::Tasklist& list) {
  Code code;
  code.program = warp::decode(module, kernel, list, warp::Scope::everything);
  code.entries = find_entries(code.program, list);
  code.block_work = work_of_blocks(code.program);
  code.loop_controls = warp::loop_controls(code.program);
  code.variables = initial_variables(module, kernel, code.program.memory);
  code.source = module.source;
  for (const tasklist::Block& block : list.blocks) {
    std::vector<ptx::Opcode>& opcodes = code.opcodes.emplace_back();
    for (std::uint32_t i = 0; i < block.instruction_count; ++i)
      opcodes.push_back(kernel.instructions[block.first_instruction + i].opcode);
    code.instructions.push_back(block.instruction_count);
  }
  const auto& ops = code.program.memory_ops;
  code.order_matters = std::any_of(ops.begin(), ops.end(), order_matters) || may_see_progress(code.program) ||
                       uses_heap(code.program);
  code.orders_otherwise = has_other_order(kernel, code.program);
  if (!code.orders_otherwise && !may_order_ctas(code.program))
    code.unordered_use = warp::memory_use(module, kernel, list, false);
  code_ = std::make_unique<const Code>(std::move(code));
}

Kernel::~Kernel() = default;
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;

namespace {

Diagnostics to_diagnostics(const CtaFault& at, const std::string& kernel, const tasklist::Launch& launch,
                           const SourceText* source, Severity severity = Severity::error) {
  const auto& fault = at.fault;
  Diagnostic d = warp::thread_diagnostic(kernel, launch, {at.cta, fault.warp, fault.lane, fault.line},
                                         fault.message, fault.note, source);
  d.severity = severity;
  return {std::move(d)};
}

void print(const RunOptions& options, const LaunchEnd& end) {
  if (options.print && !end.printed.empty())
    options.print(end.printed);
}

void warn_of_prints(const LaunchEnd& end, const std::string& kernel, Diagnostics& warnings) {
  if (!end.printed_too_much)
    return;
  Diagnostic d;
  d.severity = Severity::warning;
  d.message = fmt::format("kernel {} prints more than {} bytes in a launch: what follows them is left out",
                          kernel, most_printed);
  warnings.push_back(std::move(d));
}

std::vector<LoopCount> loop_counts(const Program& program, const Counts& counts) {
  std::vector<LoopCount> loops;
  for (std::size_t l = 0; l < program.loops.size(); ++l) {
    const warp::LoopProgram& loop = program.loops[l];
    loops.push_back({loop.label, loop.line, counts.loop_warps[l], counts.block_warps[loop.header],
                     counts.loop_lanes[l], counts.block_lanes[loop.header]});
  }
  return loops;
}

std::vector<OpcodeCount> opcode_counts(const std::vector<std::vector<ptx::Opcode>>& opcodes,
                                       const Counts& counts) {
  std::map<ptx::Opcode, OpcodeCount> by_opcode;
  for (std::size_t b = 0; b < opcodes.size(); ++b)
    for (const ptx::Opcode opcode : opcodes[b]) {
      OpcodeCount& count = by_opcode[opcode];
      count.opcode = ptx::name(opcode);
      count.warps += counts.block_warps[b];
      count.lanes += counts.block_lanes[b];
    }
  std::vector<OpcodeCount> list;
  for (auto& [opcode, count] : by_opcode)
    if (count.warps > 0)
      list.push_back(std::move(count));
  std::stable_sort(list.begin(), list.end(),
                   [](const OpcodeCount& a, const OpcodeCount& b) { return a.warps > b.warps; });
  return list;
}

// Initial values with what the host copied there.
ModuleVariables stated_values(ModuleVariables variables, const warp::MemoryMap& map,
                              const DeviceMemory& memory, const ModuleIdentity& module) {
  for (const StatedVariable& stated : memory.stated_variables()) {
    const auto address = map.address_of(stated.name);
    if (stated.module != module || !address)
      continue;
    const auto put = [&](const warp::Region& region, std::vector<std::uint8_t>& into) {
      const std::uint64_t offset = *address - region.base;
      if (offset < into.size() && stated.bytes.size() <= into.size() - offset)
        std::copy(stated.bytes.begin(), stated.bytes.end(),
                  into.begin() + static_cast<std::ptrdiff_t>(offset));
    };
    put(map.global, variables.global);
    put(map.constant, variables.constant);
  }
  return variables;
}

RunResult counted(const LaunchEnd& end, const std::vector<std::uint64_t>& instructions) {
  RunResult result;
  result.given_up = end.given_up;
  for (std::size_t b = 0; b < instructions.size(); ++b) {
    result.warp_instructions += end.counts.block_warps[b] * instructions[b];
    result.lane_instructions += end.counts.block_lanes[b] * instructions[b];
  }
  return result;
}

// What the host copied there comes in at the module's first launch.
ModuleVariables& variables_of(const ModuleIdentity& module, const ModuleVariables& initial,
                              const warp::MemoryMap& map, DeviceMemory& memory) {
  const bool states = !memory.stated_variables().empty() && !memory.has_variables(module);
  return memory.variables(module, states ? stated_values(initial, map, memory, module) : initial);
}

Expected<void> check_parameters(const Program& program, const warp::ParameterImage& image) {
  if (std::find(image.known.begin(), image.known.end(), false) == image.known.end())
    return {};
  const auto& parameters = program.memory.parameter_list;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const auto first = image.known.begin() + parameters[p].offset;
    if (parameters[p].bytes > 0 &&
        std::find(first, first + parameters[p].bytes, true) == first + parameters[p].bytes)
      return fail(fmt::format("kernel {} is executed, but parameter {} has no value", program.kernel, p + 1),
                  "give a value for each parameter");
  }
  for (const warp::ConstantSlot& c : program.constants)
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const std::uint32_t at = c.parameter_offset - parameters[p].offset;
      if (c.kind == warp::ConstantSlot::Kind::parameter && at < parameters[p].bytes &&
          !image.known[c.parameter_offset])
        return fail(
            fmt::format("kernel {} reads byte {} of parameter {}, which no member of the structure states",
                        program.kernel, at, p + 1),
            "give all members of the structure, in order or with their offsets");
    }
  return {};
}

// Loads are looked at where nothing may order CTAs.
void watch_buffers(std::optional<GlobalRaces>& into, const DeviceMemory& memory, const RunOptions& options,
                   const std::optional<warp::MemoryUse>& unordered_use, const tasklist::Launch& launch) {
  std::vector<bool> loads;
  if (options.warns_of_loads && unordered_use)
    loads = stored_buffers(*unordered_use, launch, memory.buffer_count());
  into.emplace(memory, options.workers > 1, std::move(loads));
}

// The first word of each kind; a store in a race ends the launch.
std::optional<GlobalRace> settle_races(const std::optional<GlobalRaces>& races, LaunchEnd& end) {
  if (!races || end.fault)
    return std::nullopt;
  GlobalRaces::Found found = races->find();
  if (found.stores)
    end.fault = CtaFault{found.stores->cta, found.stores->fault};
  return std::move(found.loads);
}

} // namespace

Expected<RunResult> Kernel::run(const tasklist::Launch& launch, DeviceMemory& memory,
                                const RunOptions& options) const {
  const Program& program = code_->program;
  if (auto checked = warp::check_cluster(program, launch); !checked)
    return tl::unexpected(std::move(checked.error()));
  const bool is_cooperative = warp::grid_workspace(program, launch) != 0;
  const tasklist::Dim3 together = is_cooperative ? launch.grid : warp::cluster_of(program, launch);
  memory.clear_grid_workspace();
  const warp::ParameterImage parameters = warp::parameter_image(program.memory, program.address_bits, launch);
  if (auto checked = check_parameters(program, parameters); !checked)
    return tl::unexpected(std::move(checked.error()));
  ModuleVariables& variables = variables_of(code_->source, code_->variables, program.memory, memory);
  RunOptions on_workers = options;
  std::optional<Recorder> recorder;
  if (options.recorded_ctas > 0)
    recorder.emplace(program, launch, together.count(), on_workers);
  if (code_->order_matters || recorder)
    on_workers.workers = 1;
  const bool check_races = options.check_races && !code_->orders_otherwise;
  std::optional<GlobalRaces> global_races;
  if (check_races && together.count() == 1)
    watch_buffers(global_races, memory, on_workers, code_->unordered_use, launch);
  const LaunchState state{program,
                          code_->entries,
                          launch,
                          parameters,
                          memory,
                          variables,
                          code_->block_work,
                          code_->loop_controls,
                          options.max_visits_per_warp,
                          check_races && program.memory.shared.bytes + launch.dynamic_shared_bytes > 0,
                          options.any_contents,
                          global_races ? &*global_races : nullptr,
                          together,
                          is_cooperative};
  LaunchEnd end = run_ctas(state, on_workers, code_->instructions, recorder ? &*recorder : nullptr);
  const std::optional<GlobalRace> raced_load = settle_races(global_races, end);
  print(options, end);
  if (end.fault)
    return tl::unexpected(to_diagnostics(*end.fault, program.kernel, launch, code_->source.get()));
  RunResult result = counted(end, code_->instructions);
  if (raced_load)
    result.warnings = to_diagnostics({raced_load->cta, raced_load->fault}, program.kernel, launch,
                                     code_->source.get(), Severity::warning);
  warn_of_prints(end, program.kernel, result.warnings);
  result.loops = loop_counts(program, end.counts);
  result.opcodes = opcode_counts(code_->opcodes, end.counts);
  if (recorder) {
    result.behaviour = recorder->take();
    result.behaviour->ctas_executed = end.recorded_ctas;
    result.trace = recorder->take_trace();
  }
  return result;
}

} // namespace kerncast::functional
