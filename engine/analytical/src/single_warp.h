// One warp alone on an SM, in order: when each operation issues and when all is done.
//
// Left out: other warps. A barrier and a fence wait for what the warp itself has under way.
#pragma once

#include <vector>

#include "configs/gpu.h"
#include "machine/program.h"

namespace kerncast::analytical {

struct OpCost {
  double latency = 0;        // until the result is there
  double issue_interval = 0; // cycles the unit of the warp's sub-core is held
};

class SingleWarp {
public:
  SingleWarp(const machine::MachineProgram& program, const configs::Gpu& gpu)
      : program_(program), issue_distance_(gpu.warp_issue_distance), slot_ready_(program.slot_count),
        unit_free_(gpu.units.size()) {}

  void execute(const machine::MachineOp& op, const OpCost& cost);
  // As if `op` took no time, not even to issue; it still waits for its sources.
  void execute_at_once(const machine::MachineOp& op);
  // Moves the clock on, as if the operations since `cycles` ago were executed again in the same way.
  void advance(double cycles);
  double end() const { return end_; }

private:
  const machine::MachineProgram& program_;
  double issue_distance_;
  double next_issue_ = 0;
  double end_ = 0;
  std::vector<double> slot_ready_;
  std::vector<double> unit_free_;
};

} // namespace kerncast::analytical
