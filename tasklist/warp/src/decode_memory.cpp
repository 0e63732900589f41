// By opcode: which operand is data, which is an address (PTX ISA, sections 9.7.9 and 9.7.13).
//
// shared::cluster is generic: its addresses name the CTA.
#include "decode_memory.h"

#include <algorithm>

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

// Accesses that may meet others on purpose (PTX ISA, section 8.7, strong operations).
bool is_strong(const InstructionForm& form) {
  constexpr Modifier strong[] = {Modifier::volatile_, Modifier::relaxed, Modifier::acquire, Modifier::release,
                                 Modifier::mmio};
  return std::any_of(std::begin(strong), std::end(strong), [&](Modifier m) { return form.has(m); });
}

// Of one element. Floats of 8 bits are moved as bits.
Type accessed_type(const InstructionForm& form) {
  for (const Modifier m : form.modifiers)
    switch (m) {
    case Modifier::e4m3:
    case Modifier::e5m2:
      return Type::b8;
    case Modifier::e4m3x2:
    case Modifier::e5m2x2:
      return Type::b16;
    case Modifier::e4m3x4:
    case Modifier::e5m2x4:
      return Type::b32;
    default:
      break;
    }
  return form.type();
}

struct FunctionRow {
  Modifier modifier;
  Atomic function;
};
constexpr FunctionRow functions[] = {{Modifier::add, Atomic::add},   {Modifier::min, Atomic::min},
                                     {Modifier::max, Atomic::max},   {Modifier::inc, Atomic::inc},
                                     {Modifier::dec, Atomic::dec},   {Modifier::and_, Atomic::and_},
                                     {Modifier::or_, Atomic::or_},   {Modifier::xor_, Atomic::xor_},
                                     {Modifier::exch, Atomic::exch}, {Modifier::cas, Atomic::cas}};

BarrierOp::Kind barrier_kind(const InstructionForm& form) {
  if (form.has(Modifier::arrive))
    return BarrierOp::Kind::arrive;
  if (!form.has(Modifier::red))
    return BarrierOp::Kind::sync;
  if (form.has(Modifier::popc))
    return BarrierOp::Kind::count_true;
  return form.has(Modifier::and_) ? BarrierOp::Kind::all_true : BarrierOp::Kind::any_true;
}

bool is_atomic_type(Type type) {
  switch (type) {
  case Type::b16:
  case Type::f16:
  case Type::f16x2:
  case Type::bf16:
  case Type::bf16x2:
  case Type::b32:
  case Type::b64:
  case Type::b128:
  case Type::u32:
  case Type::s32:
  case Type::u64:
  case Type::s64:
  case Type::f32:
  case Type::f64:
    return true;
  default:
    return false;
  }
}

} // namespace

std::optional<Atomic> atomic_function_of(const InstructionForm& form) {
  for (const FunctionRow& row : functions)
    if (form.has(row.modifier))
      return row.function;
  return std::nullopt;
}

ptx::Space space_of(const InstructionForm& form) {
  for (const Modifier m : form.modifiers)
    switch (m) {
    case Modifier::global:
      return ptx::Space::global;
    case Modifier::shared:
    case Modifier::shared_cta:
      return ptx::Space::shared;
    case Modifier::local:
      return ptx::Space::local;
    case Modifier::const_:
      return ptx::Space::constant;
    case Modifier::param:
    case Modifier::param_entry:
    case Modifier::param_func:
      return ptx::Space::param;
    default:
      break;
    }
  return ptx::Space::generic;
}

bool MemoryDecoder::is_memory(Opcode opcode) {
  switch (opcode) {
  case Opcode::ld:
  case Opcode::ldu:
  case Opcode::st:
  case Opcode::atom:
  case Opcode::red:
  case Opcode::multimem:
  case Opcode::cp:
  case Opcode::bar:
  case Opcode::barrier:
    return true;
  default:
    return false;
  }
}

