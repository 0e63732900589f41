#include "decode_bulk.h"

#include <algorithm>
#include <iterator>

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;
using Field = TensorMapChange::Field;

bool has_any(const InstructionForm& form, std::initializer_list<Modifier> wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](Modifier m) { return form.has(m); });
}

// Of the spaces named, the first is where to. shared::cluster is generic: its addresses name the CTA.
void set_spaces(const InstructionForm& form, BulkCopy& copy) {
  const auto is_space = [](Modifier m) {
    return m == Modifier::global || m == Modifier::shared_cta || m == Modifier::shared_cluster;
  };
  const auto to = std::find_if(form.modifiers.begin(), form.modifiers.end(), is_space);
  if (to == form.modifiers.end())
    return;
  copy.from_space =
      *to != Modifier::global && form.has(Modifier::global) ? ptx::Space::global : ptx::Space::shared;
  if (*to != Modifier::shared_cta)
    copy.to_space = *to == Modifier::global ? ptx::Space::global : ptx::Space::generic;
}

constexpr Modifier dimension_names[] = {Modifier::_1d, Modifier::_2d, Modifier::_3d, Modifier::_4d,
                                        Modifier::_5d};

std::optional<std::uint8_t> dimensions_of(const InstructionForm& form) {
  for (std::uint8_t d = 0; d < std::size(dimension_names); ++d)
    if (form.has(dimension_names[d]))
      return static_cast<std::uint8_t>(d + 1);
  return std::nullopt;
}

TensorCopy::Kind kind_of(const InstructionForm& form, bool loads) {
  if (loads)
    return TensorCopy::Kind::load;
  return form.has(Modifier::reduce) ? TensorCopy::Kind::reduce : TensorCopy::Kind::store;
}

struct FieldRow {
  Modifier name{};
  Field field{};
  bool has_ordinal = false;
  Type value = Type::b32;
};
constexpr FieldRow map_fields[] = {{Modifier::global_address, Field::global_address, false, Type::b64},
                                   {Modifier::rank, Field::rank},
                                   {Modifier::box_dim, Field::box_dim, true},
                                   {Modifier::global_dim, Field::global_dim, true},
                                   {Modifier::global_stride, Field::global_stride, true, Type::b64},
                                   {Modifier::element_stride, Field::element_stride, true},
                                   {Modifier::elemtype, Field::elemtype},
                                   {Modifier::interleave_layout, Field::interleave_layout},
                                   {Modifier::swizzle_mode, Field::swizzle_mode},
                                   {Modifier::swizzle_atomicity, Field::swizzle_atomicity},
                                   {Modifier::fill_mode, Field::fill_mode}};

} // namespace

bool BulkDecoder::is_bulk(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  return instruction.opcode == Opcode::tensormap || is_bulk_copy(kernel, instruction);
}

// clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128 [to],
// [barrier]
std::optional<BulkCopy> BulkDecoder::decode_request(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  const auto to = operands.size() == 2 ? memory_.address_of(operands[0]) : std::nullopt;
  const auto barrier = operands.size() == 2 ? memory_.address_of(operands[1]) : std::nullopt;
  if (!to || !barrier)
    return std::nullopt;
  BulkCopy answer;
  answer.is_answer = true;
  answer.from_space = ptx::Space::shared;
  answer.to = *to;
  answer.bytes = slots_.immediate(Pool::word, 16);
  answer.signal.signals = true;
  answer.signal.barrier = *barrier;
  answer.signal.to_all = form_of(kernel_, instruction).has(Modifier::multicast_cluster_all);
  if (!answer.signal.to_all)
    return answer;
  answer.to_space = ptx::Space::generic; // whose addresses name the CTA
  answer.signal.ctas = slots_.special(Special::cluster_nctarank, Pool::word);
  return answer;
}

// {, [barrier]}{, CTAs}
bool BulkDecoder::bind_signal(const InstructionForm& form, std::span<const Operand> behind,
                              BulkSignal& signal) {
  signal.signals = form.has(Modifier::mbarrier_complete_tx_bytes);
  if (!signal.signals)
    return true;
  const auto barrier = behind.empty() ? std::nullopt : memory_.address_of(behind[0]);
  const bool has_ctas = form.has(Modifier::multicast_cluster);
  const auto ctas = has_ctas && behind.size() > 1 ? slots_.source(behind[1], Type::u16) : std::nullopt;
  signal.barrier = barrier.value_or(AddressOf{});
  signal.ctas = ctas.value_or(SlotId{});
  return barrier && has_ctas == ctas.has_value();
}

