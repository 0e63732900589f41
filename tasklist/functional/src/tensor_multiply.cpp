// tcgen05.mma: each warp's 32 lanes of tensor memory, of each CTA, get what rows of A and columns of B meet
// there (PTX ISA, section 9.7.16.10.5, data path layouts A to G).
#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "host_bytes.h"
#include "tensor_product.h"

namespace kerncast::functional {

using warp::Element;
using warp::LaneFile;
using warp::LaneMask;
using warp::TensorAddress;
using warp::TensorMultiply;

namespace {

constexpr std::uint32_t partitions = TensorMemory::partitions,
                        lanes_per_partition = TensorMemory::lanes_per_partition;

TensorAddress address_of(const warp::AddressOf& address, std::uint32_t lane, LaneFile& file) {
  return TensorAddress::of(lane_address(file, address, lane));
}

// Selectors of factors may stand in the upper two bits.
TensorAddress factor_address(const warp::AddressOf& address, std::uint32_t lane, LaneFile& file) {
  TensorAddress found = address_of(address, lane, file);
  found.lane &= 0x3fff;
  return found;
}

// Columns of B that are zero, of one of the sub-masks, whose first bits are skipped (PTX ISA, section
// 9.7.16.4.3). Of the spans the manual's examples and CUTLASS hide the skip span; the manual's table has it
// the other way round.
bool is_hidden(std::uint64_t mask, std::uint32_t sub_mask, std::uint32_t column) {
  const auto field = [mask](std::uint32_t first, std::uint32_t bits) {
    return static_cast<std::uint32_t>(mask >> first) & ((1U << bits) - 1);
  };
  const std::uint32_t hidden = field(40, 8) + 1, shown = field(48, 8) + 1;
  const bool begins_hidden = field(32 + sub_mask, 1) != 0;
  const std::uint32_t at = (column + field(8 * sub_mask, 8)) % (hidden + shown);
  return begins_hidden ? at < hidden : at >= shown;
}

} // namespace

bool TensorUnit::hide_columns(Product& product, std::uint64_t mask) {
  const warp::TensorInstruction& t = product.instruction;
  constexpr std::uint32_t shift_at = 56, shift_bits = 0x3f;
  if ((mask >> shift_at & shift_bits) != 0)
    return fail("a mask of zero columns with a shift, which is not supported",
                "the manual does not say how it meets the mask");
  if ((mask >> 39 & 1) == 0)
    return true;
  const std::uint32_t columns = t.n * t.m / TensorMemory::lanes; // of a sub-mask
  for (std::uint32_t n = 0; n < t.n; ++n)
    for (std::uint32_t k = 0; k < t.k && is_hidden(mask, n / columns, n % columns); ++k)
      product.b[std::size_t{k} * t.n + n] = 0;
  return true;
}

bool TensorUnit::scale_rows(Product& product, Target& target, const Partition& partition,
                            std::vector<Row>& rows) {
  const warp::TensorInstruction& t = product.instruction;
  for (std::uint32_t i = 0; i < rows.size() && product.op.parts > 0; ++i) {
    std::uint32_t* found = nullptr;
    if (!word(target, product.factors_a.lane + partition.first_lane + i,
              product.factors_a.column + (partition.first_row + i) / lanes_per_partition, found))
      return false;
    for (std::size_t e = 0; e < rows[i].values.size(); ++e) {
      const std::uint32_t part = rows[i].k[e] / (t.k / product.op.parts);
      rows[i].values[e] *= warp::decode_element(*found >> (8 * (t.first_factor_a + part)) & 0xff, t.factor);
    }
  }
  return true;
}

// The partition's columns of B.
bool TensorUnit::scale_columns(Product& product, Target& target, const Partition& partition,
                               std::vector<double>& columns) {
  const warp::TensorInstruction& t = product.instruction;
  columns.resize(std::size_t{t.k} * partition.columns);
  for (std::uint32_t k = 0; k < t.k; ++k)
    std::copy_n(&product.b[std::size_t{k} * t.n + partition.first_column], partition.columns,
                &columns[std::size_t{k} * partition.columns]);
  for (std::uint32_t n = 0; n < partition.columns && product.op.parts > 0; ++n) {
    std::uint32_t* found = nullptr;
    if (!word(target, product.factors_b.lane + partition.first_lane + n % lanes_per_partition,
              product.factors_b.column + n / lanes_per_partition, found))
      return false;
    for (std::uint32_t k = 0; k < t.k; ++k) {
      const std::uint32_t part = k / (t.k / product.op.parts);
      columns[std::size_t{k} * partition.columns + n] *=
          warp::decode_element(*found >> (8 * (t.first_factor_b + part)) & 0xff, t.factor);
    }
  }
  return true;
}

// One row of D.
bool TensorUnit::accumulate(Product& product, std::uint32_t cta, const Partition& partition, const Row& row,
                            std::uint32_t number, const std::vector<double>& columns) {
  const warp::TensorInstruction& t = product.instruction;
  const std::uint32_t lane = product.d.lane + partition.first_lane + number, count = partition.columns;
  if (product.is_disabled(cta, lane))
    return true;
  std::vector<std::uint32_t*> words(count);
  std::vector<double> sums(count);
  for (std::uint32_t n = 0; n < count; ++n) {
    if (!word(product.targets[cta], lane, product.d.column + n, words[n]))
      return false;
    if (product.adds)
      sums[n] = std::ldexp(warp::decode_element(*words[n], t.d), -static_cast<int>(product.op.scale_d));
  }
  const double sign = t.negates_a != t.negates_b ? -1 : 1;
  for (std::size_t e = 0; e < row.values.size(); ++e) {
    const double a = sign * row.values[e];
    const double* b = &columns[std::size_t{row.k[e]} * count];
    for (std::uint32_t n = 0; n < count; ++n)
      sums[n] += a * b[n];
  }
  for (std::uint32_t n = 0; n < count; ++n)
    *words[n] = static_cast<std::uint32_t>(
        warp::encode_element(t.saturates ? warp::saturated(sums[n]) : sums[n], t.d));
  return true;
}

bool TensorUnit::multiply_partition(Product& product, std::uint32_t cta, const Partition& partition) {
  std::vector<Row> rows;
  std::vector<double> columns;
  Target& target = product.targets[cta];
  if (!load_rows(product, cta, partition, rows) || !scale_rows(product, target, partition, rows) ||
      !scale_columns(product, target, partition, columns))
    return false;
  for (std::uint32_t i = 0; i < rows.size(); ++i)
    if (!accumulate(product, cta, partition, rows[i], i, columns))
      return false;
  return true;
}

// Lanes that a product may begin at, and what of sparse matrices is known.
bool TensorUnit::check_product(const Product& product) {
  const bool halves = product.uses_half_of_lanes();
  if (product.op.is_sparse && halves)
    return fail("a sparse product of 64 rows in a CTA, without .ws, which is not supported",
                "the manual shows where its metadata lie in a figure only");
  const bool may_begin = product.d.lane == 0 || (halves && product.d.lane == lanes_per_partition / 2);
  const bool has_a = !product.op.has_descriptor_a;
  if (!may_begin || (has_a && product.a.lane != product.d.lane) ||
      (product.op.is_sparse && product.metadata.lane != 0))
    return fail(fmt::format("tcgen05.mma into lane {} of tensor memory", product.d.lane),
                "D, A and metadata begin at lane 0; those of 64 rows in a CTA without .ws at 0 or 16");
  const bool is_wide = warp::element_bits(product.instruction.a) > 8;
  if (product.op.is_sparse && (is_wide ? product.instruction.selector > 1 || product.metadata.column % 2 != 0
                                       : product.op.parts == 0 && product.instruction.selector > 0))
    return fail("a sparsity selector, or a column of metadata, that is not supported",
                "0 or 1 behind an even column for elements of 16 and 32 bits, 0 for others");
  return true;
}

bool TensorUnit::multiply_once(const TensorMultiply& op, std::uint32_t lane, LaneFile& file) {
  Product product{op};
  if (!find_targets(op.of_pair, lane, product.targets))
    return false;
  const auto bits = static_cast<std::uint32_t>(lane_value(file, op.instruction, lane));
  if (const char* why = product.instruction.read(bits, op); why != nullptr)
    return fail(fmt::format("tcgen05.mma with instruction descriptor {:#x}: {}", bits, why),
                "see the manual's section on instruction descriptors");
  product.d = address_of(op.d, lane, file);
  if (op.has_descriptor_a)
    product.descriptor_a = lane_value(file, op.descriptor_a, lane);
  else
    product.a = address_of(op.a, lane, file);
  product.metadata = address_of(op.metadata, lane, file);
  product.factors_a = factor_address(op.factors_a, lane, file);
  product.factors_b = factor_address(op.factors_b, lane, file);
  product.descriptor_b = lane_value(file, op.descriptor_b, lane);
  product.adds = (file.predicate(op.adds_d.index) >> lane & 1) != (op.adds_negated ? 1U : 0U);
  for (const warp::SlotId slot : op.disabled_lanes)
    product.disabled.push_back(static_cast<std::uint32_t>(lane_value(file, slot, lane)));
  if (!check_product(product) || !load_b(product))
    return false;
  const bool hides = op.zero_columns.pool != warp::Pool::none;
  return (!hides || hide_columns(product, lane_value(file, op.zero_columns, lane))) &&
         multiply_everywhere(product);
}

bool TensorUnit::multiply_everywhere(Product& product) {
  const std::uint32_t rows = product.rows_per_cta(), n = product.instruction.n;
  const bool halves = product.uses_half_of_lanes();
  const std::uint32_t banks = halves ? 1 : TensorMemory::lanes / rows; // of lanes, each with all rows
  const std::uint32_t each = halves ? lanes_per_partition / 2 : lanes_per_partition;
  const std::uint32_t per_bank = partitions / banks;
  for (std::uint32_t cta = 0; cta < product.targets.size(); ++cta)
    for (std::uint32_t p = 0; p < partitions; ++p)
      if (!multiply_partition(
              product, cta,
              {p * lanes_per_partition, p % per_bank * each, each, p / per_bank * (n / banks), n / banks}))
        return false;
  return true;
}

bool TensorUnit::multiply(const TensorMultiply& op, LaneMask lanes, LaneFile& file) {
  for (; lanes != 0; lanes &= lanes - 1)
    if (!multiply_once(op, static_cast<std::uint32_t>(std::countr_zero(lanes)), file))
      return false;
  return true;
}

} // namespace kerncast::functional
