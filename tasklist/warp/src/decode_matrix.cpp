#include "decode_matrix.h"

#include <algorithm>

#include "decode_block_scale.h"
#include "decode_memory.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using FragmentKind = FragmentLayout::Kind;

struct MatrixShapeRow {
  Modifier modifier{};
  std::uint16_t m = 0, n = 0, k = 0;
};
constexpr MatrixShapeRow matrix_shapes[] = {
    {Modifier::m8n8k4, 8, 8, 4},       {Modifier::m8n8k16, 8, 8, 16},     {Modifier::m8n8k32, 8, 8, 32},
    {Modifier::m8n8k128, 8, 8, 128},   {Modifier::m16n8k4, 16, 8, 4},     {Modifier::m16n8k8, 16, 8, 8},
    {Modifier::m16n8k16, 16, 8, 16},   {Modifier::m16n8k32, 16, 8, 32},   {Modifier::m16n8k64, 16, 8, 64},
    {Modifier::m16n8k128, 16, 8, 128}, {Modifier::m16n8k256, 16, 8, 256}, {Modifier::m16n16k16, 16, 16, 16},
    {Modifier::m16n16k8, 16, 16, 8},   {Modifier::m32n8k16, 32, 8, 16},   {Modifier::m8n32k16, 8, 32, 16}};

struct MatrixElementRow {
  Modifier modifier{};
  Element element{};
};
constexpr MatrixElementRow matrix_element_rows[] = {
    {Modifier::f16, Element::f16},   {Modifier::bf16, Element::bf16}, {Modifier::tf32, Element::tf32},
    {Modifier::e4m3, Element::e4m3}, {Modifier::e5m2, Element::e5m2}, {Modifier::f32, Element::f32},
    {Modifier::f64, Element::f64},   {Modifier::s8, Element::s8},     {Modifier::u8, Element::u8},
    {Modifier::s4, Element::s4},     {Modifier::u4, Element::u4},     {Modifier::b1, Element::b1},
    {Modifier::s32, Element::s32},   {Modifier::e2m3, Element::e2m3}, {Modifier::e3m2, Element::e3m2},
    {Modifier::e2m1, Element::e2m1}};

// Modifiers that do not change what is computed here, or that are looked at by name.
constexpr Modifier other_matrix_modifiers[] = {Modifier::sync,
                                               Modifier::aligned,
                                               Modifier::row,
                                               Modifier::col,
                                               Modifier::satfinite,
                                               Modifier::xor_,
                                               Modifier::and_,
                                               Modifier::popc,
                                               Modifier::rn,
                                               Modifier::rz,
                                               Modifier::rm,
                                               Modifier::rp,
                                               Modifier::mma,
                                               Modifier::load,
                                               Modifier::store,
                                               Modifier::a,
                                               Modifier::b,
                                               Modifier::c,
                                               Modifier::d,
                                               Modifier::global,
                                               Modifier::shared,
                                               Modifier::shared_cta,
                                               Modifier::sp,
                                               Modifier::sp_ordered_metadata,
                                               Modifier::kind_f8f6f4,
                                               Modifier::kind_mxf8f6f4,
                                               Modifier::kind_mxf4,
                                               Modifier::kind_mxf4nvf4,
                                               Modifier::block_scale,
                                               Modifier::scale_vec_1X,
                                               Modifier::scale_vec_2X,
                                               Modifier::scale_vec_4X,
                                               Modifier::ue8m0,
                                               Modifier::ue4m3};

struct MatrixForm {
  const MatrixShapeRow* shape = nullptr;
  std::array<Element, 4> types{};
  std::uint32_t type_count = 0;
  std::array<bool, 2> by_columns{}; // .row.col: of a and of b
  bool is_known = true;
};

template <class Row, std::size_t n> const Row* find_row(const Row (&rows)[n], Modifier m) {
  for (const Row& row : rows)
    if (row.modifier == m)
      return &row;
  return nullptr;
}

