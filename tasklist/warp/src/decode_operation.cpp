// Instruction by instruction, by the decoder of its kind. What cannot be followed forgets its results.
#include "decode_operation.h"

#include <algorithm>

#include <fmt/format.h>

#include "decode_stack.h"
#include "decode_system_call.h"
#include "decode_warpgroup.h"
#include "lane_moves.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

// Elements of a vector destination, or the one destination.
std::span<const Operand> destinations_of(const ptx::Function& kernel, std::span<const Operand> operands) {
  const bool many =
      operands[0].kind == OperandKind::vector || operands[0].kind == OperandKind::destination_pair;
  return many ? kernel.elements(operands[0]) : operands.first(1);
}

// What neither computes nor moves data: hints, and waits for what execution does at once.
bool does_nothing(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
  case Opcode::membar:
  case Opcode::fence:
  case Opcode::prefetch:
  case Opcode::prefetchu:
  case Opcode::nanosleep:
  case Opcode::pmevent:
  case Opcode::setmaxnreg:
  case Opcode::applypriority:
  case Opcode::griddepcontrol:
  case Opcode::brkpt:
  case Opcode::createpolicy:
  case Opcode::discard:
    return true;
  case Opcode::wgmma:
    return only_orders_warpgroups(kernel, instruction);
  case Opcode::tcgen05:
    return only_orders_tensor_memory(kernel, instruction);
  case Opcode::cp: {
    const InstructionForm form = form_of(kernel, instruction);
    return form.has(ptx::Modifier::commit_group) || form.has(ptx::Modifier::wait_group) ||
           form.has(ptx::Modifier::wait_all) || form.has(ptx::Modifier::prefetch);
  }
  default:
    return false;
  }
}

// Shared and local memory, which the kernel fills, and what other threads are expected to change.
bool loads_changing_memory(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  constexpr ptx::Modifier changing[] = {ptx::Modifier::volatile_, ptx::Modifier::relaxed,
                                        ptx::Modifier::acquire, ptx::Modifier::mmio};
  const InstructionForm form = form_of(kernel, instruction);
  return names_own_memory(kernel, instruction) ||
         std::any_of(std::begin(changing), std::end(changing), [&](ptx::Modifier m) { return form.has(m); });
}

// As what a load's value is extended to its slot by its sign or zeros; none: otherwise.
Type loaded_type(Type type, std::uint32_t register_bytes) {
  constexpr std::uint32_t word_bytes = 4;
  const std::uint32_t bytes = ptx::size_bytes(type);
  if (bytes > sizeof(std::uint64_t) || bytes > register_bytes)
    return Type::none;
  if (!ptx::is_signed(type) || register_bytes >= word_bytes)
    return type;
  return bytes != register_bytes ? Type::none
         : bytes == 1            ? Type::u8
                                 : Type::u16; // slots hold zeros behind it
}

bool transfers_control(Opcode opcode) {
  return opcode == Opcode::bra || opcode == Opcode::brx || opcode == Opcode::ret || opcode == Opcode::exit;
}

} // namespace

// Of no pool if the operand is another, or a part of a register.
SlotId OperationDecoder::whole_register(const Operand& operand) const {
  const bool is_whole = operand.kind == OperandKind::reg && operand.name.empty();
  return is_whole ? slots_.of_register(operand.id) : SlotId{};
}

std::optional<SlotId> OperationDecoder::destination(const Operand& operand, Type type) const {
  const SlotId slot = whole_register(operand);
  if (slot.pool == Pool::none || slot.pool != pool_of(type))
    return std::nullopt;
  return slot;
}

void OperationDecoder::append(MicroOp op, const ptx::Instruction& instruction) {
  Step step = guarded_step(instruction, slots_);
  step.index = static_cast<std::uint32_t>(program_.ops.size());
  program_.steps.push_back(step);
  program_.ops.push_back(op);
}

