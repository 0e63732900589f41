// The instruction-mix kernel of paper 003, section 4.2: beta instructions of type 1, then one of type 2,
// repeated very often by very many warps. Answers the instructions of type 1 per cycle.
//
// Equations 44 and 45 are printed without beta in the bound of the second subsystem, 1 / lambda2: it
// executes one instruction for beta of the first, so that type 1 can run at beta / lambda2.
#pragma once

namespace kerncast::analytical {

struct InstructionMix {
  double beta = 1;
  double interval_1 = 1; // lambda_1
  double interval_2 = 1; // lambda_2
};

// Eq. 43: both types in one subsystem: beta / (beta lambda_1 + lambda_2).
double mix_ipc_one_subsystem(const InstructionMix& mix);

// Eq. 44: a subsystem for each: min(1 / lambda_1, beta / lambda_2).
double mix_ipc_two_subsystems(const InstructionMix& mix);

// Eq. 45: with at most IL issues per cycle: min(1 / lambda_1, beta / lambda_2, IL beta / (beta + 1)).
double mix_ipc_issue_limited(const InstructionMix& mix, double issue_limit);

} // namespace kerncast::analytical
