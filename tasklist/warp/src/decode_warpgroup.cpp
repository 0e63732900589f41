// wgmma.mma_async{.sp}.sync.aligned.SHAPE.dtype.atype.btype d, a, b-desc, {metadata, selector,} scale-d{,
// imm-scale-a, imm-scale-b{, imm-trans-a}{, imm-trans-b}}: the transposition of a is there only if a has a
// descriptor.
#include "decode_warpgroup.h"

#include <charconv>

#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Operand;
using ptx::OperandKind;

struct WarpgroupElementRow {
  Modifier modifier{};
  Element element{};
};
constexpr WarpgroupElementRow warpgroup_element_rows[] = {
    {Modifier::f16, Element::f16},   {Modifier::bf16, Element::bf16}, {Modifier::tf32, Element::tf32},
    {Modifier::e4m3, Element::e4m3}, {Modifier::e5m2, Element::e5m2}, {Modifier::f32, Element::f32},
    {Modifier::s8, Element::s8},     {Modifier::u8, Element::u8},     {Modifier::b1, Element::b1},
    {Modifier::s32, Element::s32}};
constexpr Modifier other_warpgroup_modifiers[] = {Modifier::mma_async, Modifier::sync, Modifier::aligned,
                                                  Modifier::satfinite, Modifier::and_, Modifier::popc,
                                                  Modifier::sp};

// "m64n128k16"
bool read_shape(std::string_view name, WarpgroupOp& op) {
  constexpr std::string_view begin = "m64n";
  const std::size_t k = name.find('k');
  if (!name.starts_with(begin) || k == std::string_view::npos)
    return false;
  const char* end = name.data() + name.size();
  std::from_chars(name.data() + begin.size(), end, op.n);
  std::from_chars(name.data() + k + 1, end, op.k);
  return op.n > 0 && op.k > 0;
}

bool read_modifiers(const InstructionForm& form, WarpgroupOp& op) {
  std::vector<Element> types;
  for (const Modifier m : form.modifiers) {
    const auto* row = std::find_if(std::begin(warpgroup_element_rows), std::end(warpgroup_element_rows),
                                   [&](const WarpgroupElementRow& r) { return r.modifier == m; });
    if (row != std::end(warpgroup_element_rows))
      types.push_back(row->element);
    else if (std::find(std::begin(other_warpgroup_modifiers), std::end(other_warpgroup_modifiers), m) ==
                 std::end(other_warpgroup_modifiers) &&
             !read_shape(ptx::name(m), op))
      return false;
  }
  if (types.size() != 3 || op.n == 0)
    return false;
  op.element_d = types[0];
  op.element_a = types[1];
  op.element_b = types[2];
  op.saturates = form.has(Modifier::satfinite);
  // A step over k takes 32 bytes of a row, of a sparse one twice as many.
  return op.k * element_bits(op.element_a) == (form.has(Modifier::sp) ? 512U : 256U);
}

bool bind_list(std::span<const Operand> list, SlotTable& slots, std::vector<SlotId>& into) {
  for (const Operand& operand : list) {
    const auto slot = slots.source(operand, ptx::Type::b32);
    if (!slot || operand.kind != OperandKind::reg)
      return false;
    into.push_back(*slot);
  }
  return true;
}

bool bind_a(const ptx::Function& kernel, const Operand& operand, SlotTable& slots, WarpgroupOp& op) {
  if (operand.kind != OperandKind::vector) {
    const auto slot = slots.source(operand, ptx::Type::b64);
    op.descriptor_a = slot.value_or(SlotId{});
    return slot.has_value();
  }
  std::vector<SlotId> list;
  if (!bind_list(kernel.elements(operand), slots, list) || list.size() != 4)
    return false;
  op.a.element = op.element_a;
  op.a.layout.kind = FragmentLayout::Kind::mma_a;
  op.a.layout.rows = WarpgroupOp::rows_per_warp;
  op.a.layout.columns = static_cast<std::uint8_t>(op.stored_k());
  op.a.layout.per_register = static_cast<std::uint8_t>(elements_per_register(op.element_a));
  op.a.count = 4;
  std::copy(list.begin(), list.end(), op.a.registers.begin());
  return true;
}

// Behind scale-d: the signs, then what is transposed.
bool read_constants(std::span<const Operand> constants, WarpgroupOp& op) {
  if (std::any_of(constants.begin(), constants.end(),
                  [](const Operand& o) { return o.kind != OperandKind::integer; }))
    return false;
  const auto is = [&](std::size_t i, std::int64_t value) {
    return i < constants.size() && constants[i].value == value;
  };
  op.negates_a = is(0, -1);
  op.negates_b = is(1, -1);
  const bool has_registers = op.a.count > 0;
  op.transposes_a = !has_registers && is(2, 1);
  op.transposes_b = is(has_registers ? 2 : 3, 1);
  return constants.size() == 0 || constants.size() == 2 || constants.size() == (has_registers ? 3 : 4);
}

// Metadata and selector: they lie in the lanes as those of mma.sp with the same k do, of whose four each pair
// may give them; of 8-bit elements all four do.
bool bind_sparsity(const Operand& metadata, const Operand& selector, SlotTable& slots, WarpgroupOp& op) {
  const auto slot = slots.source(metadata, ptx::Type::b32);
  op.sparsity.has_whole_rows = element_bits(op.element_a) == 8;
  const std::int64_t most = op.sparsity.has_whole_rows ? 0 : 1;
  if (!slot || selector.kind != OperandKind::integer || selector.value < 0 || selector.value > most)
    return false;
  op.sparsity.metadata = *slot;
  op.sparsity.selector = static_cast<std::uint8_t>(2 * selector.value);
  return true;
}

} // namespace

bool only_orders_warpgroups(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel, instruction);
  return instruction.opcode == ptx::Opcode::wgmma && !form.has(Modifier::mma_async);
}

std::optional<WarpgroupOp> decode_warpgroup(const ptx::Function& kernel, const ptx::Instruction& instruction,
                                            SlotTable& slots) {
  WarpgroupOp op;
  const InstructionForm form = form_of(kernel, instruction);
  const auto operands = kernel.operands(instruction);
  const std::size_t scale = form.has(Modifier::sp) ? 5 : 3;
  if (!read_modifiers(form, op) || operands.size() <= scale ||
      (scale == 5 && !bind_sparsity(operands[3], operands[4], slots, op)))
    return std::nullopt;
  const auto b = slots.source(operands[2], ptx::Type::b64);
  const auto adds_d = slots.source(operands[scale], ptx::Type::pred);
  if (!b || !adds_d || operands[scale].negated || !bind_list(kernel.elements(operands[0]), slots, op.d) ||
      op.d.size() * elements_per_register(op.element_d) != op.n / 2 ||
      !bind_a(kernel, operands[1], slots, op) || !read_constants(operands.subspan(scale + 1), op))
    return std::nullopt;
  op.descriptor_b = *b;
  op.adds_d = *adds_d;
  return op;
}

} // namespace kerncast::warp
