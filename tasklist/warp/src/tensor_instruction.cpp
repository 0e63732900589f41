// Fields of the instruction descriptor by kind, and the shapes that there are (PTX ISA, sections 9.7.16.2.1
// and 9.7.16.4.2).
#include <iterator>

#include "warp/tensor_memory_op.h"

namespace kerncast::warp {
namespace {

using MultiplyKind = TensorMultiply::Kind;

struct FormatRow {
  MultiplyKind kind{};
  std::uint32_t code = 0;
  Element element{};
};
constexpr FormatRow inputs[] = {{MultiplyKind::f16, 0, Element::f16},
                                {MultiplyKind::f16, 1, Element::bf16},
                                {MultiplyKind::tf32, 2, Element::tf32},
                                {MultiplyKind::i8, 0, Element::u8},
                                {MultiplyKind::i8, 1, Element::s8},
                                {MultiplyKind::f8f6f4, 0, Element::e4m3},
                                {MultiplyKind::f8f6f4, 1, Element::e5m2},
                                {MultiplyKind::f8f6f4, 3, Element::e2m3},
                                {MultiplyKind::f8f6f4, 4, Element::e3m2},
                                {MultiplyKind::f8f6f4, 5, Element::e2m1_in_byte},
                                {MultiplyKind::mxf8f6f4, 0, Element::e4m3},
                                {MultiplyKind::mxf8f6f4, 1, Element::e5m2},
                                {MultiplyKind::mxf8f6f4, 3, Element::e2m3},
                                {MultiplyKind::mxf8f6f4, 4, Element::e3m2},
                                {MultiplyKind::mxf8f6f4, 5, Element::e2m1_in_byte},
                                {MultiplyKind::mxf4, 1, Element::e2m1},
                                {MultiplyKind::mxf4nvf4, 1, Element::e2m1}};
constexpr FormatRow outputs[] = {
    {MultiplyKind::f16, 0, Element::f16},    {MultiplyKind::f16, 1, Element::f32},
    {MultiplyKind::tf32, 1, Element::f32},   {MultiplyKind::f8f6f4, 0, Element::f16},
    {MultiplyKind::f8f6f4, 1, Element::f32}, {MultiplyKind::i8, 2, Element::s32}};

template <std::size_t count>
bool find(const FormatRow (&rows)[count], MultiplyKind kind, std::uint32_t code, Element& element) {
  for (const FormatRow& row : rows)
    if (row.kind == kind && row.code == code) {
      element = row.element;
      return true;
    }
  return false;
}

// A step over k takes 32 bytes of a row.
std::uint32_t dense_k(MultiplyKind kind) {
  switch (kind) {
  case MultiplyKind::f16:
    return 16;
  case MultiplyKind::tf32:
    return 8;
  case MultiplyKind::mxf4:
  case MultiplyKind::mxf4nvf4:
    return 64;
  default:
    return 32;
  }
}

bool has_shape(const TensorInstruction& t, const TensorMultiply& op) {
  if (t.n == 0 || t.n > 256)
    return false;
  if (op.is_weight_stationary)
    return (t.m == 32 || t.m == 64 || t.m == 128) &&
           (t.n == 64 || t.n == 128 || (t.n == 256 && !op.is_sparse));
  if (op.of_pair)
    return (t.m == 128 || t.m == 256) && t.n % 16 == 0;
  return t.m == 128 || (t.m == 64 && op.parts == 0);
}

} // namespace

const char* TensorInstruction::read(std::uint32_t bits, const TensorMultiply& op) {
  const auto field = [bits](std::uint32_t first, std::uint32_t count) {
    return bits >> first & ((1U << count) - 1);
  };
  if ((field(2, 1) != 0) != op.is_sparse)
    return "the sparsity of its descriptor and of its name differ";
  if (!find(inputs, op.kind, field(7, 3), a) || !find(inputs, op.kind, field(10, 3), b))
    return "its descriptor names a type that its kind does not have";
  m = field(24, 5) << 4;
  n = field(17, 6) << 3;
  k = dense_k(op.kind) * (op.is_sparse ? 2 : 1);
  if (!has_shape(*this, op))
    return "its descriptor names a shape that there is not";
  negates_a = op.kind != MultiplyKind::i8 && field(13, 1) != 0;
  negates_b = op.kind != MultiplyKind::i8 && field(14, 1) != 0;
  transposes_a = field(15, 1) != 0;
  transposes_b = field(16, 1) != 0;
  saturates = op.kind == MultiplyKind::i8 && field(3, 1) != 0;
  selector = field(0, 2);
  if (op.parts > 0)
    return read_factors(bits, op);
  return find(outputs, op.kind, field(4, 2), d) ? nullptr
                                                : "its descriptor names a type that its kind does not have";
}

// Where factors are named, D is always of f32.
const char* TensorInstruction::read_factors(std::uint32_t bits, const TensorMultiply& op) {
  constexpr std::uint32_t id = 3;
  d = Element::f32;
  factor = (bits >> 23 & 1) != 0 ? Element::ue8m0 : Element::ue4m3;
  first_factor_a = bits >> 29 & id;
  first_factor_b = bits >> 4 & id;
  if (bits >> 31 != 0)
    return "K of 96 is not supported";
  if (first_factor_a % op.parts != 0 || first_factor_b % op.parts != 0)
    return "its descriptor names factors that begin within others";
  if (factor == Element::ue4m3 && !(op.kind == MultiplyKind::mxf4nvf4 && op.parts == 4))
    return "its kind has factors of the type ue8m0";
  return nullptr;
}

} // namespace kerncast::warp
