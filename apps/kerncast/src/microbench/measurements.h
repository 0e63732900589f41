// Measurements that both the findings and the papers' tables are made of.
#pragma once

#include "laboratory.h"

namespace kerncast::app {

inline constexpr std::uint32_t usual_threads = 256; // of a CTA that shares its SM

// CTAs on every SM and threads of each.
struct Load {
  std::uint32_t ctas = 1;
  std::uint32_t threads = 32;
};

// Cycles that a step of `chains` independent chains of an operation takes; `operation`: stem of the kernels
// in apps/microbench/operations and tensor.
Expected<double> cycles_per_step(const Laboratory& laboratory, std::string_view operation,
                                 std::uint32_t chains, const Load& load);
Expected<double> cycles_per_barrier(const Laboratory& laboratory, const Load& load);
// Of dependent loads of words that are `stride` words apart from lane to lane.
Expected<double> cycles_per_shared_load(const Laboratory& laboratory, std::uint32_t stride, const Load& load);
// A trip of eight groups of beta fma.rn.f32 and one ex2.approx; beta is 1, 2, 4, 8 or 16.
Expected<double> cycles_per_mix_trip(const Laboratory& laboratory, std::uint32_t beta, const Load& load);
// A dependent load from an array twice as large as L2.
Expected<double> cycles_per_dram_load(const Laboratory& laboratory);
// 1e9 bytes/s that reads with elements of 1, 2, 4, 8 or 16 bytes reach.
Expected<double> read_gbps(const Laboratory& laboratory, std::uint32_t element_bytes);
// Of a warp that has an SM to itself and does 16 such reads at a time: cycles per read.
Expected<double> cycles_per_lone_read(const Laboratory& laboratory, std::uint32_t element_bytes);
// A dependent load from an array of the thread's own in local memory.
Expected<double> cycles_per_private_load(const Laboratory& laboratory);
// Cycles per dependent constant load: from a few places, and from more than any constant cache holds.
struct ConstantLoads {
  double hit = 0;
  double miss = 0;
};
Expected<ConstantLoads> cycles_per_constant_load(const Laboratory& laboratory);

} // namespace kerncast::app