MatrixForm matrix_form(std::span<const Modifier> modifiers) {
  MatrixForm form;
  std::uint32_t layouts = 0;
  for (const Modifier m : modifiers) {
    const auto* shape = find_row(matrix_shapes, m);
    const auto* element = find_row(matrix_element_rows, m);
    if (shape != nullptr)
      form.shape = shape;
    else if (element != nullptr && form.type_count < form.types.size())
      form.types[form.type_count++] = element->element;
    else if (std::find(std::begin(other_matrix_modifiers), std::end(other_matrix_modifiers), m) ==
             std::end(other_matrix_modifiers))
      form.is_known = false;
    if ((m == Modifier::row || m == Modifier::col) && layouts < 2)
      form.by_columns[layouts++] = m == Modifier::col;
  }
  return form;
}

Fragment fragment_of(Element element, FragmentKind kind, std::uint32_t rows, std::uint32_t columns) {
  Fragment f;
  f.element = element;
  f.layout.kind = kind;
  f.layout.rows = static_cast<std::uint8_t>(rows);
  f.layout.columns = static_cast<std::uint8_t>(columns);
  f.layout.per_register = static_cast<std::uint8_t>(elements_per_register(element));
  return f;
}

FragmentKind quad_c(Element element) {
  return element == Element::f16 ? FragmentKind::quad_c_f16 : FragmentKind::quad_c_f32;
}

// wmma.mma names the types of d and c only where those of a and b are f16.
std::array<Element, 4> types_of(const MatrixForm& form) {
  if (form.type_count == 2)
    return {form.types[0], Element::f16, Element::f16, form.types[1]};
  return form.types;
}

MatrixOp multiply_of(const MatrixForm& form, bool is_wmma) {
  const auto [m, n, k] = std::tuple(form.shape->m, form.shape->n, form.shape->k);
  const auto types = types_of(form);
  const bool of_quads = !is_wmma && form.shape->modifier == Modifier::m8n8k4 && types[1] == Element::f16;
  const auto kind = [&](FragmentKind mma, FragmentKind quad) {
    return is_wmma ? FragmentKind::linear : of_quads ? quad : mma;
  };
  MatrixOp op;
  op.d = fragment_of(types[0], kind(FragmentKind::mma_c, quad_c(types[0])), m, n);
  op.a = fragment_of(types[1], kind(FragmentKind::mma_a, FragmentKind::quad_a), m, k);
  op.b = fragment_of(types[2], kind(FragmentKind::mma_b, FragmentKind::quad_b), k, n);
  op.c = fragment_of(types[3], kind(FragmentKind::mma_c, quad_c(types[3])), m, n);
  op.a.layout.transposed = form.by_columns[0];
  op.b.layout.transposed = !form.by_columns[1];
  return op;
}

// Threads of each four that give metadata together, 32 bits each; 0: not known.
std::uint32_t metadata_lanes(const MatrixForm& form) {
  const std::uint32_t k = form.shape->k;
  switch (form.types[1]) {
  case Element::f16:
  case Element::bf16:
    return k / 16;
  case Element::tf32:
    return k / 8;
  case Element::s8:
  case Element::u8:
  case Element::e4m3:
  case Element::e5m2:
  case Element::e2m3:
  case Element::e3m2:
  case Element::e2m1_in_byte:
    return k / 32 * 2; // pairs
  case Element::s4:
  case Element::u4:
  case Element::e2m1:
    return k / 64 * 2;
  default:
    return 0;
  }
}

MatrixOp::Rounding rounding_of(const InstructionForm& form) {
  if (form.has(Modifier::rz))
    return MatrixOp::Rounding::zero;
  if (form.has(Modifier::rm))
    return MatrixOp::Rounding::down;
  return form.has(Modifier::rp) ? MatrixOp::Rounding::up : MatrixOp::Rounding::nearest;
}

// ldmatrix and stmatrix of elements of 8 bits, and of what becomes such elements.
std::optional<MatrixAccess::Bytes> bytes_of(const InstructionForm& form) {
  MatrixAccess::Bytes bytes;
  bytes.registers_per_matrix = form.has(Modifier::m16n16) ? 2 : 1;
  if (form.has(Modifier::b6x16_p32))
    bytes.bits = 6;
  else if (form.has(Modifier::b4x16_p64))
    bytes.bits = 4;
  else if (form.has(Modifier::b8))
    bytes.bits = 8;
  return bytes.bits == 0 ? std::nullopt : std::optional(bytes);
}

// With types of d, a, b and c, or wmma's two.
bool is_multiply(const MatrixForm& form, bool is_wmma) {
  return form.is_known && form.shape != nullptr &&
         (form.type_count == 4 || (is_wmma && form.type_count == 2));
}

