// Which CTAs an operation works on, and their words.
#include "tensor_unit.h"

#include <fmt/format.h>

namespace kerncast::functional {

bool TensorUnit::fail(std::string message, std::string note) {
  fault_ = {std::move(message), std::move(note), line_, warp_, lane_};
  return false;
}

bool TensorUnit::check_group(bool of_pair, std::uint32_t lane) {
  lane_ = lane;
  return memory_.agrees(of_pair) ||
         fail("tcgen05 with .cta_group::1 and .cta_group::2 in one kernel", "all of a kernel have the same");
}

// The one with the even rank first, which has the upper half of the rows.
bool TensorUnit::find_targets(bool of_pair, std::uint32_t lane, std::vector<Target>& targets) {
  if (!check_group(of_pair, lane))
    return false;
  if (!of_pair) {
    targets.push_back(own());
    return true;
  }
  for (const std::uint32_t rank : {rank_ & ~1U, rank_ | 1U}) {
    const ClusterMember* member = space_.member(rank);
    if (member == nullptr || member->has_left)
      return fail(fmt::format(".cta_group::2 of a CTA whose pair in its cluster {}",
                              member == nullptr ? "is not there" : "has left the kernel"),
                  "CTAs 2 n and 2 n + 1 of a cluster form a pair, and meet before one of them ends");
    targets.push_back({*member->tensors, *member->shared});
  }
  return true;
}

bool TensorUnit::word(Target& target, std::uint32_t lane, std::uint32_t column, std::uint32_t*& found) {
  if (lane >= TensorMemory::lanes || !target.memory.is_allocated(column))
    return fail(
        fmt::format("access to tensor memory that is not allocated, at lane {} column {}{}", lane, column,
                    &target.memory == &memory_ ? "" : " of the pair's other CTA"),
        fmt::format("there are {} lanes, and columns as tcgen05.alloc gave them", TensorMemory::lanes));
  found = &target.memory.word(lane, column);
  return true;
}

} // namespace kerncast::functional