// A signed result narrower than its register is extended by its sign.
void OperationDecoder::append_result(const MicroOp& op, Type type, const Operand& destination,
                                     const ptx::Instruction& instruction) {
  append(op, instruction);
  const std::uint32_t register_bytes = ptx::size_bytes(kernel_.registers[destination.id].type);
  if (!ptx::is_signed(type) || ptx::size_bytes(type) >= register_bytes || op.destination.pool != Pool::word)
    return;
  append_conversion(op.destination, register_bytes == 2 ? ptx::Modifier::s16 : ptx::Modifier::s32,
                    op.destination, type == Type::s8 ? ptx::Modifier::s8 : ptx::Modifier::s16, instruction);
}

void OperationDecoder::stop(const ptx::Instruction& instruction, std::string_view why) {
  Step step = guarded_step(instruction, slots_, Step::Kind::stop);
  step.index = static_cast<std::uint32_t>(program_.stops.size());
  std::string text(ptx::name(instruction.opcode));
  for (const ptx::Modifier m : kernel_.modifiers(instruction))
    text.append(".").append(ptx::name(m));
  program_.stops.push_back(std::move(text.append(why)));
  program_.steps.push_back(step);
}

// A load whose address can be followed: element k lies k sizes behind it.
bool OperationDecoder::decode_unknown_load(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  if (instruction.opcode != Opcode::ld || operands.size() != 2 || operands[1].kind != OperandKind::address)
    return false;
  const Operand& address = operands[1];
  MicroOp op;
  op.rule = loads_changing_memory(kernel_, instruction) ? AdvanceRule::loaded_own : AdvanceRule::loaded;
  std::uint64_t offset = static_cast<std::uint64_t>(address.value);
  if (address.id == ptx::no_id) {
    offset += program_.memory.address_of(address.name).value_or(0);
  } else {
    op.sources[0] = slots_.of_register(address.id);
    op.source_count = 1;
    if (op.sources[0].pool == Pool::none)
      return false;
  }
  const auto destinations = destinations_of(kernel_, operands);
  if (std::any_of(destinations.begin(), destinations.end(),
                  [this](const Operand& d) { return slots_.halves(d) != nullptr; }))
    return false;
  for (const Operand& d : destinations) {
    op.immediate = static_cast<std::uint32_t>(offset);
    offset += ptx::size_bytes(form_of(kernel_, instruction).type());
    if (d.kind != OperandKind::reg || !flow_.in_slice[d.id])
      continue;
    op.destination = slots_.of_register(d.id);
    if (op.destination.pool == Pool::none)
      continue;
    op.apply = forget_function(op.destination.pool);
    op.type =
        loaded_type(form_of(kernel_, instruction).type(), ptx::size_bytes(kernel_.registers[d.id].type));
    append(op, instruction);
  }
  return true;
}

void OperationDecoder::forget(const ptx::Instruction& instruction) {
  const auto append_unknown = [&](SlotId slot) {
    MicroOp op;
    op.apply = forget_function(slot.pool);
    op.destination = slot;
    op.rule = AdvanceRule::opaque;
    append(op, instruction);
  };
  for (const ptx::RegisterId r : registers_of(kernel_, instruction).writes) {
    if (!flow_.in_slice[r])
      continue;
    if (const auto* halves = slots_.halves(r))
      std::for_each(halves->begin(), halves->end(), append_unknown);
    else if (slots_.of_register(r).pool != Pool::none)
      append_unknown(slots_.of_register(r));
  }
}

std::int64_t OperationDecoder::parameter_offset(const ptx::Instruction& load) const {
  const Operand& address = kernel_.operands(load)[1];
  return program_.memory.parameters.at(address.name) + address.value;
}

// Why a load by a parameter's name, which ptxas takes, cannot be executed; empty if it can.
std::string OperationDecoder::parameter_fault(const ptx::Instruction& load) const {
  const std::int64_t offset = parameter_offset(load), all = program_.memory.parameter_bytes;
  const auto elements = static_cast<std::int64_t>(destinations_of(kernel_, kernel_.operands(load)).size());
  const std::int64_t bytes = elements * ptx::size_bytes(form_of(kernel_, load).type());
  if (offset < 0 || offset + bytes > all)
    return fmt::format(" at byte {} of the kernel's parameters, of which there are {}", offset, all);
  return bytes == 0 || offset % bytes == 0
             ? ""
             : fmt::format(" at byte {} of the kernel's parameters, which is no multiple of {}", offset,
                           bytes);
}

