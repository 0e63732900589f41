// tcgen05: tensor memory, 128 lanes of 512 columns of 32 bits in each CTA, and what moves data there and
// multiplies matrices into it (PTX ISA, section 9.7.16). An address is a lane above a column, 16 bits each.
//
// Operations are done where they stand, so waits and fences have nothing to do.
#pragma once

#include <array>
#include <vector>

#include "warp/matrix_op.h"

namespace kerncast::warp {

struct TensorAddress {
  std::uint32_t lane = 0, column = 0;

  static TensorAddress of(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits >> 16 & 0xffff), static_cast<std::uint32_t>(bits & 0xffff)};
  }
};

// Everything but loads, stores and products.
struct TensorMemoryOp {
  enum class Kind : std::uint8_t {
    alloc,      // `value` columns, whose address is stored at `address` in shared memory
    dealloc,    // `value` columns at the address in `place`
    relinquish, // the CTA allocates no more
    copy,       // `value`: descriptor of a matrix in shared memory
    shift,      // each 32 bytes of a lane take the place of those of the lane before
    commit,     // an arrival at the mbarrier at `address`, in all CTAs of the mask `value`
  };
  enum class Format : std::uint8_t { whole, b6x16_p32, b4x16_p64 };
  // The lanes that get row r of a copy.
  enum class Spread : std::uint8_t {
    rows,           // r
    one_per_warp,   // 32 r
    warps_02_13,    // r and 64 + r
    warps_01_23,    // r % 32 + 64 (r / 32), and 32 further
    all_four_warps, // r, 32 + r, 64 + r, 96 + r
  };

  Kind kind = Kind::alloc;
  bool of_pair = false; // .cta_group::2
  AddressOf address;
  SlotId place;
  SlotId value;                          // Pool::none: a commit to the one CTA
  std::uint32_t rows = 0, row_bytes = 0; // copy
  Spread spread = Spread::rows;
  Format format = Format::whole;
};

// tcgen05.ld and tcgen05.st: each thread of a warp moves `registers` from or to the warp's 32 lanes.
struct TensorMove {
  enum class Shape : std::uint8_t { of_32x32b, of_16x64b, of_16x128b, of_16x256b, of_16x32bx2 };
  enum class Reduction : std::uint8_t { none, min, max };

  Shape shape = Shape::of_32x32b;
  bool stores = false;
  bool packs = false; // the lower halves of two columns in one register
  AddressOf address;
  std::uint32_t split = 0; // .16x32bx2: columns from the first half's to the second half's
  std::vector<SlotId> registers;
  // ld.red: of a thread's values.
  Reduction reduction = Reduction::none;
  ptx::Type type = ptx::Type::none;
  bool of_magnitudes = false, keeps_nan = false;
  SlotId reduced;

  // Of a thread's register; with `packs` columns count pairs.
  TensorAddress place(std::uint32_t thread, std::uint32_t r) const;
  // Of a thread's values, of which there are some.
  std::uint32_t extreme(std::vector<std::uint32_t> values) const;
};

// tcgen05.mma: D = A B + D. What the matrices are the instruction descriptor says when it executes.
struct TensorMultiply {
  enum class Kind : std::uint8_t { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };
  static constexpr std::uint32_t most_scale = 15;

  Kind kind = Kind::f16;
  bool of_pair = false;
  bool is_weight_stationary = false; // .ws
  AddressOf d;
  bool has_descriptor_a = false;
  AddressOf a; // in tensor memory; or
  SlotId descriptor_a;
  SlotId descriptor_b, instruction;
  bool is_sparse = false;
  AddressOf metadata;
  std::uint8_t parts = 0; // of each row of a and column of b that have a factor; 0: no factors
  AddressOf factors_a, factors_b;
  SlotId adds_d; // a predicate
  bool adds_negated = false;
  std::uint32_t scale_d = 0;          // d is added times 2^-scale_d
  std::vector<SlotId> disabled_lanes; // 32 in each word
  SlotId zero_columns;                // Pool::none: none
};

// An instruction descriptor, with what its kind makes of it (PTX ISA, section 9.7.16.4.2).
struct TensorInstruction {
  Element a{}, b{}, d{};
  std::uint32_t m = 0, n = 0, k = 0; // m: of both CTAs of a pair
  bool negates_a = false, negates_b = false;
  bool transposes_a = false, transposes_b = false;
  bool saturates = false;
  std::uint32_t selector = 0; // of metadata
  Element factor{};
  std::uint32_t first_factor_a = 0, first_factor_b = 0; // bytes

  // Null, or why there is no such product.
  const char* read(std::uint32_t bits, const TensorMultiply& op);

private:
  const char* read_factors(std::uint32_t bits, const TensorMultiply& op);
};

} // namespace kerncast::warp
