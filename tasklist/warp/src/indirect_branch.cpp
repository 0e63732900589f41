#include "warp/indirect_branch.h"

#include <fmt/format.h>

namespace kerncast::warp {
namespace {

std::uint64_t index_of(const Terminator& branch, std::uint32_t lane, LaneFile& file) {
  return branch.index.pool == Pool::word ? file.lanes<std::uint32_t>(branch.index.index)[lane]
                                         : file.lanes<std::uint64_t>(branch.index.index)[lane];
}

} // namespace

LaneMask lanes_going_to(const Terminator& branch, std::uint32_t i, LaneFile& file) {
  const std::uint64_t value = branch.first_index + std::uint64_t{i} * branch.index_step;
  LaneMask going = 0;
  for (std::uint32_t lane = 0; lane < lanes_per_warp && branch.targets[i] != no_id; ++lane)
    going |= index_of(branch, lane, file) == value ? LaneMask{1} << lane : LaneMask{0};
  return going;
}

NoTarget no_target(const Terminator& branch, std::uint32_t lane, LaneFile& file) {
  const std::uint64_t index = index_of(branch, lane, file);
  if (!branch.calls)
    return {fmt::format("index {} of brx.idx has no target: there are {}", index, branch.targets.size()),
            "the first target has index 0"};
  const std::uint64_t function = (index - branch.first_index) / branch.index_step;
  const bool is_function =
      (index - branch.first_index) % branch.index_step == 0 && function < branch.targets.size();
  if (is_function)
    return {"call of a function that is being called, or that the call does not list",
            "recursion is not executed; a call reaches the functions of its .calltargets only"};
  return {fmt::format("call of address 0x{:x}, which is no function of the call's prototype", index),
          "the register must hold the address of one"};
}

} // namespace kerncast::warp