bool OperationDecoder::decode_outside_parameters(const ptx::Instruction& instruction) {
  if (!is_parameter_load(kernel_, instruction))
    return false;
  const std::string why = parameter_fault(instruction);
  if (!why.empty())
    stop(instruction, why);
  return !why.empty();
}

// ld.param.T, ld.param.vN.T: element k of the destination lies k sizes behind the address.
bool OperationDecoder::decode_parameter_load(const ptx::Instruction& instruction) {
  if (!is_parameter_load(kernel_, instruction))
    return false;
  const Type type = form_of(kernel_, instruction).type();
  const auto operands = kernel_.operands(instruction);
  std::int64_t offset = parameter_offset(instruction);
  for (const Operand& d : destinations_of(kernel_, operands)) {
    const auto at = static_cast<std::uint32_t>(offset);
    offset += ptx::size_bytes(type);
    if (d.kind != OperandKind::reg || !flow_.in_slice[d.id])
      continue;
    const SlotId slot = slots_.of_register(d.id);
    if (slot.pool != Pool::none && !slots_.is_constant(slot))
      append_copy(slot, slots_.parameter(slot.pool, at, type), instruction);
  }
  return true;
}

void OperationDecoder::append_copy(SlotId to, SlotId from, const ptx::Instruction& instruction) {
  MicroOp op;
  op.apply = copy_function(to.pool);
  op.destination = to;
  op.sources[0] = from;
  op.source_count = 1;
  op.rule = to.pool == Pool::predicate ? AdvanceRule::constant : AdvanceRule::linear;
  append(op, instruction);
}

// Sources behind the destination. What is not written of the member mask means all lanes.
std::optional<MicroOp> OperationDecoder::bind_exchange(const Exchange& exchange,
                                                       std::span<const Operand> sources) {
  MicroOp op;
  op.rule = AdvanceRule::exchange;
  op.source_count = exchange.source_count;
  for (std::uint32_t s = 0; s < exchange.source_count; ++s) {
    if (s == sources.size() && s + 1U == exchange.source_count) {
      op.sources[s] = slots_.immediate(Pool::word, all_lanes);
      continue;
    }
    const auto slot = s < sources.size() ? slots_.source(sources[s], exchange.sources[s]) : std::nullopt;
    if (!slot)
      return std::nullopt;
    op.sources[s] = *slot;
    op.immediate |= sources[s].negated ? 1 : 0;
  }
  return op;
}

// With Scope::everything; how many steps follow is told when they have been added.
void OperationDecoder::append_members(const MembersOp& op, const ptx::Instruction& instruction) {
  Step step = guarded_step(instruction, slots_, Step::Kind::members);
  step.index = static_cast<std::uint32_t>(program_.members.size());
  program_.members.push_back(op);
  program_.steps.push_back(step);
}

// bar.warp.sync
bool OperationDecoder::decode_warp_barrier(const ptx::Instruction& instruction) {
  if (instruction.opcode != Opcode::bar || !form_of(kernel_, instruction).has(ptx::Modifier::warp))
    return false;
  const auto mask = slots_.source(kernel_.operands(instruction)[0], Type::b32);
  if (mask)
    append_members({.kind = MembersOp::Kind::warp_barrier, .mask = *mask}, instruction);
  return mask.has_value();
}

