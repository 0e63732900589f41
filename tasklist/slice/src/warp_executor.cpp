// The warp's main loop: visit the top entry's block, then follow its terminator.
#include "warp_executor.h"

#include <bit>

#include <fmt/format.h>

#include "support/mix_bits.h"
#include "warp/intern.h"
#include "warp/thread_diagnostic.h"

namespace kerncast::slice {
namespace {

// Iterations that must repeat before a loop is observed for closed-form advance.
constexpr std::uint64_t steady_enough = 64;
// Iterations of a loop that is advanced in closed form, as many as may be stated: weeks on any GPU.
constexpr std::uint64_t most_iterations = 1'000'000'000'000;

LaneMask lanes_of_warp(std::uint32_t warp, std::uint32_t threads) {
  const std::uint32_t first = warp * lanes_per_warp;
  const std::uint32_t count = threads - first;
  return count >= lanes_per_warp ? all_lanes : (LaneMask{1} << count) - 1;
}

} // namespace

WarpExecutor::WarpExecutor(const LaunchContext& context, BehaviourBuilder& builder, Assumptions& assumptions)
    : context_(context), program_(context.program), builder_(builder), assumptions_(assumptions),
      file_(program_.slots.predicates, program_.slots.words, program_.slots.longs), origins_(program_),
      loads_(context.contents, program_.address_bits),
      constants_(context.program, context.launch, context.parameters), recorder_(program_, builder),
      accesses_(context, builder, assumptions), steady_(program_), branch_visits_(program_.blocks.size()) {
  constants_.fill_launch(file_);
}

Expected<std::vector<std::uint32_t>> WarpExecutor::run_cta(tasklist::Dim3 cta, std::uint64_t phase) {
  constants_.fill_cta(file_, cta);
  const tasklist::Dim3 grid = context_.launch.grid;
  cta_number_ = (std::uint64_t{cta.z} * grid.y + cta.y) * grid.x + cta.x;
  const std::uint32_t warps = context_.launch.warps_per_cta();
  std::vector<std::uint32_t> paths;
  paths.reserve(warps);
  for (std::uint32_t w = 0; w < warps; ++w) {
    warp_number_ = phase * warps + w;
    auto path = run_warp(w);
    if (!path)
      return tl::unexpected(std::move(path.error()));
    paths.push_back(*path);
  }
  return paths;
}

void WarpExecutor::start_warp(std::uint32_t warp) {
  constants_.fill_warp(file_, warp);
  file_.forget_registers(program_.registers.predicates, program_.registers.words, program_.registers.longs);
  if (program_.depends_on_data)
    origins_.forget_registers();
  if (context_.facts.draws_lots) {
    std::fill(branch_visits_.begin(), branch_visits_.end(), 0);
    exit_visits_.clear();
  }
  saved_.clear();
  if (sink_ != nullptr) {
    sink_->start_warp();
    accesses_.start_warp(cta_number_ * context_.launch.warps_per_cta() + warp);
  }
  warp_of_cta_ = warp;
  has_guessed_ = false;
  fault_.reset();
  all_visits_ += visits_;
  visits_ = 0;
  deeply_nested_ = 0;
  steady_.give_up();
  repeated_.reset();
  recorder_.start();
  stack_.start(lanes_of_warp(warp, context_.launch.threads_per_cta()));
}

Expected<std::uint32_t> WarpExecutor::run_warp(std::uint32_t warp) {
  start_warp(warp);
  while (!stack_.empty()) {
    StackEntry& top = stack_.top();
    resume(top);
    if (top.mask == 0 || top.block == top.reconvergence || top.block == no_id) {
      stack_.pop();
      continue;
    }
    const BlockId block = top.block;
    const LaneMask mask = top.mask;
    if (const Expected<void> goes_on = enter(block, mask); !goes_on)
      return tl::unexpected(goes_on.error());
    if (steady_.observing() && recorder_.depth() < steady_.depth())
      steady_.give_up();
    visit(block, mask);
    if (const Expected<void> fine = within_limits(block, mask); !fine)
      return tl::unexpected(fine.error());
    if (sink_ != nullptr && sink_->full()) {
      sink_->cut();
      break;
    }
  }
  return recorder_.finish();
}

Expected<void> WarpExecutor::enter(BlockId block, LaneMask mask) {
  const bool ends_iteration = recorder_.enter(block);
  if (!ends_iteration)
    return {};
  if (!advance_loop(mask))
    return fail(runaway(block, mask, fmt::format("it would take more than {} iterations", most_iterations)));
  if (is_endless(mask))
    return fail(
        runaway(block, mask, "what decides whether it goes on is what it was in an earlier iteration"));
  return {};
}

Expected<void> WarpExecutor::within_limits(BlockId block, LaneMask mask) {
  if (++visits_ > context_.max_visits_per_warp)
    return fail(
        runaway(block, mask, fmt::format("the warp visited {} blocks without leaving the kernel", visits_)));
  if (deeply_nested_ > most_deeply_nested)
    return fail(multiplied(mask));
  if (accesses_.outside())
    return fail(outside());
  if (fault_)
    return fail(*fault_);
  return {};
}

Diagnostic WarpExecutor::multiplied(LaneMask mask) const {
  return located(
      deep_branch_line_, static_cast<std::uint32_t>(std::countr_zero(mask)),
      "branches on unknown data lie so deep inside each other that both sides of all of them cannot be "
      "followed; this one is among the innermost",
      "give probabilities for the branches in \"branches\", or contents of the buffers");
}

Diagnostic WarpExecutor::located(std::uint32_t line, std::uint32_t lane, const std::string& what,
                                 const std::string& note) const {
  return warp::thread_diagnostic(program_.kernel, context_.launch, {cta_number_, warp_of_cta_, lane, line},
                                 what, note, context_.source);
}

Diagnostic WarpExecutor::outside() const {
  const OutsideAccess& access = *accesses_.outside();
  return located(program_.accesses[access.access].line, access.lane,
                 "an access of " + accesses_.describe_outside(),
                 "give the buffer or the dynamic shared memory the bytes that the kernel accesses, or "
                 "arguments that fit it");
}

Diagnostic WarpExecutor::runaway(BlockId block, LaneMask mask, const std::string& why) const {
  const std::uint32_t loop = program_.blocks[block].loop;
  const std::uint32_t line = loop == no_id ? 0 : program_.loops[loop].line;
  return located(line, static_cast<std::uint32_t>(std::countr_zero(mask)),
                 fmt::format("runaway loop at line {}: {}", line, why),
                 "check the launch's arguments, or give the loop's iterations in \"loops\"");
}

void WarpExecutor::visit(BlockId block, LaneMask entered) {
  const BlockProgram& program = program_.blocks[block];
  accesses_.start_block(program.access_count);
  origins_.set_moment(mix_bits(mix_bits(cta_number_) + visits_));
  const LaneMask left = run_steps(program, entered);
  recorder_.visit(builder_.visit(block, entered, accesses_.shapes()));
  leave_block(block, left);
}

// At the header of the innermost loop. False if the loop never ends, or not in reasonable time.
bool WarpExecutor::advance_loop(LaneMask mask) {
  LoopFrame& frame = recorder_.innermost();
  if (sink_ != nullptr && sink_->watches(frame.loop))
    return true;
  const HeaderState state{stack_.depth(), mask};
  if (!steady_.observing()) {
    const bool steady = frame.run.period() > 0 && frame.run.steady_iterations() >= steady_enough;
    if (steady && frame.header_visits >= frame.next_attempt)
      steady_.start(recorder_.depth(), frame, state, file_);
    return true;
  }
  if (recorder_.depth() != steady_.depth())
    return true;
  const std::uint64_t skipped = steady_.next_header(frame, state, file_);
  if (!steady_.observing())
    frame.next_attempt = 2 * frame.header_visits;
  return skipped <= most_iterations;
}

// At the header of the innermost loop. Facts decide branches by something else than slots.
bool WarpExecutor::is_endless(LaneMask mask) {
  constexpr std::uint64_t first_look = 100'000; // visits
  if (visits_ < first_look || context_.launch.facts != tasklist::ControlFacts{})
    return false;
  if (loop_controls_.empty())
    loop_controls_ = warp::loop_controls(program_);
  if (!repeated_) {
    repeated_.emplace(loop_controls_);
    last_headers_.assign(program_.loops.size(), 0);
  }
  const LoopFrame& frame = recorder_.innermost();
  if (frame.header_visits != last_headers_[frame.loop] + 1)
    repeated_->enter(frame.loop);
  last_headers_[frame.loop] = frame.header_visits;
  return repeated_->repeats(frame.loop, stack_.depth(), mask, file_);
}

WarpExecutor::Guarded WarpExecutor::guarded(SlotId guard, bool negated, LaneMask active) {
  if (guard.pool != Pool::predicate)
    return {active, 0};
  const LaneMask known = file_.predicate_known(guard.index);
  const LaneMask value = file_.predicate(guard.index) ^ (negated ? all_lanes : 0);
  return {active & known & value, active & ~known};
}

LaneMask WarpExecutor::run_steps(const BlockProgram& block, LaneMask active) {
  for (std::uint32_t s = block.first_step; s < block.first_step + block.step_count; ++s) {
    const Step& step = program_.steps[s];
    switch (step.kind) {
    case Step::Kind::compute:
      compute(step, active);
      break;
    case Step::Kind::access: {
      const Guarded g = guarded(step.guard, step.guard_negated, active);
      if (g.unknown != 0)
        assumptions_.add(
            step.line,
            fmt::format("line {}: the guard depends on unknown data; the access is taken as executed "
                        "by every lane it is unknown for",
                        step.line));
      accesses_.take_for_certain(!has_guessed_ && g.unknown == 0);
      accesses_.record(step.index, g.on | g.unknown, file_, origins_, steady_);
      break;
    }
    case Step::Kind::exit: {
      const LaneMask leaving = exiting_lanes(s, active);
      stack_.exit(leaving);
      active &= ~leaving;
      break;
    }
    case Step::Kind::system_call: // an assertion that fails
      break;
    case Step::Kind::stop:
      stop(step, active);
      break;
    default:
      assert(false && "the slice has no memory operations");
    }
  }
  return active;
}

// Lanes that a guess has led here may not come here.
void WarpExecutor::stop(const Step& step, LaneMask active) {
  const LaneMask lanes = guarded(step.guard, step.guard_negated, active).on;
  if (lanes != 0 && !has_guessed_)
    fault_ = located(step.line, static_cast<std::uint32_t>(std::countr_zero(lanes)),
                     program_.stops[step.index], "");
}

// Into slot `result` of the destination's pool, all lanes of which count as `written`.
void WarpExecutor::execute(const MicroOp& op, LaneMask lanes, LaneMask written, std::uint32_t result) {
  const LaneMask loaded = loads_.read(op, lanes, file_);
  if (steady_.observing())
    steady_.observe(op, loaded != 0 ? loaded : lanes, file_, loaded != 0);
  file_.set_executing(lanes);
  if (loaded == 0)
    return origins_.execute(op, lanes, written, file_, result);
  if (loaded == lanes) {
    op.apply(file_, op, result);
    origins_.forget(op.destination, written & ~lanes);
  } else {
    origins_.execute(op, lanes, written, file_, result);
  }
  loads_.write(op, result, file_);
}

// Lanes that an operation's member masks name and that come to such an operation elsewhere, later: what they
// would give is not known here.
void WarpExecutor::forget_missing(const MicroOp& op, const Step& step, LaneMask active) {
  const LaneMask missing = stack_.waiting_before(program_.leads_to_members) & ~active;
  if (missing == 0)
    return;
  const SlotId masks = op.sources[op.source_count - 1U];
  LaneMask lost = active & ~file_.known(masks);
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
    if (has(active, lane) && (file_.lanes<std::uint32_t>(masks.index)[lane] & missing) != 0)
      lost |= LaneMask{1} << lane;
  if (lost == 0)
    return;
  file_.known(op.destination) &= ~lost;
  origins_.forget(op.destination, lost);
  assumptions_.add(step.line,
                   fmt::format("line {}: threads of the member mask are elsewhere in their warp; what "
                               "they give is unknown",
                               step.line));
}

void WarpExecutor::compute(const Step& step, LaneMask active) {
  const MicroOp& op = program_.ops[step.index];
  if (step.guard.pool == Pool::none && (stack_.preserved() & ~active) == 0) {
    execute(op, active, all_lanes, op.destination.index);
    return;
  }
  const Guarded g = guarded(step.guard, step.guard_negated, active);
  const LaneMask lanes = g.on | g.unknown;
  if (lanes == 0)
    return;
  execute(op, lanes, lanes, 0);
  file_.blend(op.destination, 0, lanes);
  file_.known(op.destination) &= ~g.unknown;
  origins_.forget(op.destination, g.unknown);
  if (op.has_members)
    forget_missing(op, step, lanes);
}

LaneMask WarpExecutor::exiting_lanes(std::uint32_t index, LaneMask active) {
  const Step& step = program_.steps[index];
  const Guarded g = guarded(step.guard, step.guard_negated, active);
  if (g.unknown == 0)
    return g.on;
  has_guessed_ = true;
  if (const auto fact = context_.facts.exit_taken.find(index); fact != context_.facts.exit_taken.end()) {
    steady_.give_up();
    return is_taken(fact->second, warp_number_, exit_visits_[index]++) ? g.on | g.unknown : g.on;
  }
  assumptions_.add(step.line,
                   fmt::format("line {}: whether threads exit here depends on unknown data; they are "
                               "taken to go on (give \"branches\": {{\"{}\": {{\"taken\": P}}}})",
                               step.line, step.line));
  return g.on;
}

} // namespace kerncast::slice
