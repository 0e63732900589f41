// One warp of a CTA: registers, where its lanes are, and its local memory.
#pragma once

#include <array>
#include <optional>

#include "counts.h"
#include "fault.h"
#include "lane_groups.h"
#include "launch_state.h"
#include "memory_unit.h"
#include "recorder.h"
#include "warp/constants.h"
#include "warp/lane_file.h"

namespace kerncast::functional {

class Warp {
public:
  // Why run() came back.
  enum class Turn : std::uint8_t {
    finished, // all lanes have left the kernel
    barrier,  // at barrier(), not yet waiting
    paused,   // other warps should have a turn
    faulted,  // fault()
  };

  Warp(const LaunchState& state, std::uint32_t number);

  // `rank`: of the CTA in its cluster. `recorder` may be null.
  void start(tasklist::Dim3 cta, Recorder* recorder, std::uint32_t rank);
  Turn run(MemoryUnit& memory, Counts& counts);

  // At a barrier: the operation, the lanes that arrived, and how it goes on behind it.
  const warp::BarrierOp& barrier() const { return *barrier_; }
  std::uint32_t barrier_line() const { return line_; }
  warp::LaneMask arrived() const { return arrived_; }
  warp::LaneFile& file() { return file_; }
  const Fault& fault() const { return fault_; }
  std::uint32_t line() const { return line_; }
  std::uint64_t visits() const { return visits_; } // of blocks, by now
  std::uint64_t work() const { return work_; }     // what they count
  // That so many visits of blocks by `who` are too many.
  Fault runaway(std::string_view who, std::uint64_t visits) const;

private:
  using Steps = std::optional<Turn>; // nothing: the block's end was reached

  bool find_group();
  void begin_block(Counts& counts);
  Steps go_on(Counts& counts);
  Steps run_block(MemoryUnit& memory, Counts& counts);
  Steps run_steps(MemoryUnit& memory);
  Steps special_step(const warp::Step& step, MemoryUnit& memory);
  void record(const warp::AccessStep& access, warp::LaneMask lanes, MemoryUnit& memory);
  void compute(const warp::Step& step);
  Steps move_stack(const warp::StackOp& op, const warp::Step& step, warp::LaneMask lanes);
  bool execute(const warp::Step& step, warp::LaneMask lanes, MemoryUnit& memory);
  Steps access(const warp::Step& step, warp::LaneMask lanes, MemoryUnit& memory);
  bool is_still_waiting(const warp::MbarrierOp& op, warp::LaneMask lanes);
  Steps multiply(const warp::Step& step, warp::LaneMask lanes);
  warp::LaneMask guarded(const warp::Step& step);
  // warp_members.cpp: operations over lanes with a member mask
  Steps check_members(const warp::Step& step, warp::LaneMask lanes);
  Steps wait_for(warp::LaneMask wanted, warp::LaneMask lanes);
  Steps part();
  void part_by_masks(const warp::MembersOp& op, warp::LaneMask lanes);
  void continue_block(Stop&& stop);
  bool let_members_go();
  void execute_together(const std::vector<Stop*>& stops);
  const warp::MembersOp& members_of(const Stop& stop) const;
  const warp::MicroOp& operation_of(const Stop& stop, std::uint32_t number) const;
  bool fit(const Stop& a, const Stop& b) const;
  std::vector<Stop*> complete_around(Stop* first, const std::vector<Stop*>& all) const;
  Fault members_deadlock();
  Steps leave_block(Counts& counts);
  void branch(const warp::Terminator& t, Counts& counts);
  Steps branch_indirect(const warp::Terminator& t, Counts& counts);
  void count_entry(std::uint32_t loop, warp::LaneMask lanes, Counts& counts);
  bool is_endless();

  const LaunchState& state_;
  const warp::Program& program_;
  const std::uint32_t number_;
  warp::LaneFile file_;
  warp::ConstantFiller constants_;
  std::vector<std::uint8_t> local_;
  std::array<std::uint64_t, warp::lanes_per_warp> stack_end_{}; // of what alloca took, from the stack's start
  LaneGroups groups_;
  warp::LaneMask preserved_ = 0; // lanes of other groups
  // Within the block of the current group.
  tasklist::BlockId block_ = tasklist::no_id;
  bool in_block_ = false;
  bool parted_ = false; // the current group has stopped: others of the warp go on
  warp::LaneMask entered_ = 0;
  warp::LaneMask active_ = 0;
  std::uint32_t step_ = 0;
  std::uint64_t visits_ = 0, work_ = 0;
  warp::RepeatedStates repeated_;
  std::uint32_t line_ = 0;
  const warp::BarrierOp* barrier_ = nullptr;
  warp::LaneMask arrived_ = 0;
  std::optional<WarpRecord> record_;
  Fault fault_;
};

} // namespace kerncast::functional