// vote, match, shfl and the like, with one destination or the pair d|p.
bool OperationDecoder::decode_exchange(const ptx::Instruction& instruction) {
  const auto exchange = select_exchange(form_of(kernel_, instruction));
  const auto operands = kernel_.operands(instruction);
  if (!exchange || operands.empty())
    return false;
  auto op = bind_exchange(*exchange, operands.subspan(1));
  if (!op)
    return false;
  op->has_members = form_of(kernel_, instruction).has(ptx::Modifier::sync);
  const bool waits = scope_ == Scope::everything && op->has_members;
  if (waits)
    append_members({.mask = op->sources[op->source_count - 1U],
                    .value = exchange->value,
                    .immediate = op->immediate,
                    .source = op->sources[0]},
                   instruction);
  const std::size_t first = program_.steps.size();
  const auto results = destinations_of(kernel_, operands);
  const auto predicate = results.size() > 1 ? destination(results[1], Type::pred) : std::nullopt;
  if (predicate && exchange->predicate != nullptr) {
    MicroOp second = *op;
    second.apply = exchange->predicate;
    second.destination = *predicate;
    append(second, instruction);
  }
  const auto d = destination(results[0], exchange->result);
  op->apply = exchange->value;
  op->destination = d.value_or(SlotId{});
  if (d)
    append(*op, instruction);
  if (waits)
    program_.members.back().operations = static_cast<std::uint32_t>(program_.steps.size() - first);
  return d || predicate || results[0].kind == OperandKind::sink;
}

// What decodes an instruction that is no computation on registers; empty for those that are.
std::function<std::optional<Step>(const ptx::Instruction&)>
OperationDecoder::decoder_of(const ptx::Instruction& instruction) {
  if (BulkDecoder::is_bulk(kernel_, instruction))
    return [this](const ptx::Instruction& i) { return bulks_.decode(i); };
  if (MbarrierDecoder::is_mbarrier(kernel_, instruction))
    return [this](const ptx::Instruction& i) { return mbarriers_.decode(i); };
  if (MemoryDecoder::is_memory(instruction.opcode))
    return [this](const ptx::Instruction& i) { return memory_.decode(i); };
  if (ImageDecoder::is_image(instruction.opcode))
    return [this](const ptx::Instruction& i) { return images_.decode(i); };
  if (MatrixDecoder::is_matrix(instruction.opcode))
    return [this](const ptx::Instruction& i) { return matrices_.decode(i); };
  if (instruction.opcode == Opcode::wgmma)
    return [this](const ptx::Instruction& i) {
      return step_of(i, slots_, Step::Kind::warpgroup, decode_warpgroup(kernel_, i, slots_),
                     program_.warpgroup_ops);
    };
  if (instruction.opcode == Opcode::tcgen05)
    return [this](const ptx::Instruction& i) { return tensors_.decode(i); };
  if (is_stack_operation(instruction.opcode))
    return [this](const ptx::Instruction& i) {
      return step_of(i, slots_, Step::Kind::stack, decode_stack_operation(kernel_, i, slots_),
                     program_.stack_ops);
    };
  if (instruction.opcode == Opcode::call)
    return [this](const ptx::Instruction& i) { return decode_call(i); };
  return {};
}

std::optional<Step> OperationDecoder::decode_call(const ptx::Instruction& instruction) {
  return step_of(instruction, slots_, Step::Kind::system_call,
                 decode_system_call(kernel_, instruction, slots_), program_.system_calls);
}

// With Scope::slice: the slice does not go where an assertion fails, unless it is known to.
void OperationDecoder::decode_assertion(const ptx::Instruction& instruction) {
  const auto step = decode_call(instruction);
  if (step && program_.system_calls.back().kind == SystemCall::Kind::assertion)
    program_.steps.push_back(*step);
}

// Barriers of the CTA that threads wait at, and matrix operations, which are aligned.
bool OperationDecoder::meets_whole_warp(const Step& step) const {
  if (step.kind == Step::Kind::matrix || step.kind == Step::Kind::matrix_access)
    return true;
  if (step.kind != Step::Kind::barrier)
    return false;
  const BarrierOp::Kind kind = program_.barriers[step.index].kind;
  return kind != BarrierOp::Kind::arrive && kind != BarrierOp::Kind::cluster_arrive &&
         kind != BarrierOp::Kind::cluster_wait;
}