std::optional<AddressOf> MemoryDecoder::address_of(const Operand& operand) {
  if (operand.kind != OperandKind::address)
    return std::nullopt;
  AddressOf address{{}, static_cast<std::uint64_t>(operand.offset())};
  if (operand.name.empty()) {
    if (operand.id == ptx::no_id)
      return address;
    address.base = slots_.of_register(operand.id);
    const bool has_lanes = address.base.pool == Pool::word || address.base.pool == Pool::longword;
    return has_lanes ? std::optional(address) : std::nullopt;
  }
  const auto parameter = program_.memory.parameters.find(operand.name);
  if (parameter != program_.memory.parameters.end()) {
    address.offset += program_.memory.parameter.base + parameter->second;
    return address;
  }
  const auto variable = program_.memory.address_of(operand.name);
  address.offset += variable.value_or(0);
  return variable ? std::optional(address) : std::nullopt;
}

MemoryOp MemoryDecoder::plain(const ptx::Instruction& instruction) const {
  const InstructionForm form = form_of(kernel_, instruction);
  MemoryOp op;
  op.space = space_of(form);
  op.type = accessed_type(form);
  op.element_bytes = static_cast<std::uint8_t>(ptx::size_bytes(op.type));
  op.is_weak = !is_strong(form);
  return op;
}

// Elements of 128 bits are two of 64.
bool MemoryDecoder::bind_wide(std::span<const Operand> elements, MemoryOp& op) {
  if (2 * elements.size() > MemoryOp::most_elements)
    return false;
  op.type = Type::b64;
  op.element_bytes = 8;
  op.elements = static_cast<std::uint8_t>(2 * elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto* halves = slots_.halves(elements[e]);
    if (halves == nullptr && elements[e].kind != OperandKind::sink)
      return false;
    if (halves != nullptr)
      std::copy(halves->begin(), halves->end(), op.data.begin() + static_cast<std::ptrdiff_t>(2 * e));
  }
  return true;
}

// atom.exch.b128, atom.cas.b128: the address, b, and c of cas. `result`: null for none.
bool MemoryDecoder::bind_wide_atomic(std::span<const Operand> operands, const Operand* result, MemoryOp& op) {
  const auto address = address_of(operands[0]);
  if (!address)
    return false;
  op.address = *address;
  const auto* d = result == nullptr ? nullptr : slots_.halves(*result);
  const auto* b = slots_.halves(operands[1]);
  const auto* c = operands.size() > 2 ? slots_.halves(operands[2]) : nullptr;
  const bool swaps = op.function == Atomic::cas;
  if (b == nullptr || swaps != (c != nullptr) || (!swaps && op.function != Atomic::exch))
    return false;
  if (d != nullptr)
    std::copy(d->begin(), d->end(), op.data.begin());
  std::copy(b->begin(), b->end(), op.operands.begin());
  if (swaps) {
    op.swap = (*c)[0];
    op.swap_high = (*c)[1];
  }
  return true;
}

std::optional<MemoryOp> MemoryDecoder::decode_load(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  MemoryOp op = plain(instruction);
  op.kind = MemoryOp::Kind::load;
  const auto address = operands.size() >= 2 ? address_of(operands[1]) : std::nullopt;
  const auto elements = kernel_.parts(operands[0]);
  if (address && op.type == Type::b128) {
    op.address = *address;
    return bind_wide(elements, op) ? std::optional(op) : std::nullopt;
  }
  if (!address || op.element_bytes == 0 || op.element_bytes > 8 || elements.size() > MemoryOp::most_elements)
    return std::nullopt;
  op.address = *address;
  op.elements = static_cast<std::uint8_t>(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto slot = slots_.loaded(elements[e]);
    if (!slot)
      return std::nullopt;
    op.data[e] = *slot;
    if (elements[e].kind == OperandKind::reg)
      op.register_bytes = static_cast<std::uint8_t>(ptx::size_bytes(kernel_.registers[elements[e].id].type));
  }
  return op;
}

