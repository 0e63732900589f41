// The matrices A and B of tcgen05.mma, in shared and in tensor memory (PTX ISA, sections 9.7.16.3 and
// 9.7.16.10.4 to 9.7.16.10.8).
#include <numeric>

#include <fmt/format.h>

#include "shared_elements.h"
#include "tensor_product.h"

namespace kerncast::functional {

using warp::Element;
using warp::MatrixPlace;
using warp::SharedMatrix;

namespace {

// Where a chunk's code of four bits lies in a partition's metadata.
struct CodePlace {
  std::uint32_t lane = 0, column = 0, shift = 0;
};

// Of 16-bit and 32-bit elements two rows share 16 lanes, of whose words each has half of the codes of both.
CodePlace code_place(Element element, std::uint32_t selector, std::uint32_t row, std::uint32_t chunk) {
  if (warp::element_bits(element) <= 8)
    return {row, chunk / 8, 4 * (chunk % 8)};
  return {row % 8 + 8 * (chunk / 4) + 16 * (row / 16), selector, 16 * (row / 8 % 2) + 4 * (chunk % 4)};
}

// Of two elements one is stored; of four, or four pairs, two.
bool has_meaning(Element element, std::uint32_t code) {
  return element == Element::tf32 ? code == 0b0100 || code == 0b1110 : (code & 3) != code >> 2;
}

} // namespace

bool TensorUnit::find_matrix(std::uint64_t descriptor, bool transposed, Element element,
                             SharedMatrix& matrix) {
  constexpr std::uint32_t atom_of_transposed_words = 32;
  const auto found = SharedMatrix::of_tensor_unit(descriptor);
  if (!found)
    return fail(fmt::format("a matrix descriptor ({:#x}) that is not followed", descriptor),
                "bits 46 to 48 are 0b001, the swizzle one that there is, base offset and bit 52 zero");
  if (transposed && (is_padded(element) || warp::element_bits(element) < 8))
    return fail("a transposed matrix of elements of 4 or 6 bits", "they are not transposed");
  const bool is_of_transposed_words = transposed && element == Element::tf32;
  if ((found->atom_bytes == atom_of_transposed_words) != is_of_transposed_words)
    return fail("a matrix with a swizzle that its elements do not have in this order",
                "transposed tf32, and nothing else, has the swizzle of 128 bytes that keeps 32 together");
  matrix = *found;
  return true;
}

bool TensorUnit::load_element(const Target& target, const SharedMatrix& matrix, Element element, bool k_major,
                              MatrixPlace at, double& value) {
  const SharedElement place = place_of(matrix, element, k_major, at);
  if (!is_inside(place, target.shared))
    return fail(outside_message(place, target.shared), descriptor_advice);
  value = element_at(target.shared, place, element);
  return true;
}

// Each CTA of a pair holds half of the columns.
bool TensorUnit::load_b(Product& product) {
  const warp::TensorInstruction& t = product.instruction;
  const auto ctas = static_cast<std::uint32_t>(product.targets.size());
  const std::uint32_t columns = t.n / ctas;
  SharedMatrix matrix;
  if (!find_matrix(product.descriptor_b, t.transposes_b, t.b, matrix))
    return false;
  product.b.resize(std::size_t{t.k} * t.n);
  for (std::uint32_t n = 0; n < t.n; ++n)
    for (std::uint32_t k = 0; k < t.k; ++k)
      if (!load_element(product.targets[n / columns], matrix, t.b, !t.transposes_b, {n % columns, k},
                        product.b[std::size_t{k} * t.n + n]))
        return false;
  return true;
}

bool TensorUnit::load_shared_row(Product& product, Target& target, const SharedMatrix& matrix,
                                 std::uint32_t row, std::vector<double>& values) {
  const warp::TensorInstruction& t = product.instruction;
  values.resize(product.stored_k());
  for (std::uint32_t k = 0; k < values.size(); ++k)
    if (!load_element(target, matrix, t.a, !t.transposes_a, {row, k}, values[k]))
      return false;
  return true;
}

// A row of A in tensor memory.
bool TensorUnit::load_packed(Product& product, Target& target, std::uint32_t lane,
                             std::vector<double>& values) {
  const Element element = product.instruction.a;
  const std::uint32_t bits = warp::element_bits(element);
  for (std::uint32_t k = 0; k < product.stored_k(); ++k) {
    std::uint32_t* found = nullptr;
    if (!word(target, product.a.lane + lane, product.a.column + k * bits / 32, found))
      return false;
    values.push_back(warp::decode_element(std::uint64_t{*found} >> (k * bits % 32), element));
  }
  return true;
}

bool TensorUnit::place_sparse(Product& product, Target& target, const Partition& partition, std::uint32_t row,
                              Row& into) {
  const Element element = product.instruction.a;
  for (std::uint32_t s = 0; s < product.stored_k(); ++s) {
    const std::uint32_t bit = warp::code_bit(element, s);
    const CodePlace at = code_place(element, product.instruction.selector, row, bit / 4);
    std::uint32_t* found = nullptr;
    if (!word(target, product.metadata.lane + partition.first_lane + at.lane,
              product.metadata.column + at.column, found))
      return false;
    const std::uint32_t code = *found >> at.shift & 0xf;
    if (!has_meaning(element, code))
      return fail(fmt::format("metadata {:#x} of row {} of A, which have no meaning", code,
                              partition.first_row + row),
                  "check where the metadata lie");
    into.k.push_back(warp::column_of(element, s, code >> bit % 4));
  }
  return true;
}

bool TensorUnit::load_rows(Product& product, std::uint32_t cta, const Partition& partition,
                           std::vector<Row>& rows) {
  Target& target = product.targets[cta];
  const warp::TensorInstruction& t = product.instruction;
  const bool in_shared = product.op.has_descriptor_a;
  SharedMatrix matrix;
  if (in_shared && !find_matrix(product.descriptor_a, t.transposes_a, t.a, matrix))
    return false;
  for (std::uint32_t i = 0; i < partition.rows; ++i) {
    Row& row = rows.emplace_back();
    const bool loaded = in_shared
                            ? load_shared_row(product, target, matrix, partition.first_row + i, row.values)
                            : load_packed(product, target, partition.first_lane + i, row.values);
    if (!loaded || (product.op.is_sparse && !place_sparse(product, target, partition, i, row)))
      return false;
    if (!product.op.is_sparse) {
      row.k.resize(row.values.size());
      std::iota(row.k.begin(), row.k.end(), 0U);
    }
  }
  return true;
}

} // namespace kerncast::functional