// cp.async.bulk.prefetch.L2.global [from], bytes
std::optional<BulkCopy> BulkDecoder::decode_prefetch(std::span<const Operand> operands) {
  const auto from = operands.size() < 2 ? std::nullopt : memory_.address_of(operands[0]);
  const auto bytes = operands.size() < 2 ? std::nullopt : slots_.source(operands[1], Type::u32);
  if (!from || !bytes)
    return std::nullopt;
  BulkCopy copy;
  copy.from = *from;
  copy.bytes = *bytes;
  return copy;
}

// .ignore_oob: `, bytes at the beginning, bytes at the end`
bool BulkDecoder::bind_ignored(std::span<const Operand> operands, BulkCopy& copy) {
  const auto before = slots_.source(operands[0], Type::u32), behind = slots_.source(operands[1], Type::u32);
  copy.ignored_before = before.value_or(SlotId{});
  copy.ignored_behind = behind.value_or(SlotId{});
  return before && behind;
}

// {multimem.}cp{.reduce}.async.bulk.TO.FROM{.mbarrier::complete_tx::bytes}{.ignore_oob} [to], [from], bytes
// {, ignored}{, [barrier]}. A multimem address leads to the memory of the one device.
std::optional<BulkCopy> BulkDecoder::decode_copy(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const auto operands = kernel_.operands(instruction);
  if (form.has(Modifier::prefetch))
    return decode_prefetch(operands);
  if (operands.size() < 3)
    return std::nullopt;
  BulkCopy copy;
  set_spaces(form, copy);
  const auto to = memory_.address_of(operands[0]), from = memory_.address_of(operands[1]);
  const auto bytes = slots_.source(operands[2], Type::u32);
  const bool ignores = form.has(Modifier::ignore_oob) && operands.size() > 4;
  if (!to || !from || !bytes || (ignores && !bind_ignored(operands.subspan(3), copy)) ||
      !bind_signal(form, operands.subspan(ignores ? 5 : 3), copy.signal))
    return std::nullopt;
  copy.to = *to;
  copy.from = *from;
  copy.bytes = *bytes;
  if (form.has(Modifier::cp_mask)) {
    const auto mask = slots_.source(operands.back(), Type::u16);
    copy.mask = mask.value_or(SlotId{});
    return mask ? std::optional(copy) : std::nullopt;
  }
  if (!form.has(Modifier::reduce))
    return copy;
  copy.reduces = atomic_function_of(form);
  copy.type = form.type();
  return copy.reduces && ptx::size_bytes(copy.type) > 0 ? std::optional(copy) : std::nullopt;
}

// tensormap.cp_fenceproxy [to], [from], 128
std::optional<BulkCopy> BulkDecoder::decode_map_copy(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  const auto to = operands.size() > 1 ? memory_.address_of(operands[0]) : std::nullopt;
  const auto from = operands.size() > 1 ? memory_.address_of(operands[1]) : std::nullopt;
  if (!to || !from)
    return std::nullopt;
  BulkCopy copy;
  copy.to_space = ptx::Space::global;
  copy.from_space = ptx::Space::shared;
  copy.to = *to;
  copy.from = *from;
  copy.bytes = slots_.immediate(Pool::word, tasklist::TensorMap::bytes);
  return copy;
}

// [map, {coordinates}]
bool BulkDecoder::bind_tile(const Operand& tile, const InstructionForm& form, TensorCopy& copy) {
  const auto dimensions = dimensions_of(form);
  const auto map = tile.has_elements ? memory_.address_of(tile) : std::nullopt;
  if (!dimensions || !map)
    return false;
  copy.map = *map;
  copy.dimensions = *dimensions;
  copy.has_four_rows = has_any(form, {Modifier::tile_gather4, Modifier::tile_scatter4});
  const auto coordinates = kernel_.parts(kernel_.elements(tile).back());
  const std::size_t count = copy.has_four_rows ? TensorCopy::most_coordinates : *dimensions;
  return coordinates.size() == count && slots_.sources(coordinates, Type::s32, copy.coordinates);
}

