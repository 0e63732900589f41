// Names of warp states, as Nsight Compute spells them.
#include "engine/sm_workload.h"

namespace kerncast::engine {

std::string_view name(WarpState state) {
  static constexpr std::array<std::string_view, warp_states> names = {
      "issued",       "long_scoreboard",    "short_scoreboard", "wait",         "barrier",
      "membar",       "math_pipe_throttle", "lg_throttle",      "not_selected", "imc_miss",
      "mio_throttle", "no_instruction",     "branch_resolving"};
  return names[static_cast<std::size_t>(state)];
}

} // namespace kerncast::engine
