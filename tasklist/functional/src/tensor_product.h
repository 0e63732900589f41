// One product of tcgen05.mma while it is computed: what its operands say, and B.
#pragma once

#include "tensor_unit.h"

namespace kerncast::functional {

struct TensorUnit::Product {
  const warp::TensorMultiply& op;
  warp::TensorInstruction instruction{};
  std::vector<Target> targets{};
  warp::TensorAddress d{}, a{}, metadata{}, factors_a{}, factors_b{};
  std::uint64_t descriptor_a = 0, descriptor_b = 0;
  bool adds = false;
  std::vector<std::uint32_t> disabled{}; // 32 lanes in each
  std::vector<double> b{};               // k rows of n

  std::uint32_t rows_per_cta() const { return instruction.m / static_cast<std::uint32_t>(targets.size()); }
  std::uint32_t stored_k() const { return op.is_sparse ? instruction.k / 2 : instruction.k; }
  // The layouts C and F of the manual: 16 lanes of each warp's 32.
  bool uses_half_of_lanes() const {
    return rows_per_cta() == 64 && !op.is_weight_stationary && !(op.of_pair && !op.is_sparse);
  }
  bool is_disabled(std::uint32_t cta, std::uint32_t lane) const {
    const std::uint32_t bit = cta * TensorMemory::lanes + lane;
    return bit / 32 < disabled.size() && (disabled[bit / 32] >> (bit % 32) & 1) != 0;
  }
};

} // namespace kerncast::functional