// im2col: {, {offsets}}, one for each dimension of pixels
bool BulkDecoder::bind_offsets(std::span<const Operand> operands, const InstructionForm& form,
                               TensorCopy& copy) {
  if (!form.has(Modifier::im2col))
    return true;
  const auto offsets = std::ranges::find(operands, OperandKind::vector, &Operand::kind);
  if (offsets == operands.end() || copy.dimensions < 3)
    return false;
  const auto parts = kernel_.parts(*offsets);
  return parts.size() == copy.dimensions - 2U && slots_.sources(parts, Type::u16, copy.offsets);
}

// {, [barrier]}{, {offsets}}{, CTAs}
bool BulkDecoder::bind_behind(std::span<const Operand> operands, const InstructionForm& form,
                              TensorCopy& copy) {
  std::vector<Operand> others;
  std::ranges::copy_if(operands, std::back_inserter(others),
                       [](const Operand& o) { return o.kind != OperandKind::vector; });
  return bind_offsets(operands, form, copy) && bind_signal(form, others, copy.signal);
}

// cp.async.bulk.tensor.DIM.shared::*.global [to], [map, {...}], [barrier]{, CTAs}
// cp{.reduce}.async.bulk.tensor.DIM.global.shared::cta [map, {...}], [from]
// cp.async.bulk.prefetch.tensor.DIM.L2.global [map, {...}]
std::optional<TensorCopy> BulkDecoder::decode_tensor_copy(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const auto operands = kernel_.operands(instruction);
  TensorCopy copy;
  if (has_any(form, {Modifier::im2col_w, Modifier::im2col_w_128}))
    return std::nullopt;
  if (has_any(form, {Modifier::im2col, Modifier::im2col_no_offs}))
    copy.mode = tasklist::TensorMode::im2col;
  if (form.has(Modifier::prefetch))
    return !operands.empty() && bind_tile(operands[0], form, copy) &&
                   bind_offsets(operands.subspan(1), form, copy)
               ? std::optional(copy)
               : std::nullopt;
  if (operands.size() < 2)
    return std::nullopt;
  const bool loads = !operands[0].has_elements;
  copy.kind = kind_of(form, loads);
  const auto shared = memory_.address_of(operands[loads ? 0 : 1]);
  if (!shared || !bind_tile(operands[loads ? 1 : 0], form, copy) ||
      !bind_behind(operands.subspan(2), form, copy))
    return std::nullopt;
  copy.shared = *shared;
  if (copy.kind != TensorCopy::Kind::reduce)
    return copy;
  const auto function = atomic_function_of(form);
  copy.function = function.value_or(Atomic::add);
  return function ? std::optional(copy) : std::nullopt;
}

// tensormap.replace.tile.FIELD.SPACE.b1024.TYPE [map]{, ordinal}, value
std::optional<TensorMapChange> BulkDecoder::decode_change(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const auto operands = kernel_.operands(instruction);
  const FieldRow* row = row_of(map_fields, form);
  if (row == nullptr || operands.size() != (row->has_ordinal ? 3U : 2U))
    return std::nullopt;
  const auto map = memory_.address_of(operands[0]);
  const auto value = slots_.source(operands.back(), row->value);
  if (!map || !value || (row->has_ordinal && operands[1].kind != OperandKind::integer))
    return std::nullopt;
  return TensorMapChange{*map, row->field,
                         static_cast<std::uint8_t>(row->has_ordinal ? operands[1].value : 0), *value};
}

std::optional<Step> BulkDecoder::decode_tensor_map(const ptx::Instruction& instruction) {
  if (form_of(kernel_, instruction).has(Modifier::cp_fenceproxy))
    return step_of(instruction, slots_, Step::Kind::bulk_copy, decode_map_copy(instruction),
                   program_.bulk_copies);
  return step_of(instruction, slots_, Step::Kind::tensor_map, decode_change(instruction),
                 program_.tensor_map_changes);
}

std::optional<Step> BulkDecoder::decode(const ptx::Instruction& instruction) {
  if (instruction.opcode == Opcode::tensormap)
    return decode_tensor_map(instruction);
  if (instruction.opcode == Opcode::clusterlaunchcontrol)
    return step_of(instruction, slots_, Step::Kind::bulk_copy, decode_request(instruction),
                   program_.bulk_copies);
  if (form_of(kernel_, instruction).has(Modifier::tensor))
    return step_of(instruction, slots_, Step::Kind::tensor_copy, decode_tensor_copy(instruction),
                   program_.tensor_copies);
  return step_of(instruction, slots_, Step::Kind::bulk_copy, decode_copy(instruction), program_.bulk_copies);
}

} // namespace kerncast::warp
