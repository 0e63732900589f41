#include "analytical/instruction_mix.h"

#include <algorithm>

namespace kerncast::analytical {

double mix_ipc_one_subsystem(const InstructionMix& mix) {
  return mix.beta / (mix.beta * mix.interval_1 + mix.interval_2);
}

double mix_ipc_two_subsystems(const InstructionMix& mix) {
  return std::min(1 / mix.interval_1, mix.beta / mix.interval_2);
}

double mix_ipc_issue_limited(const InstructionMix& mix, double issue_limit) {
  return std::min(mix_ipc_two_subsystems(mix), issue_limit * mix.beta / (mix.beta + 1));
}

} // namespace kerncast::analytical
