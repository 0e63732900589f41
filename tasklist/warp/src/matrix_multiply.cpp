// Gathers the matrices from the lanes, multiplies, and scatters the result.
#include <cfenv>
#include <cmath>
#include <vector>

#include "warp/matrix_op.h"

namespace kerncast::warp {
namespace {

// Row by row.
struct Matrix {
  std::uint32_t columns = 0;
  std::vector<double> values;

  explicit Matrix(const FragmentLayout& layout)
      : columns(layout.column_count()), values(std::size_t{layout.row_count()} * columns) {}
  double& at(MatrixPlace place) { return values[std::size_t{place.row} * columns + place.column]; }
  double at(std::uint32_t row, std::uint32_t column) const {
    return values[std::size_t{row} * columns + column];
  }
};

std::uint64_t register_bits(LaneFile& file, SlotId slot, std::uint32_t lane) {
  return slot.pool == Pool::longword ? file.lanes<std::uint64_t>(slot.index)[lane]
                                     : file.lanes<std::uint32_t>(slot.index)[lane];
}

Matrix gather(const Fragment& fragment, LaneFile& file, LaneMask lanes) {
  Matrix matrix(fragment.layout);
  const std::uint32_t packed = fragment.layout.per_register, bits = element_bits(fragment.element);
  for_each_lane(lanes, [&](std::uint32_t lane) {
    for (std::uint32_t e = 0; e < fragment.elements(); ++e) {
      const std::uint64_t word = register_bits(file, fragment.registers[e / packed], lane);
      matrix.at(fragment.layout.place(lane, e)) =
          decode_element(word >> (e % packed * bits), fragment.element);
    }
  });
  return matrix;
}

void scatter(Matrix& matrix, const Fragment& fragment, LaneFile& file, LaneMask lanes) {
  const std::uint32_t packed = fragment.layout.per_register, bits = element_bits(fragment.element);
  for_each_lane(lanes, [&](std::uint32_t lane) {
    for (std::uint32_t r = 0; r < fragment.count; ++r) {
      std::uint64_t word = 0;
      for (std::uint32_t e = 0; e < packed; ++e)
        word |= encode_element(matrix.at(fragment.layout.place(lane, r * packed + e)), fragment.element)
                << (e * bits);
      const SlotId slot = fragment.registers[r];
      if (slot.pool == Pool::longword)
        file.lanes<std::uint64_t>(slot.index)[lane] = word;
      else if (slot.pool == Pool::word)
        file.lanes<std::uint32_t>(slot.index)[lane] = static_cast<std::uint32_t>(word);
    }
  });
}

// Integers are exact: the sums stay below 2^53.
double dot_product(const MatrixOp& op, const Matrix& a, const Matrix& b, MatrixPlace at, double sum) {
  for (std::uint32_t k = 0; k < a.columns; ++k) {
    const double x = a.at(at.row, k), y = b.at(k, at.column);
    if (op.d.element == Element::f64)
      sum = std::fma(x, y, sum);
    else if (op.counts_differences)
      sum += x == y ? 0 : 1;
    else
      sum += x * y;
  }
  return op.saturates ? saturated(sum) : sum;
}

int host_mode(MatrixOp::Rounding rounding) {
  constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  return modes[static_cast<std::size_t>(rounding)];
}

// Where a row's metadata lie.
struct MetadataPlace {
  std::uint32_t lane = 0, shift = 0;
};

// PTX ISA, section 9.7.14.6: lane groups share rows g and g + 8. A lane holds 16 bits of each of both, the
// next one what follows in the rows; or, of 8-bit and 4-bit elements, all 32 bits are of one of the rows.
MetadataPlace metadata_place(const Sparsity& sparsity, std::uint32_t row, std::uint32_t bit) {
  const std::uint32_t group = 4 * (row % 8), upper = row / 8;
  if (sparsity.has_whole_rows)
    return {group + 2 * sparsity.selector + upper + 2 * (bit / 32), bit % 32};
  return {group + sparsity.selector + bit / 16, 16 * upper + bit % 16};
}

Matrix expanded(const MatrixOp& op, const Matrix& stored, LaneFile& file) {
  FragmentLayout layout = op.a.layout;
  layout.columns = static_cast<std::uint8_t>(2 * layout.columns);
  Matrix dense(layout);
  dense.values = in_full(op.sparsity, op.a.element, stored.values, stored.columns, file);
  return dense;
}

void multiply(const MatrixOp& op, LaneFile& file, LaneMask lanes) {
  const Matrix stored = gather(op.a, file, lanes);
  Matrix a = op.sparsity.metadata.pool == Pool::none ? stored : expanded(op, stored, file);
  Matrix b = gather(op.b, file, lanes);
  scale_lines(op.scale_a, true, a.columns, a.values, file);
  scale_lines(op.scale_b, false, b.columns, b.values, file);
  Matrix c = gather(op.c, file, lanes);
  std::fesetround(host_mode(op.rounding));
  for (std::uint32_t row = 0; row < op.c.layout.row_count(); ++row)
    for (std::uint32_t column = 0; column < c.columns; ++column)
      c.at({row, column}) = dot_product(op, a, b, {row, column}, c.at(row, column));
  std::fesetround(FE_TONEAREST);
  scatter(c, op.d, file, lanes);
}

bool is_of_quads(const MatrixOp& op) { return op.a.layout.kind == FragmentLayout::Kind::quad_a; }

// Two 16-bit values of a register keep their bits.
void transpose(const MatrixOp& op, LaneFile& file) {
  const Lanes<std::uint32_t> a = file.lanes<std::uint32_t>(op.a.registers[0].index);
  auto& d = file.lanes<std::uint32_t>(op.d.registers[0].index);
  const auto at = [&](std::uint32_t row, std::uint32_t column) {
    return a[4 * row + column / 2] >> (16 * (column % 2)) & 0xffff;
  };
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
    d[lane] = at(2 * (lane % 4), lane / 4) | at(2 * (lane % 4) + 1, lane / 4) << 16;
}

} // namespace

// Of 4-bit elements pairs are stored, two of four; of tf32 a code counts halves of elements: 0b0100 is the
// first element, 0b1110 the second.
std::uint32_t code_bit(Element element, std::uint32_t stored) {
  if (element == Element::tf32)
    return 4 * stored;
  return element_bits(element) == 4 ? stored / 2 * 2 : 2 * stored;
}

std::uint32_t column_of(Element element, std::uint32_t stored, std::uint32_t code) {
  if (element == Element::tf32)
    return 2 * stored + (code >> 1 & 1);
  if (element_bits(element) == 4)
    return stored / 4 * 8 + (code & 3) * 2 + stored % 2;
  return stored / 2 * 4 + (code & 3);
}

// A row's columns that its stored elements stand for; zeros elsewhere.
std::vector<double> in_full(const Sparsity& sparsity, Element element, const std::vector<double>& stored,
                            std::uint32_t stored_columns, LaneFile& file) {
  const auto& metadata = file.lanes<std::uint32_t>(sparsity.metadata.index);
  const std::size_t columns = 2 * std::size_t{stored_columns};
  std::vector<double> dense(2 * stored.size());
  for (std::uint32_t row = 0; row < stored.size() / stored_columns; ++row)
    for (std::uint32_t s = 0; s < stored_columns; ++s) {
      const MetadataPlace at = metadata_place(sparsity, row, code_bit(element, s));
      const std::uint32_t code = metadata[at.lane] >> at.shift;
      dense[row * columns + column_of(element, s, code)] = stored[std::size_t{row} * stored_columns + s];
    }
  return dense;
}

void execute_matrix_op(const MatrixOp& op, LaneFile& file) {
  if (op.kind == MatrixOp::Kind::transpose)
    return transpose(op, file);
  if (!is_of_quads(op))
    return multiply(op, file, all_lanes);
  constexpr LaneMask first_quads = 0x000f000f;
  for (std::uint32_t quad = 0; quad < 4; ++quad)
    multiply(op, file, first_quads << (4 * quad));
}

} // namespace kerncast::warp
