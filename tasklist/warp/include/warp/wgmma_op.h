// wgmma.mma_async: four warps multiply a matrix of 64 rows, each warp 16 of them (PTX ISA, section 9.7.15).
// Operands lie in shared memory, as 64-bit descriptors say, a also in registers.
//
// Operations are done where they stand, so fences, groups and waits have nothing
// to do.
#pragma once

#include <optional>
#include <vector>

#include "warp/matrix_op.h"

namespace kerncast::warp {

// A matrix in shared memory, as its descriptor says. Rows are those of m or n, columns those of k.
struct SharedMatrix {
  std::uint64_t start = 0;
  std::uint64_t leading_bytes = 0, stride_bytes = 0; // as the manual names them
  std::uint32_t swizzle_bytes = 16;                  // 16: no swizzle; 32, 64, 128
  std::uint32_t atom_bytes = 16;                     // that swizzles keep together; 32 with 128 only

  // None for a mode that the manual does not define, or a base offset, which is not followed.
  static std::optional<SharedMatrix> of(std::uint64_t descriptor);
  // The same of tcgen05, whose absolute addresses are not followed either.
  static std::optional<SharedMatrix> of_tensor_unit(std::uint64_t descriptor);
  // Of an element of `bits` bits: where its byte lies. `k_major`: neighbours in memory differ in k.
  std::uint64_t address(std::uint32_t row, std::uint32_t k, std::uint32_t bits, bool k_major) const;
};

struct WarpgroupOp {
  static constexpr std::uint32_t rows_per_warp = 16;

  Element element_a{}, element_b{}, element_d{};
  std::uint32_t n = 0, k = 0;
  std::vector<SlotId> d;
  Sparsity sparsity;   // of a, of which then half of each row is stored
  Fragment a;          // its registers, if it has any
  SlotId descriptor_a; // else
  SlotId descriptor_b;
  SlotId adds_d; // a predicate; where it is false, d is not added
  bool negates_a = false, negates_b = false;
  bool transposes_a = false, transposes_b = false; // neighbours in memory differ in m or n
  bool saturates = false;                          // .satfinite, of integers

  // Of a row of a, as it is stored.
  std::uint32_t stored_k() const { return sparsity.metadata.pool == Pool::none ? k : k / 2; }
  // Of a lane's element of d in the warp's 16 rows.
  static MatrixPlace place_d(std::uint32_t lane, std::uint32_t element) {
    return {lane / 4 + 8 * (element % 4 / 2), element / 4 * 8 + 2 * (lane % 4) + element % 2};
  }
};

} // namespace kerncast::warp
