// What all CTAs of one launch share while it runs; nothing of it changes but memory.
#pragma once

#include <optional>
#include <vector>

#include "functional/device_memory.h"
#include "tasklist/launch.h"
#include "warp/launch_parameters.h"
#include "warp/loop_control.h"
#include "warp/program.h"

namespace kerncast::functional {

// The loop, if any, that an edge enters from outside: its target is the header.
struct EntryEdges {
  std::uint32_t taken = tasklist::no_id;
  std::uint32_t next = tasklist::no_id;
  std::vector<std::uint32_t> targets; // of an indirect branch
};

class GlobalRaces;

struct LaunchState {
  const warp::Program& program;
  const std::vector<EntryEdges>& entries; // by block
  const tasklist::Launch& launch;
  const warp::ParameterImage& parameters;
  DeviceMemory& memory;
  ModuleVariables& variables;
  const std::vector<std::uint32_t>& block_work;                       // by block: what a visit of it counts
  const std::vector<std::optional<warp::LoopControl>>& loop_controls; // by loop
  std::uint64_t max_work_per_warp = 0;
  bool check_races = false;
  bool any_contents = false;
  GlobalRaces* global_races = nullptr; // null: not looked for
  tasklist::Dim3 together{1, 1, 1};    // CTAs that take turns: a cluster, or a cooperative grid
  bool is_cooperative = false;
};

} // namespace kerncast::functional
