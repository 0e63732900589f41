// One warp alone whose computations have no latency: its waits for memory divide its way into intervals.
//
// Left out: barriers. Intervals alike are counted, not listed, so that long loops stay small.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "analytical/kernel_profile.h"
#include "machine/program.h"

namespace kerncast::analytical {

class IntervalWalk {
public:
  using Counts = std::map<std::pair<double, double>, double>; // instructions, stall cycles -> times

  explicit IntervalWalk(const machine::MachineProgram& program)
      : program_(program), slot_ready_(program.slot_count) {}

  // An operation that computes holds the warp for `cycles`.
  void compute(const machine::MachineOp& op, double cycles);
  // The results of an access are there `latency` cycles after issue.
  void access(const machine::MachineOp& op, double latency);

  // A part that is repeated: what was before it, and how often its last round counts.
  struct Before {
    Counts counts;
    double instructions = 0;
  };
  Before begin_round() { return {std::exchange(counts_, {}), instructions_}; }
  void end_round(const Before& before, double times);

  // The end of the warp is a wait for what is under way. Computations that no wait follows belong to the
  // interval before them.
  std::vector<Interval> finish();

private:
  void wait_until(double ready);
  void wait_for_sources(const machine::MachineOp& op);

  const machine::MachineProgram& program_;
  std::vector<double> slot_ready_;
  double now_ = 0;
  double last_ready_ = 0;
  double instructions_ = 0; // since the last wait
  Counts counts_;
  Counts::key_type last_;
};

} // namespace kerncast::analytical
