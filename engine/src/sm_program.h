// Machine program + behaviour of a launch -> the operations, steps and requests that one SM executes.
#pragma once

#include <cstdint>

#include "engine/kernel.h"
#include "engine/sm_workload.h"

namespace kerncast::engine {

// Appends what had to be assumed.
SmProgram make_sm_program(const KernelInput& input, std::vector<std::string>& assumptions);

// Machine operations that a warp of each path issues, in the order of LaunchBehaviour::paths.
std::vector<std::uint64_t> path_instructions(const KernelInput& input);
// By path: bytes of global memory that bulk copies move.
std::vector<std::uint64_t> path_bulk_bytes(const tasklist::LaunchBehaviour& behaviour);

} // namespace kerncast::engine
