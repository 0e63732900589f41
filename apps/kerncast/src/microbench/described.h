// What the ISA table and the units of a GPU say about operations.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "configs/gpu.h"
#include "configs/isa.h"

namespace kerncast::app {

struct Described {
  double latency = 0;       // cycles, of all machine operations one after the other
  double warp_interval = 0; // cycles between two of one warp that do not depend on each other
  double sm_interval = 0;   // cycles between two of an SM
  bool is_single = false;   // one machine operation
};

// The row of a PTX operation; null where the GPU has none, or the compiler removes the operation.
const configs::IsaRow* row_of(const configs::Gpu& gpu, std::string_view operation);

Described describe(const configs::IsaRow& row, const configs::Gpu& gpu);

// Of a group of operations: each row so often.
struct Times {
  const configs::IsaRow* row = nullptr;
  double count = 1;
};
Described describe(std::span<const Times> group, const configs::Gpu& gpu);

// Of a shared-memory access of 4 bytes a lane, `stride` words (a power of two) from one to the next: every
// lane more that wants the same bank is a wavefront more.
double described_shared_latency(const configs::Gpu& gpu, const configs::IsaRow& row, std::uint32_t stride);
// Of one of so many wavefronts, which pass at the rate of shared memory.
double shared_latency_of_wavefronts(const configs::Gpu& gpu, const configs::IsaRow& row, double wavefronts);

// Of a load from DRAM under `load`, a share of what it sustains; and of one load after the other, each of a
// sector, which are the only load.
double described_dram_latency(const configs::Gpu& gpu, double load);
double described_chain_latency(const configs::Gpu& gpu);
// The load that DRAM comes to, at most 1, where as much is under way as takes `cycles` at full load: each of
// it has the latency under the load that all of it makes.
double described_load(const configs::Gpu& gpu, double cycles);

// Warps of an SM, as CTAs of one, that just fill the units of an operation, as far as they fit.
std::uint32_t filling_warps(const Described& operation, const configs::Gpu& gpu);

// Cycles in which all of so many warps on the sub-core with the most of them do one operation of a chain
// each: latency, or what the unit needs. A scheduler that picks by age lets as many as fill the
// unit run at full speed, and the others after them, the last of which may be few.
double chain_cycles(const Described& operation, const configs::Gpu& gpu, std::uint32_t warps_of_sm);

} // namespace kerncast::app