std::optional<MemoryOp> MemoryDecoder::decode_store(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  MemoryOp op = plain(instruction);
  op.kind = MemoryOp::Kind::store;
  const auto address = operands.size() >= 2 ? address_of(operands[0]) : std::nullopt;
  if (!address || op.element_bytes == 0)
    return std::nullopt;
  const auto elements = kernel_.parts(operands[1]);
  if (op.type == Type::b128) {
    op.address = *address;
    return bind_wide(elements, op) ? std::optional(op) : std::nullopt;
  }
  if (op.element_bytes > 8 || elements.size() > MemoryOp::most_elements)
    return std::nullopt;
  op.address = *address;
  op.elements = static_cast<std::uint8_t>(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto slot = slots_.stored(elements[e], op.type);
    if (!slot || (slot->pool == Pool::word && op.element_bytes == 8))
      return std::nullopt;
    op.data[e] = *slot;
  }
  return op;
}

// st.bulk{.weak}{.shared::cta} [to], bytes, 0
std::optional<MemoryOp> MemoryDecoder::decode_clear(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  const auto address = operands.size() > 1 ? address_of(operands[0]) : std::nullopt;
  const auto bytes = address ? slots_.source(operands[1], Type::u64) : std::nullopt;
  if (!bytes)
    return std::nullopt;
  MemoryOp op = plain(instruction);
  op.kind = MemoryOp::Kind::clear;
  op.element_bytes = 8;
  op.address = *address;
  op.from_bytes = *bytes;
  return op;
}

// Of one device: what the address leads to is in memory once, so that nothing is reduced but by multimem.red.
std::optional<MemoryOp> MemoryDecoder::decode_multimem(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  if (form.has(Modifier::red))
    return decode_atomic(instruction);
  return form.has(Modifier::st) ? decode_store(instruction) : decode_load(instruction);
}

std::optional<MemoryOp> MemoryDecoder::decode_atomic(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const bool returns = instruction.opcode == Opcode::atom;
  auto operands = kernel_.operands(instruction);
  MemoryOp op = plain(instruction);
  op.kind = MemoryOp::Kind::atomic;
  op.is_weak = false;
  const auto function = atomic_function_of(form);
  if (!function || !is_atomic_type(op.type) || operands.size() < (returns ? 3U : 2U))
    return std::nullopt;
  op.function = *function;
  const Operand* result = returns ? &operands[0] : nullptr;
  operands = operands.subspan(returns ? 1 : 0);
  const bool is_bound =
      op.type == Type::b128 ? bind_wide_atomic(operands, result, op) : bind_atomic(operands, result, op);
  return is_bound ? std::optional(op) : std::nullopt;
}

// The same for other types.
bool MemoryDecoder::bind_atomic(std::span<const Operand> operands, const Operand* result, MemoryOp& op) {
  const auto results = result == nullptr ? std::span<const Operand>{} : kernel_.parts(*result);
  for (std::size_t e = 0; e < results.size() && e < op.data.size(); ++e)
    if (results[e].kind == OperandKind::reg)
      op.data[e] = slots_.of_register(results[e].id);
  const auto address = address_of(operands[0]);
  const bool swaps = op.function == Atomic::cas;
  const auto swap = swaps && operands.size() > 2 ? slots_.source(operands[2], op.type) : std::nullopt;
  if (!address || !bind_operands(operands[1], op) || (swaps && !swap))
    return false;
  op.address = *address;
  op.swap = swap.value_or(SlotId{});
  return true;
}

// One value, or those of a vector, whose elements are changed one by one.
bool MemoryDecoder::bind_operands(const Operand& operand, MemoryOp& op) {
  const auto elements = kernel_.parts(operand);
  if (elements.size() > MemoryOp::most_elements)
    return false;
  op.elements = static_cast<std::uint8_t>(elements.size());
  return slots_.sources(elements, op.type, op.operands);
}