// Whether the registers hold the matrix: each element once, or for wmma several times.
bool is_complete(const Fragment& f, std::uint32_t lanes) {
  const std::uint32_t held = f.elements() * lanes, all = f.layout.row_count() * f.layout.column_count();
  return held == all || (f.layout.kind == FragmentKind::linear && held % all == 0);
}

} // namespace

bool MatrixDecoder::is_matrix(Opcode opcode) {
  switch (opcode) {
  case Opcode::mma:
  case Opcode::wmma:
  case Opcode::movmatrix:
  case Opcode::ldmatrix:
  case Opcode::stmatrix:
    return true;
  default:
    return false;
  }
}

bool MatrixDecoder::bind_registers(const Operand& operand, Fragment& fragment) {
  const auto list = kernel_.parts(operand);
  if (list.size() > Fragment::most_registers)
    return false;
  const Pool pool = element_bits(fragment.element) == 64 ? Pool::longword : Pool::word;
  fragment.count = static_cast<std::uint8_t>(list.size());
  for (std::size_t r = 0; r < list.size(); ++r) {
    if (list[r].kind == OperandKind::sink)
      continue;
    const auto slot = slots_.source(list[r], pool == Pool::longword ? ptx::Type::b64 : ptx::Type::b32);
    if (!slot)
      return false;
    fragment.registers[r] = *slot;
  }
  return true;
}

// The register of metadata and the selector, a constant. `lanes` of each four give metadata.
bool MatrixDecoder::bind_sparsity(std::uint32_t lanes, const Operand& metadata, const Operand& selector,
                                  MatrixOp& op) {
  const auto slot = slots_.source(metadata, ptx::Type::b32);
  if (lanes == 0 || lanes > 4 || !slot || selector.kind != OperandKind::integer || selector.value < 0 ||
      static_cast<std::uint64_t>(selector.value) >= 4 / lanes)
    return false;
  op.sparsity.metadata = *slot;
  op.sparsity.has_whole_rows = element_bits(op.a.element) <= 8;
  // The first lane that gives metadata, of pairs for whole rows.
  op.sparsity.selector = static_cast<std::uint8_t>(selector.value * (op.sparsity.has_whole_rows ? 1 : lanes));
  op.a.layout.columns = static_cast<std::uint8_t>(op.a.layout.columns / 2);
  return true;
}

bool MatrixDecoder::bind_fragments(std::span<const Operand> operands, MatrixOp& op) {
  const std::uint32_t lanes = op.a.layout.kind == FragmentKind::quad_a ? 8 : lanes_per_warp;
  Fragment* fragments[] = {&op.d, &op.a, &op.b, &op.c};
  for (std::size_t f = 0; f < std::size(fragments); ++f)
    if (!bind_registers(operands[f], *fragments[f]) || !is_complete(*fragments[f], lanes))
      return false;
  return true;
}

