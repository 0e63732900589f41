// Traces warp after warp.
#include "access_sink.h"

#include <utility>

namespace kerncast::slice {

AccessSink::AccessSink(const Program& program, std::uint64_t accesses_per_warp)
    : accesses_per_warp_(accesses_per_warp), watched_loops_(program.loops.size(), false),
      patterns_(program.address_bits) {
  for (const BlockProgram& block : program.blocks)
    for (std::uint32_t s = block.first_step; s < block.first_step + block.step_count; ++s)
      if (program.steps[s].kind == Step::Kind::access &&
          reaches_caches(program.accesses[program.steps[s].index]))
        for (std::uint32_t loop = block.loop; loop != no_id; loop = program.loops[loop].parent)
          watched_loops_[loop] = true;
}

void AccessSink::add(const AccessStep& step, const Lanes<std::uint64_t>& addresses, LaneMask lanes) {
  if (const auto access = patterns_.trace(step, addresses, lanes))
    trace_.accesses.push_back(*access);
}

void AccessSink::add_unknown(const AccessStep& step, LaneMask lanes, AddressExtent in) {
  if (const auto access = patterns_.trace_unknown(step, lanes, in))
    trace_.accesses.push_back(*access);
}

void AccessSink::add_rows(const AccessStep& step, const std::vector<MovedRow>& rows) {
  AccessStep part = step;
  for (const RowGroup& group : groups_of(rows)) {
    part.bytes = group.bytes;
    add(part, group.addresses, group.lanes);
  }
}

tasklist::CtaTrace AccessSink::take() {
  start_warp();
  return std::exchange(trace_, {});
}

} // namespace kerncast::slice
