// The profile of one warp of a kernel, from its machine program and its way through it.
#pragma once

#include <cstdint>
#include <functional>

#include "analytical/kernel_profile.h"
#include "configs/gpu.h"
#include "machine/program.h"
#include "memory_model/request.h"
#include "tasklist/behaviour.h"

namespace kerncast::analytical {

// What a memory operation asks of the memory system.
using RequestOf =
    std::function<memory_model::Request(const machine::MachineOp&, const tasklist::AddressShape&)>;

struct ProfileInput {
  const machine::MachineProgram& program;
  const tasklist::LaunchBehaviour& behaviour;
  std::uint32_t path = 0; // index into behaviour.paths
  const configs::Gpu& gpu;
  RequestOf request_of;
};

// Sums over the path; repeats are multiplied, not walked. Subsystems without load are left out.
//
// critical_path_latency is the time of one warp alone on the SM, in order, each operation waiting for its
// sources, its unit and the issue distance of the warp. Of a repeated part 16 rounds are walked (2 from
// the fourth level of nesting on) and the last one stands for the rest. Operations without result end when
// they have left their unit.
KernelProfile profile(const ProfileInput& input);

} // namespace kerncast::analytical