// What is no computation on registers.
bool OperationDecoder::decode_by_kind(const ptx::Instruction& instruction) {
  const auto of = decoder_of(instruction);
  const auto step = of ? of(instruction) : std::nullopt;
  if (!step)
    return false;
  if (meets_whole_warp(*step))
    append_members(
        {.kind = step->kind == Step::Kind::barrier ? MembersOp::Kind::barrier : MembersOp::Kind::matrix},
        instruction);
  program_.steps.push_back(*step);
  return true;
}

void OperationDecoder::decode_whole(std::uint32_t index) {
  const ptx::Instruction& instruction = kernel_.instructions[index];
  if (does_nothing(kernel_, instruction) || transfers_control(instruction.opcode) ||
      decode_warp_barrier(instruction))
    return;
  if (instruction.opcode == Opcode::trap)
    return stop(instruction, " ends the kernel");
  const auto writes = registers_of(kernel_, instruction).writes;
  const bool only_names_constants =
      !writes.empty() && std::all_of(writes.begin(), writes.end(), [&](ptx::RegisterId r) {
        return slots_.is_constant(slots_.of_register(r));
      });
  if (decode_outside_parameters(instruction) || only_names_constants || decode_parameter_load(instruction))
    return;
  if (decode_by_kind(instruction) || decode_exchange(instruction) || decode_parts(instruction) ||
      decode_selected(instruction) || decode_wide_conversion(instruction) || decode_carry(instruction) ||
      decode_video(instruction) || decode_clock(instruction) || decode_rank(instruction) ||
      decode_space_test(instruction) || decode_query_of_cancel(instruction))
    return;
  stop(instruction, " is not supported by functional execution");
}

void OperationDecoder::decode(std::uint32_t index) {
  if (scope_ == Scope::everything)
    return decode_whole(index);
  const ptx::Instruction& instruction = kernel_.instructions[index];
  if (instruction.opcode == Opcode::call)
    decode_assertion(instruction);
  if (decode_outside_parameters(instruction))
    return forget(instruction);
  const auto writes = registers_of(kernel_, instruction).writes;
  const bool wanted = std::any_of(writes.begin(), writes.end(), [&](ptx::RegisterId r) {
    return flow_.in_slice[r] && !slots_.is_constant(slots_.of_register(r));
  });
  if (!wanted || decode_parameter_load(instruction) || decode_exchange(instruction) ||
      decode_parts(instruction) || decode_selected(instruction) || decode_wide_conversion(instruction) ||
      decode_carry(instruction) || decode_video(instruction) || decode_space_test(instruction) ||
      decode_query_of_cancel(instruction) || decode_phase_test(instruction) ||
      decode_unknown_load(instruction))
    return;
  forget(instruction);
}

// A constant slot that holds what the instruction writes: a parameter, or a moved constant.
std::optional<SlotId> OperationDecoder::constant_of(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  if (instruction.guard != ptx::no_id || operands.size() != 2 || operands[0].kind != OperandKind::reg)
    return std::nullopt;
  const SlotId d = slots_.of_register(operands[0].id);
  const InstructionForm form = form_of(kernel_, instruction);
  if (is_parameter_load(kernel_, instruction) && d.pool != Pool::none) {
    if (!parameter_fault(instruction).empty())
      return std::nullopt;
    return slots_.parameter(d.pool, static_cast<std::uint32_t>(parameter_offset(instruction)), form.type());
  }
  const bool moves = instruction.opcode == Opcode::mov || instruction.opcode == Opcode::cvta;
  if (!moves || operands[1].negated || pool_of(form.type()) != d.pool)
    return std::nullopt;
  const auto source = slots_.source(operands[1], form.type());
  return source && slots_.is_constant(*source) ? source : std::nullopt;
}

void OperationDecoder::alias_constants() {
  for (const ptx::Instruction& instruction : kernel_.instructions) {
    const auto writes = registers_of(kernel_, instruction).writes;
    if (writes.size() != 1 || !flow_.in_slice[writes[0]] || flow_.definition_count[writes[0]] != 1)
      continue;
    if (const auto constant = constant_of(instruction))
      slots_.alias(writes[0], *constant);
  }
}

} // namespace kerncast::warp
