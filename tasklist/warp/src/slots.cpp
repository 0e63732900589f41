// Slot 0 of each pool is scratch; registers follow, constants come last.
#include "slots.h"

#include <bit>

#include "select_operation.h"
#include "special_registers.h"

namespace kerncast::warp {
namespace {

std::uint64_t literal_bits(const ptx::Operand& operand, ptx::Type type) {
  const bool is_real = operand.kind == ptx::OperandKind::real;
  const std::uint32_t bytes = ptx::size_bytes(type);
  if (is_real || type == ptx::Type::f32 || type == ptx::Type::f64) {
    // `mov.b32 %r1, 0f3F800000` moves the bits of the f32.
    const double value = is_real ? operand.real() : static_cast<double>(operand.value);
    return bytes == 8 ? std::bit_cast<std::uint64_t>(value)
                      : std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  const auto bits = static_cast<std::uint64_t>(operand.value);
  return bytes == 0 ? bits & 1 : bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::optional<SlotId> up_to_64_bits(SlotId slot) {
  return slot.pool == Pool::word || slot.pool == Pool::longword ? std::optional(slot) : std::nullopt;
}

} // namespace

SlotTable::SlotTable(const ptx::Function& kernel, const MemoryMap& memory, Program& program)
    : memory_(memory), program_(program) {
  program_.slots = {1, 1, 1};
  registers_.reserve(kernel.registers.size());
  for (const ptx::Register& r : kernel.registers) {
    const Pool pool = pool_of(r.type);
    if (ptx::size_bytes(r.type) == 16) {
      std::uint32_t& longs = count(Pool::longword);
      const SlotId low{Pool::longword, longs++}, high{Pool::longword, longs++};
      halves_[static_cast<ptx::RegisterId>(registers_.size())] = {low, high};
    }
    registers_.push_back({pool, pool == Pool::none ? 0 : count(pool)++});
  }
  for (std::uint32_t hidden = 0; hidden < hidden_registers; ++hidden)
    registers_.push_back({Pool::predicate, count(Pool::predicate)++});
  program_.registers = {program_.slots.predicates - 1, program_.slots.words - 1, program_.slots.longs - 1};
}

Step guarded_step(const ptx::Instruction& instruction, const SlotTable& slots, Step::Kind kind) {
  Step step;
  step.kind = kind;
  step.line = instruction.place.line;
  if (instruction.guard != ptx::no_id) {
    step.guard = slots.of_register(instruction.guard);
    step.guard_negated = instruction.guard_negated;
  }
  return step;
}

const std::array<SlotId, 2>* SlotTable::halves(ptx::RegisterId id) const {
  const auto found = halves_.find(id);
  return found == halves_.end() ? nullptr : &found->second;
}

const std::array<SlotId, 2>* SlotTable::halves(const ptx::Operand& operand) const {
  const bool is_whole = operand.kind == ptx::OperandKind::reg && operand.name.empty() && !operand.negated;
  return is_whole ? halves(operand.id) : nullptr;
}

std::uint32_t& SlotTable::count(Pool pool) {
  if (pool == Pool::predicate)
    return program_.slots.predicates;
  return pool == Pool::word ? program_.slots.words : program_.slots.longs;
}

bool SlotTable::is_constant(SlotId slot) const {
  switch (slot.pool) {
  case Pool::none:
    return false;
  case Pool::predicate:
    return slot.index > program_.registers.predicates;
  case Pool::word:
    return slot.index > program_.registers.words;
  case Pool::longword:
    return slot.index > program_.registers.longs;
  }
  return false;
}

SlotId SlotTable::add_constant(Pool pool, ConstantSlot constant) {
  constant.slot = {pool, count(pool)++};
  program_.constants.push_back(constant);
  return constant.slot;
}

SlotId SlotTable::immediate(Pool pool, std::uint64_t bits) {
  const auto [entry, added] = immediates_.try_emplace({pool, bits});
  if (added)
    entry->second = add_constant(pool, {ConstantSlot::Kind::immediate, {}, bits, 0, ptx::Type::none, {}});
  return entry->second;
}

SlotId SlotTable::parameter(Pool pool, std::uint32_t offset, ptx::Type type) {
  const auto [entry, added] = parameters_.try_emplace({pool, offset, type});
  if (added)
    entry->second = add_constant(pool, {ConstantSlot::Kind::parameter, {}, 0, offset, type, {}});
  return entry->second;
}

SlotId SlotTable::special(Special special, Pool pool) {
  const auto [entry, added] = specials_.try_emplace({pool, special});
  if (added)
    entry->second = add_constant(pool, {ConstantSlot::Kind::special, {}, 0, 0, ptx::Type::none, special});
  return entry->second;
}

std::optional<SlotId> SlotTable::named(const ptx::Operand& operand, ptx::Type type) {
  const Pool pool = pool_of(type);
  if (operand.name == "WARP_SZ" && pool != Pool::none)
    return immediate(pool, lanes_per_warp);
  if (operand.kind == ptx::OperandKind::special) {
    const auto found = find_special(operand.name);
    const Pool own = found == Special::is_explicit_cluster ? Pool::predicate : Pool::word;
    return found && pool == own ? std::optional(special(*found, pool)) : std::nullopt;
  }
  std::optional<std::uint64_t> address = memory_.address_of(operand.name);
  if (const auto parameter = memory_.parameters.find(operand.name); parameter != memory_.parameters.end())
    address = memory_.parameter.base + parameter->second;
  if (address && operand.kind == ptx::OperandKind::symbol)
    *address += static_cast<std::uint64_t>(operand.value);
  if (address && pool != Pool::none)
    return immediate(pool, pool == Pool::word ? *address & 0xffffffffU : *address);
  return std::nullopt;
}

std::optional<SlotId> SlotTable::source(const ptx::Operand& operand, ptx::Type type) {
  switch (operand.kind) {
  case ptx::OperandKind::reg: {
    const SlotId slot = of_register(operand.id);
    // A selector (.x, .b0) reads a part of the register; a register of another width is another value.
    const bool whole = operand.name.empty() && slot.pool == pool_of(type) && slot.pool != Pool::none;
    return whole ? std::optional(slot) : std::nullopt;
  }
  case ptx::OperandKind::integer:
  case ptx::OperandKind::real:
    return pool_of(type) == Pool::none ? std::nullopt
                                       : std::optional(immediate(pool_of(type), literal_bits(operand, type)));
  case ptx::OperandKind::symbol:
  case ptx::OperandKind::special:
    return named(operand, type);
  default:
    return std::nullopt;
  }
}

bool SlotTable::sources(std::span<const ptx::Operand> operands, ptx::Type type, std::span<SlotId> out) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto slot = source(operands[i], type);
    if (!slot)
      return false;
    out[i] = *slot;
  }
  return true;
}

std::optional<SlotId> SlotTable::loaded(const ptx::Operand& operand) const {
  if (operand.kind == ptx::OperandKind::sink)
    return SlotId{};
  if (operand.kind != ptx::OperandKind::reg || !operand.name.empty())
    return std::nullopt;
  return up_to_64_bits(of_register(operand.id));
}

std::optional<SlotId> SlotTable::stored(const ptx::Operand& operand, ptx::Type type) {
  const bool is_register = operand.kind == ptx::OperandKind::reg && operand.name.empty();
  const auto slot = is_register ? std::optional(of_register(operand.id)) : source(operand, type);
  return slot ? up_to_64_bits(*slot) : std::nullopt;
}

} // namespace kerncast::warp
