// Executes the slice of one warp and records its path.
//
// Leaves out: values of memory that anybody writes (every load but of parameters and known contents is
// unknown; of unknown lanes it is followed what they have in common, origins.h), communication between warps.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "access_recorder.h"
#include "content_loads.h"
#include "launch_context.h"
#include "origins.h"
#include "simt_stack.h"
#include "steady_loop.h"
#include "support/diagnostics.h"
#include "warp/constants.h"
#include "warp/loop_control.h"
#include "warp/path_recorder.h"
#include "warp_names.h"

namespace kerncast::slice {

// Both sides of d branches inside each other are up to 2^d ways: so many entries of the stack are many, and
// so many such branches too many.
inline constexpr std::size_t deep = 32;
inline constexpr std::uint64_t most_deeply_nested = 10'000;

class WarpExecutor {
public:
  WarpExecutor(const LaunchContext& context, BehaviourBuilder& builder, Assumptions& assumptions);

  // From now on the addresses of accesses are collected there, and warps end when it is full.
  void trace_into(AccessSink& sink, UnknownPlaces& places) {
    sink_ = &sink;
    accesses_.trace_into(&sink, &places);
  }
  // Whether CTAs are executed only to see what they leave of the places of unknown accesses.
  void survey(bool goes_on) { accesses_.survey(goes_on); }

  // The paths of all warps of a CTA. `phase` numbers the CTA for branches with a given probability.
  Expected<std::vector<std::uint32_t>> run_cta(tasklist::Dim3 cta, std::uint64_t phase);
  // Of blocks, by all warps so far.
  std::uint64_t visits() const { return all_visits_; }

private:
  void start_warp(std::uint32_t warp);
  Expected<std::uint32_t> run_warp(std::uint32_t warp);
  Diagnostic located(std::uint32_t line, std::uint32_t lane, const std::string& what,
                     const std::string& note) const;
  Diagnostic runaway(BlockId block, LaneMask mask, const std::string& why) const;
  Diagnostic outside() const;
  void stop(const Step& step, LaneMask active);
  bool advance_loop(LaneMask mask);
  bool is_endless(LaneMask mask);
  // At the header of a loop an error if it never ends, or not in reasonable time.
  Expected<void> enter(BlockId block, LaneMask mask);
  void visit(BlockId block, LaneMask entered);
  LaneMask run_steps(const BlockProgram& block, LaneMask active);
  void compute(const Step& step, LaneMask active);
  void execute(const MicroOp& op, LaneMask lanes, LaneMask written, std::uint32_t result);
  void forget_missing(const MicroOp& op, const Step& step, LaneMask active);
  LaneMask exiting_lanes(std::uint32_t step, LaneMask active);
  void leave_block(BlockId block, LaneMask active);
  void branch(BlockId block, const Terminator& t, LaneMask active);
  void branch_indirect(BlockId block, const Terminator& t, LaneMask active);
  void guess_target(BlockId block, const Terminator& t, LaneMask unknown);
  void lose(const Terminator& t, LaneMask lanes);
  void resume(StackEntry& entry);
  void go_back(const SavedSlots& saved);
  void join(const SavedSlots& saved);
  SlotState state_of(std::span<const SlotId> slots);
  // Keeps what the sides of a branch on unknown data may overwrite.
  std::uint32_t save(BlockId branch_block, LaneMask lanes);
  // Counts a visit; an error when the warp has visited too many blocks, or followed too many ways.
  Expected<void> within_limits(BlockId block, LaneMask mask);
  Diagnostic multiplied(LaneMask mask) const;
  void diverge(const Terminator& t, LaneMask taken, LaneMask next, std::uint32_t saved);

  struct Guarded {
    LaneMask on = 0;      // guard holds
    LaneMask unknown = 0; // guard unknown
  };
  Guarded guarded(SlotId guard, bool negated, LaneMask active);
  // Lanes with unknown predicate that take the branch; empty if both sides must be taken.
  std::optional<LaneMask> decide(BlockId block, const Terminator& t, LaneMask unknown);
  bool fails_assertion(BlockId block) const;
  std::optional<LaneMask> decide_loop_exit(const Terminator& t, LaneMask unknown);

  const LaunchContext& context_;
  const Program& program_;
  BehaviourBuilder& builder_;
  Assumptions& assumptions_;
  LaneFile file_;
  Origins origins_;
  ContentLoads loads_;
  ConstantFiller constants_;
  PathRecorder recorder_;
  AccessRecorder accesses_;
  SteadyLoop steady_;
  std::vector<std::optional<warp::LoopControl>> loop_controls_; // once some warp was at it for long
  std::optional<warp::RepeatedStates> repeated_;
  std::vector<std::uint64_t> last_headers_; // by loop: header visits when that was last looked at
  AccessSink* sink_ = nullptr;
  SimtStack stack_;
  std::vector<SavedSlots> saved_;
  std::map<BlockId, std::vector<SlotId>> side_slots_;  // written by a branch's sides, by its block
  std::vector<std::uint64_t> branch_visits_;           // by block, of branches with a probability
  std::map<std::uint32_t, std::uint64_t> exit_visits_; // by step
  std::uint64_t warp_number_ = 0;
  std::uint64_t cta_number_ = 0; // in the grid
  std::uint32_t warp_of_cta_ = 0;
  bool has_guessed_ = false; // the warp, where a branch on unknown data leads
  std::uint64_t visits_ = 0; // of the warp at hand
  std::uint64_t all_visits_ = 0;
  std::uint64_t deeply_nested_ = 0;    // branches on unknown data that took both sides deep inside others
  std::uint32_t deep_branch_line_ = 0; // of the last one that counted
  std::optional<Diagnostic> fault_;    // by now
};

} // namespace kerncast::slice