std::optional<MatrixOp> MatrixDecoder::decode_multiply(const ptx::Instruction& instruction) {
  MatrixForm form = matrix_form(kernel_.modifiers(instruction));
  const auto operands = kernel_.operands(instruction);
  const bool is_wmma = instruction.opcode == Opcode::wmma;
  const InstructionForm words = form_of(kernel_, instruction);
  const NarrowKind kind = narrow_kind(words);
  const bool is_sparse = words.has(Modifier::sp) || words.has(Modifier::sp_ordered_metadata);
  const std::size_t unscaled = is_sparse ? 6 : 4;
  if (!is_multiply(form, is_wmma) || operands.size() != unscaled + (kind.parts > 0 ? 4 : 0))
    return std::nullopt;
  if (kind.has_bytes)
    std::replace(form.types.begin(), form.types.end(), Element::e2m1, Element::e2m1_in_byte);
  MatrixOp op = multiply_of(form, is_wmma);
  if (is_sparse && !bind_sparsity(metadata_lanes(form), operands[4], operands[5], op))
    return std::nullopt;
  if (kind.parts > 0 && !bind_block_scales(kernel_, operands.subspan(unscaled), kind, slots_, op))
    return std::nullopt;
  if (!bind_fragments(operands, op))
    return std::nullopt;
  op.saturates = words.has(Modifier::satfinite) && op.d.element == Element::s32;
  op.counts_differences = words.has(Modifier::xor_);
  op.rounding = rounding_of(words);
  return op;
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a
std::optional<MatrixOp> MatrixDecoder::decode_transpose(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  MatrixOp op;
  op.kind = MatrixOp::Kind::transpose;
  op.a = op.d = fragment_of(Element::f16, FragmentKind::mma_c, 8, 8);
  if (operands.size() != 2 || !bind_registers(operands[0], op.d) || !bind_registers(operands[1], op.a) ||
      op.d.registers[0].pool != Pool::word || op.a.registers[0].pool != Pool::word)
    return std::nullopt;
  return op;
}

// ldmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 {registers}, [row]; stmatrix the other way round.
std::optional<MatrixAccess> MatrixDecoder::decode_rows(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const auto operands = kernel_.operands(instruction);
  const bool loads = instruction.opcode == Opcode::ldmatrix;
  const auto bytes = bytes_of(form);
  const bool has_halves = form.has(Modifier::m8n8) && form.has(Modifier::b16);
  if ((!has_halves && !bytes) || operands.size() != 2)
    return std::nullopt;
  MatrixAccess op;
  op.bytes = bytes.value_or(MatrixAccess::Bytes{});
  op.has_row_addresses = true;
  op.transposed = form.has(Modifier::trans);
  op.fragment = fragment_of(Element::f16, FragmentKind::mma_c, 8, 8);
  op.access.kind = loads ? MemoryOp::Kind::load : MemoryOp::Kind::store;
  op.access.space = space_of(form);
  op.access.element_bytes = 16;
  const auto address = MemoryDecoder(kernel_, slots_, program_).address_of(operands[loads ? 1 : 0]);
  if (!address || !bind_registers(operands[loads ? 0 : 1], op.fragment) || op.fragment.count > 4)
    return std::nullopt;
  op.access.address = *address;
  return op;
}

// wmma.load.a.sync.aligned.row.m16n16k16{.space}.f16 {registers}, [address]{, stride}; wmma.store.d.
std::optional<MatrixAccess> MatrixDecoder::decode_fragment_access(const ptx::Instruction& instruction) {
  const InstructionForm words = form_of(kernel_, instruction);
  const MatrixForm form = matrix_form(words.modifiers);
  const auto operands = kernel_.operands(instruction);
  const bool loads = words.has(Modifier::load);
  if (!form.is_known || form.shape == nullptr || form.type_count != 1 || operands.size() < 2)
    return std::nullopt;
  MatrixAccess op;
  const bool is_a = words.has(Modifier::a), is_b = words.has(Modifier::b);
  op.fragment = fragment_of(form.types[0], FragmentKind::linear, is_b ? form.shape->k : form.shape->m,
                            is_a ? form.shape->k : form.shape->n);
  op.transposed = words.has(Modifier::col);
  op.access.kind = loads ? MemoryOp::Kind::load : MemoryOp::Kind::store;
  op.access.space = space_of(words);
  op.access.element_bytes = static_cast<std::uint8_t>((element_bits(form.types[0]) + 7) / 8);
  const auto address = MemoryDecoder(kernel_, slots_, program_).address_of(operands[loads ? 1 : 0]);
  if (!address || !bind_registers(operands[loads ? 0 : 1], op.fragment) ||
      !is_complete(op.fragment, lanes_per_warp))
    return std::nullopt;
  op.access.address = *address;
  if (operands.size() > 2) {
    const auto stride = slots_.source(operands[2], ptx::Type::u32);
    if (!stride)
      return std::nullopt;
    op.stride = *stride;
  }
  return op;
}

std::optional<Step> MatrixDecoder::decode(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const bool is_fragment_access =
      instruction.opcode == Opcode::wmma && (form.has(Modifier::load) || form.has(Modifier::store));
  if (is_fragment_access || instruction.opcode == Opcode::ldmatrix ||
      instruction.opcode == Opcode::stmatrix) {
    const auto access = is_fragment_access ? decode_fragment_access(instruction) : decode_rows(instruction);
    return step_of(instruction, slots_, Step::Kind::matrix_access, access, program_.matrix_accesses);
  }
  const auto op =
      instruction.opcode == Opcode::movmatrix ? decode_transpose(instruction) : decode_multiply(instruction);
  return step_of(instruction, slots_, Step::Kind::matrix, op, program_.matrix_ops);
}

} // namespace kerncast::warp
