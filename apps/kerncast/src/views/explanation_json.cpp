#include "explanation_json.h"

namespace kerncast::app {
namespace {

// States that cost nothing are left out of lines, of which there are many.
Json states_json(const engine::StateCycles& cycles, bool with_zeros) {
  Json json = Json::object();
  for (std::size_t s = 0; s < engine::warp_states; ++s)
    if (with_zeros || cycles[s] != 0)
      json[std::string(engine::name(static_cast<engine::WarpState>(s)))] = cycles[s];
  return json;
}

Json lines_json(const std::vector<engine::LineCharge>& lines) {
  Json json = Json::array();
  for (const engine::LineCharge& line : lines) {
    Json one = {{"line", line.line}};
    if (!line.operations.empty())
      one["operations"] = line.operations;
    one["warp_instructions"] = line.issued;
    one["warp_state_cycles"] = states_json(line.state_cycles, false);
    json.push_back(std::move(one));
  }
  return json;
}

} // namespace

Json explanation_json(const engine::Explanation& e) {
  Json utilisation = Json::object();
  for (const engine::Utilisation& one : e.utilisations)
    utilisation[one.resource] = one.fraction;
  Json json = {
      {"because", e.because},
      {"utilisation", std::move(utilisation)},
      {"achieved_warps_per_sm", e.achieved_warps_per_sm},
      {"occupancy_over_time", {{"bin_cycles", e.occupancy_bin_cycles}, {"warps_per_sm", e.warps_over_time}}},
      {"warp_state_cycles", states_json(e.state_cycles, true)},
      {"ptx_lines", lines_json(e.ptx_lines)},
      {"source_lines", lines_json(e.source_lines)}};
  if (e.what_if.empty())
    return json;
  Json changes = Json::array();
  for (const engine::WhatIf& one : e.what_if)
    changes.push_back({{"change", one.change}, {"cycles", one.cycles}, {"gain", one.gain}});
  json["what_if"] = std::move(changes);
  return json;
}

} // namespace kerncast::app
