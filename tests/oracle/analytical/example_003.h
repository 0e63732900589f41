// The example kernel of paper 003, Table 2, with its graph C1; C2; M1(C1,C2); C3(M1); C4(C3); M2(C4).
#pragma once

#include <vector>

#include "analytical/two_subsystems.h"
#include "analytical/wfg.h"

namespace kerncast::analytical::example {

// Lambda_app = 25: C1 and C2 take 1 + 4 together, C3 and C4 4 each, 13 of 16: ILP 16 / 13 on average.
inline TwoSubsystemKernel kernel() {
  TwoSubsystemKernel k;
  k.compute_instructions = 4;
  k.memory_instructions = 2;
  k.compute_interval = 1;
  k.compute_latency = 4;
  k.memory_interval = 2;
  k.memory_latency = 6;
  k.memory_issue_interval = 1;
  k.ilp = 16.0 / 13;
  return k;
}

// Fig. 5: C1 and C2 are independent, C3 and C4 are not.
inline const std::vector<WorkFlowSection> sections = {{2, 2, 1, 1}, {2, 1, 1, 1}};

} // namespace kerncast::analytical::example
