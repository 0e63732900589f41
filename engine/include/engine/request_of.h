// What a machine operation asks of the memory model.
#pragma once

#include "configs/gpu.h"
#include "machine/program.h"
#include "memory_model/request.h"
#include "tasklist/behaviour.h"

namespace kerncast::engine {

// The request of memory operation `op` when its lanes access addresses of this shape. A generic address is
// taken for a global one: it is the common case and the dearer one.
memory_model::Request request_of(const machine::MachineOp& op, const tasklist::AddressShape& shape,
                                 const memory_model::HitRates& hits, const configs::Gpu& gpu);
// Wavefronts of an access to shared memory, whatever time they take.
double shared_wavefronts_of(const machine::MachineOp& op, const tasklist::AddressShape& shape,
                            const configs::Gpu& gpu);
// The addresses of a spill (machine::MachineOp::access): every lane's own place, beside those of its
// neighbours.
tasklist::AddressShape spill_shape(const machine::MachineOp& op, std::uint32_t active_mask);
// Those of a memory operation in a visit of its block.
tasklist::AddressShape shape_of(const machine::MachineOp& op, const tasklist::BlockVisit& visit,
                                const tasklist::LaunchBehaviour& behaviour);

// The same with hits and misses as requests of their own.
memory_model::Request split_request_of(const machine::MachineOp& op, const tasklist::AddressShape& shape,
                                       const memory_model::HitRates& hits, const configs::Gpu& gpu);

} // namespace kerncast::engine
