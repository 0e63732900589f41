// Assigns slots of the lane file to registers and constants while a kernel is decoded.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "register_flow.h"
#include "warp/program.h"

namespace kerncast::warp {

class SlotTable {
public:
  SlotTable(const ptx::Function& kernel, const MemoryMap& memory, Program& program);

  // Slot of a register; Pool::none for registers too wide to be followed.
  SlotId of_register(ptx::RegisterId id) const { return registers_[id]; }
  // The lower and the upper 64 bits of a register of 128; null for others.
  const std::array<SlotId, 2>* halves(ptx::RegisterId id) const;
  const std::array<SlotId, 2>* halves(const ptx::Operand& operand) const;
  // From now on `id` is another name of a constant slot.
  void alias(ptx::RegisterId id, SlotId constant) { registers_[id] = constant; }
  bool is_constant(SlotId slot) const;

  // Slot that holds an operand read as `type`; empty if it cannot be followed.
  std::optional<SlotId> source(const ptx::Operand& operand, ptx::Type type);
  // Those of all operands, which there are as many of as places in `out`; false if one cannot be followed.
  bool sources(std::span<const ptx::Operand> operands, ptx::Type type, std::span<SlotId> out);
  // Where a load puts an element: a register of up to 64 bits, Pool::none for `_`; empty for anything else.
  std::optional<SlotId> loaded(const ptx::Operand& operand) const;
  // What a store takes an element from: up to 64 bits; a register may be wider than what is stored of it.
  std::optional<SlotId> stored(const ptx::Operand& operand, ptx::Type type);
  SlotId immediate(Pool pool, std::uint64_t bits);
  SlotId parameter(Pool pool, std::uint32_t offset, ptx::Type type);
  SlotId special(Special special, Pool pool);

private:
  std::optional<SlotId> named(const ptx::Operand& operand, ptx::Type type);
  SlotId add_constant(Pool pool, ConstantSlot constant);
  std::uint32_t& count(Pool pool);

  const MemoryMap& memory_;
  Program& program_;
  std::vector<SlotId> registers_;
  std::map<ptx::RegisterId, std::array<SlotId, 2>> halves_; // of registers of 128 bits
  std::map<std::pair<Pool, std::uint64_t>, SlotId> immediates_;
  std::map<std::pair<Pool, Special>, SlotId> specials_;
  std::map<std::tuple<Pool, std::uint32_t, ptx::Type>, SlotId> parameters_;
};

// A step under the instruction's guard.
Step guarded_step(const ptx::Instruction& instruction, const SlotTable& slots,
                  Step::Kind kind = Step::Kind::compute);

// The step of an operation, which goes behind the others of its kind; empty without an operation.
template <class Op>
std::optional<Step> step_of(const ptx::Instruction& instruction, const SlotTable& slots, Step::Kind kind,
                            std::optional<Op> op, std::vector<Op>& into) {
  if (!op)
    return std::nullopt;
  Step step = guarded_step(instruction, slots, kind);
  step.index = static_cast<std::uint32_t>(into.size());
  into.push_back(std::move(*op));
  return step;
}

} // namespace kerncast::warp
