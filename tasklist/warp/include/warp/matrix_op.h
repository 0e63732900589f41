// Decoded tensor operations: multiplications of matrices that the lanes of a warp hold in pieces (fragments),
// and what loads and stores such pieces.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "warp/memory_op.h"

namespace kerncast::warp {

enum class Element : std::uint8_t {
  f16,
  bf16,
  tf32,
  e4m3,
  e5m2,
  f32,
  f64,
  s8,
  u8,
  s4,
  u4,
  b1,
  s32,
  e2m3,         // in the lower 6 bits of a byte
  e3m2,         // likewise
  e2m1_in_byte, // in the middle 4 bits of a byte
  e2m1,
  ue8m0,
  ue4m3
};

std::uint32_t element_bits(Element element);
// In one register: elements narrower than 32 bits are packed, from the lowest bits on.
std::uint32_t elements_per_register(Element element);
double decode_element(std::uint64_t bits, Element element);
// Rounded to nearest even; integers wrap.
std::uint64_t encode_element(double value, Element element);
// A sum of integers, held to 32 bits with sign.
double saturated(double sum);

struct MatrixPlace {
  std::uint32_t row = 0, column = 0;
};

// Which elements of a matrix a lane holds.
struct FragmentLayout {
  enum class Kind : std::uint8_t {
    mma_a, // mma.sync: the layouts of the manual
    mma_b,
    mma_c,
    quad_a, // mma.sync.m8n8k4 on f16: four products, of the lanes 4q to 4q+3 and 4q+16 to 4q+19
    quad_b,
    quad_c_f16,
    quad_c_f32,
    linear, // wmma, whose layouts the manual leaves open: consecutive elements, row by row
  };
  Kind kind = Kind::mma_a;
  bool transposed = false; // quad_a by columns, quad_b by rows
  std::uint8_t rows = 0;
  std::uint8_t columns = 0; // 0: 256
  std::uint8_t per_register = 1;

  std::uint32_t column_count() const { return columns == 0 ? 256 : columns; }
  std::uint32_t row_count() const { return rows == 0 ? 256 : rows; }
  // Of a lane's element: the first register's first one is 0.
  MatrixPlace place(std::uint32_t lane, std::uint32_t element) const;
};

struct Fragment {
  static constexpr std::uint32_t most_registers = 8;

  Element element = Element::f16;
  FragmentLayout layout;
  std::uint8_t count = 0; // of registers
  std::array<SlotId, most_registers> registers{};

  std::uint32_t elements() const { return count * layout.per_register; }
};

// Where the elements of a sparse matrix a lie (mma.sp): of each four neighbours in a row two are stored, of
// tf32 one of two, and metadata say which.
struct Sparsity {
  SlotId metadata;           // Pool::none: a is dense
  std::uint8_t selector = 0; // which lanes of each four give metadata
  // 8-bit elements: a lane's metadata are of one row; else of one in its lower and another in its upper half.
  bool has_whole_rows = false;
};

// Of a stored element of a sparse matrix: the first bit of its code in its row's metadata, and the column
// that a code, in its lowest bits, gives it.
std::uint32_t code_bit(Element element, std::uint32_t stored);
std::uint32_t column_of(Element element, std::uint32_t stored, std::uint32_t code);

// The rows of a sparse matrix in full, each twice as long as stored; the metadata are those of the warp's
// lanes.
std::vector<double> in_full(const Sparsity& sparsity, Element element, const std::vector<double>& stored,
                            std::uint32_t stored_columns, LaneFile& file);

// Factors of the elements of a, of as many parts of each row, or of b, of each column. Of each four lanes
// some give those of a row or column, in neighbouring bytes of a register.
struct BlockScale {
  Element element = Element::ue8m0;
  std::uint8_t parts = 0; // 0: no factors
  SlotId factors;
  SlotId first_byte, lanes; // byte-id and thread-id of the manual
};

// Multiplies each element, row by row, by its factor.
void scale_lines(const BlockScale& scale, bool of_rows, std::uint32_t columns, std::vector<double>& values,
                 LaneFile& file);

// mma, wmma.mma: d = a b + c; movmatrix: d is a transposed.
struct MatrixOp {
  enum class Kind : std::uint8_t { multiply, transpose };
  enum class Rounding : std::uint8_t { nearest, zero, down, up };

  Kind kind = Kind::multiply;
  Fragment a, b, c, d;
  Sparsity sparsity; // a has half as many columns as b has rows
  BlockScale scale_a, scale_b;
  bool saturates = false;                // .satfinite, of integers
  bool counts_differences = false;       // b1: .xor instead of .and
  Rounding rounding = Rounding::nearest; // of f64
};

// Sums of products are taken in double in the order of k, beginning with c, and rounded once into d; those of
// f64 are fused and rounded at each step. All 32 lanes take part.
void execute_matrix_op(const MatrixOp& op, LaneFile& file);

// ldmatrix, stmatrix, wmma.load, wmma.store.
struct MatrixAccess {
  // ldmatrix and stmatrix of bytes, rows of 16 elements.
  struct Bytes {
    std::uint8_t bits = 0; // of an element in memory, which is the lowest of its byte; 0: not of bytes
    std::uint8_t registers_per_matrix = 1;
  };

  MemoryOp access; // kind, space and address
  Fragment fragment;
  bool has_row_addresses = false; // ldmatrix: lane 8 m + r gives the address of row r of matrix m
  Bytes bytes;
  bool transposed = false; // .trans; wmma: .col
  SlotId stride;           // wmma: elements from one row (.col: column) to the next; Pool::none: dense
};

} // namespace kerncast::warp