// cp.async.ca|cg.shared.global [to], [from], bytes{, bytes read or whether none}; what it promises to do
// later is done at once, so its groups and waits do nothing.
std::optional<MemoryOp> MemoryDecoder::decode_copy(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const auto operands = kernel_.operands(instruction);
  if (!form.has(Modifier::async) || form.has(Modifier::bulk) || operands.size() < 3 ||
      operands[2].kind != OperandKind::integer)
    return std::nullopt;
  MemoryOp op;
  op.kind = MemoryOp::Kind::copy;
  op.space = ptx::Space::shared;
  op.element_bytes = static_cast<std::uint8_t>(operands[2].value);
  const auto to = address_of(operands[0]), from = address_of(operands[1]);
  if (!to || !from)
    return std::nullopt;
  op.address = *to;
  op.from = *from;
  const std::size_t without_policy = operands.size() - (form.has(Modifier::L2_cache_hint) ? 1 : 0);
  if (without_policy > 3) {
    const SlotId ignores =
        operands[3].kind == OperandKind::reg ? slots_.of_register(operands[3].id) : SlotId{};
    if (ignores.pool == Pool::predicate) {
      op.ignores_source = ignores;
      op.ignores_negated = operands[3].negated;
      return op;
    }
    const auto bytes = slots_.source(operands[3], Type::u32);
    if (!bytes)
      return std::nullopt;
    op.from_bytes = *bytes;
  }
  return op;
}

std::optional<BarrierOp> MemoryDecoder::decode_barrier(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  auto operands = kernel_.operands(instruction);
  BarrierOp op;
  if (form.has(Modifier::cluster)) {
    op.kind = form.has(Modifier::arrive) ? BarrierOp::Kind::cluster_arrive : BarrierOp::Kind::cluster_wait;
    return op;
  }
  op.kind = barrier_kind(form);
  if (form.has(Modifier::red)) {
    if (operands.size() < 3 || operands[0].kind != OperandKind::reg)
      return std::nullopt;
    op.destination = slots_.of_register(operands[0].id);
    const Operand& condition = operands.back();
    const auto slot = slots_.source(condition, Type::pred);
    if (!slot)
      return std::nullopt;
    op.condition = *slot;
    op.condition_negated = condition.negated;
    operands = operands.subspan(1, operands.size() - 2);
  }
  const auto number = operands.empty() ? std::nullopt : slots_.source(operands[0], Type::u32);
  const auto threads = operands.size() > 1 ? slots_.source(operands[1], Type::u32) : std::optional(SlotId{});
  if (!number || !threads)
    return std::nullopt;
  op.number = *number;
  op.threads = *threads;
  return op;
}

// st.async and red.async [to], value, [barrier]: after the store the barrier, which lies in the same CTA, has
// received the bytes.
std::optional<Step> MemoryDecoder::decode_signal(const ptx::Instruction& instruction,
                                                 const MemoryOp& access) {
  const auto operands = kernel_.operands(instruction);
  const auto barrier = operands.size() > 2 ? address_of(operands[2]) : std::nullopt;
  if (!barrier)
    return std::nullopt;
  const MbarrierOp op{MbarrierOp::Kind::complete_tx, *barrier, slots_.immediate(Pool::word, access.bytes()),
                      SlotId{}};
  return step_of(instruction, slots_, Step::Kind::mbarrier, std::optional(op), program_.mbarriers);
}

std::optional<MemoryOp> MemoryDecoder::decode_access(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
  case Opcode::st:
    return form_of(kernel_, instruction).has(Modifier::bulk) ? decode_clear(instruction)
                                                             : decode_store(instruction);
  case Opcode::multimem:
    return decode_multimem(instruction);
  case Opcode::cp:
    return decode_copy(instruction);
  case Opcode::atom:
  case Opcode::red:
    return decode_atomic(instruction);
  default:
    return decode_load(instruction);
  }
}

std::optional<Step> MemoryDecoder::decode(const ptx::Instruction& instruction) {
  if (instruction.opcode == Opcode::bar || instruction.opcode == Opcode::barrier)
    return step_of(instruction, slots_, Step::Kind::barrier, decode_barrier(instruction), program_.barriers);
  const auto op = decode_access(instruction);
  const bool signals = form_of(kernel_, instruction).has(Modifier::mbarrier_complete_tx_bytes);
  const auto signal = op && signals ? decode_signal(instruction, *op) : std::nullopt;
  if (!op || (signals && !signal))
    return std::nullopt;
  const auto step = step_of(instruction, slots_, Step::Kind::memory, op, program_.memory_ops);
  if (!signals)
    return step;
  program_.steps.push_back(*step);
  return signal;
}

} // namespace kerncast::warp
