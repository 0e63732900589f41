// wgmma.mma_async: each warp takes its 16 rows of a, all of b, and multiplies at once. Sums are taken in
// double in the order of k, beginning with d, and rounded once, as those of mma.
//
// Not looked for: races of its loads from shared memory.
#include "host_bytes.h"
#include "memory_unit.h"
#include "shared_elements.h"

namespace kerncast::functional {

using warp::LaneFile;
using warp::lanes_per_warp;
using warp::SharedMatrix;
using warp::WarpgroupOp;

namespace {

// Sixteen rows of a or all columns of b, k values behind each other.
struct Rows {
  std::uint32_t k = 0;
  std::vector<double> values;
  const double* row(std::uint32_t r) const { return &values[std::size_t{r} * k]; }
};

Rows rows_of_registers(const WarpgroupOp& op, LaneFile& file) {
  const std::uint32_t k = op.stored_k();
  Rows rows{k, std::vector<double>(std::size_t{WarpgroupOp::rows_per_warp} * k)};
  const std::uint32_t packed = op.a.layout.per_register, bits = warp::element_bits(op.a.element);
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
    for (std::uint32_t e = 0; e < op.a.elements(); ++e) {
      const warp::MatrixPlace at = op.a.layout.place(lane, e);
      rows.values[std::size_t{at.row} * k + at.column] = warp::decode_element(
          lane_value(file, op.a.registers[e / packed], lane) >> (e % packed * bits), op.a.element);
    }
  return rows;
}

double dot_product(const WarpgroupOp& op, const double* a, const double* b, double sum) {
  const bool is_negative = op.negates_a != op.negates_b;
  for (std::uint32_t k = 0; k < op.k; ++k)
    sum += is_negative ? -(a[k] * b[k]) : a[k] * b[k];
  return op.saturates ? warp::saturated(sum) : sum;
}

} // namespace

// `rows` of a matrix in shared memory from `first` on; false: a fault.
bool MemoryUnit::load_shared_rows(std::uint64_t descriptor, SharedRows wanted, std::vector<double>& values) {
  const auto matrix = SharedMatrix::of(descriptor);
  if (!matrix)
    return fail("a matrix descriptor with a base offset, which is not supported", 0,
                "align the matrix to the swizzle's repetition");
  const std::vector<std::uint8_t>& shared = space_.shared();
  for (std::uint32_t row = wanted.first; row < wanted.first + wanted.rows; ++row)
    for (std::uint32_t k = 0; k < wanted.k; ++k) {
      const SharedElement place = place_of(*matrix, wanted.element, !wanted.is_transposed, {row, k});
      if (!is_inside(place, shared))
        return fail(outside_message(place, shared), 0, descriptor_advice);
      values.push_back(element_at(shared, place, wanted.element));
    }
  return true;
}

bool MemoryUnit::multiply_warpgroup(const WarpgroupOp& op, warp::LaneMask lanes, LaneFile& file) {
  if (lanes != warp::all_lanes)
    return fail("a tensor operation that not all threads of the warp execute", 0, "its result is undefined");
  Rows a{op.k, {}}, b{op.k, {}};
  const std::uint32_t first = warp_ % 4 * WarpgroupOp::rows_per_warp;
  if (op.a.count > 0)
    a = rows_of_registers(op, file);
  else if (!load_shared_rows(
               lane_value(file, op.descriptor_a, 0),
               {first, WarpgroupOp::rows_per_warp, op.stored_k(), op.element_a, op.transposes_a}, a.values))
    return false;
  if (op.sparsity.metadata.pool != warp::Pool::none)
    a = {op.k, warp::in_full(op.sparsity, op.element_a, a.values, op.stored_k(), file)};
  if (!load_shared_rows(lane_value(file, op.descriptor_b, 0), {0, op.n, op.k, op.element_b, op.transposes_b},
                        b.values))
    return false;
  const std::uint32_t packed = warp::elements_per_register(op.element_d),
                      bits = warp::element_bits(op.element_d);
  const bool adds = file.predicate(op.adds_d.index) != 0;
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
    for (std::size_t r = 0; r < op.d.size(); ++r) {
      const std::uint64_t old = lane_value(file, op.d[r], lane);
      std::uint64_t word = 0;
      for (std::uint32_t e = 0; e < packed; ++e) {
        const warp::MatrixPlace at = WarpgroupOp::place_d(lane, static_cast<std::uint32_t>(r) * packed + e);
        const double start = adds ? warp::decode_element(old >> (e * bits), op.element_d) : 0;
        word |= warp::encode_element(dot_product(op, a.row(at.row), b.row(at.column), start), op.element_d)
                << (e * bits);
      }
      set_lane_value(file, op.d[r], lane, word);
    }
  return true;
}

} // namespace kerncast::functional
