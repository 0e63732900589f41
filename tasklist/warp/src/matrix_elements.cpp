// Elements of matrices, and where the manual puts them (PTX ISA, section 9.7.14, warp level matrix
// multiply-accumulate instructions).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "float_format.h"
#include "warp/matrix_op.h"

namespace kerncast::warp {
namespace {

struct ElementFormat {
  std::uint8_t bits = 0;
  const FloatFormat* format = nullptr; // null: an integer
  bool is_signed = false;
};

constexpr FloatFormat e2m1_in_byte{2, 1, false, 0x7, 2, true};

// In the order of Element.
constexpr ElementFormat element_formats[] = {
    {16, &f16_format, true}, {16, &bf16_format, true},  {32, &tf32_format, true}, {8, &e4m3_format, true},
    {8, &e5m2_format, true}, {32, &f32_format, true},   {64, &f64_format, true},  {8, nullptr, true},
    {8, nullptr, false},     {4, nullptr, true},        {4, nullptr, false},      {1, nullptr, false},
    {32, nullptr, true},     {8, &e2m3_format, true},   {8, &e3m2_format, true},  {8, &e2m1_in_byte, true},
    {4, &e2m1_format, true}, {8, &ue8m0_format, false}, {7, &e4m3_format, false}};

const ElementFormat& format_of(Element element) { return element_formats[static_cast<std::size_t>(element)]; }

using FragmentKind = FragmentLayout::Kind;

// Groups of four lanes share a row of a and c, and a column of b.
MatrixPlace mma_place(const FragmentLayout& layout, std::uint32_t lane, std::uint32_t element) {
  const std::uint32_t group = lane / 4, in_group = lane % 4;
  const std::uint32_t packed = layout.per_register;
  const std::uint32_t in_register = element % packed, number = element / packed;
  if (layout.kind == FragmentKind::mma_c)
    return {group + 8 * (element / 2), 2 * in_group + element % 2};
  if (layout.kind == FragmentKind::mma_b)
    return {in_group * packed + in_register + 4 * packed * number, group};
  const bool tall = layout.rows == 16; // registers alternate between the upper and the lower eight rows
  return {group + (tall ? 8 * (number % 2) : 0),
          in_group * packed + in_register + 4 * packed * (tall ? number / 2 : number)};
}

MatrixPlace quad_place(const FragmentLayout& layout, std::uint32_t lane, std::uint32_t element) {
  const std::uint32_t in_quad = lane % 4, upper = lane >= 16 ? 4 : 0;
  switch (layout.kind) {
  case FragmentKind::quad_a:
    return layout.transposed ? MatrixPlace{element + upper, in_quad} : MatrixPlace{in_quad + upper, element};
  case FragmentKind::quad_b:
    return layout.transposed ? MatrixPlace{in_quad, element + upper} : MatrixPlace{element, in_quad + upper};
  case FragmentKind::quad_c_f16:
    return {in_quad + upper, element};
  default:
    return {lane % 2 + (element & 2) + upper, (element & 4) + (lane & 2) + element % 2};
  }
}

} // namespace

std::uint32_t element_bits(Element element) { return format_of(element).bits; }

std::uint32_t elements_per_register(Element element) {
  return format_of(element).bits >= 32 ? 1 : 32U / format_of(element).bits;
}

double decode_element(std::uint64_t bits, Element element) {
  const ElementFormat& row = format_of(element);
  if (row.format != nullptr)
    return std::bit_cast<double>(
        encode_float(decode_float(bits & (~std::uint64_t{0} >> (64U - row.bits)), *row.format), f64_format,
                     RoundingMode::nearest_even, false));
  const std::uint32_t unused = 64U - row.bits;
  const std::uint64_t top = bits << unused;
  return row.is_signed ? static_cast<double>(static_cast<std::int64_t>(top) >> unused)
                       : static_cast<double>(top >> unused);
}

std::uint64_t encode_element(double value, Element element) {
  const ElementFormat& row = format_of(element);
  if (row.format != nullptr)
    return encode_float(decode_float(std::bit_cast<std::uint64_t>(value), f64_format), *row.format,
                        RoundingMode::nearest_even, false);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) &
         (~std::uint64_t{0} >> (64U - row.bits));
}

double saturated(double sum) {
  using Limits = std::numeric_limits<std::int32_t>;
  return std::clamp<double>(sum, Limits::min(), Limits::max());
}

MatrixPlace FragmentLayout::place(std::uint32_t lane, std::uint32_t element) const {
  switch (kind) {
  case FragmentKind::mma_a:
  case FragmentKind::mma_b:
  case FragmentKind::mma_c:
    return mma_place(*this, lane, element);
  case FragmentKind::linear: {
    const std::uint32_t each = row_count() * column_count() / lanes_per_warp;
    const std::uint32_t index = lane * each + element % each; // what is left over repeats
    return {index / column_count(), index % column_count()};
  }
  default:
    return quad_place(*this, lane, element);
  }
}

} // namespace kerncast::warp
