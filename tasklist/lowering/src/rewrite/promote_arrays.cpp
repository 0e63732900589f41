// Accesses through one register in one block share their comparisons. Addresses of local memory have 32 bits.
#include "rewrite/promote_arrays.h"

#include <array>
#include <map>

#include "rewrite/function_rewrite.h"

namespace kerncast::lowering {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::RegisterId;
using ptx::Type;

// P0 to P6 (CUDA binary utilities). ptxas 13.0 compares 6 and 7 places once for a read and a write; for 8, 9,
// 10, 12 and 16 places it saves predicates or compares again in 3, 6, 9, 11 and 15 operations more.
constexpr std::size_t predicate_registers = 7;
constexpr std::size_t kept_predicates = 5;

Operand register_operand(RegisterId id) {
  Operand operand;
  operand.kind = OperandKind::reg;
  operand.id = id;
  return operand;
}

class Promoter {
public:
  Promoter(const InlinedKernel* inlined, const Program& program, std::span<const LocalArray> arrays)
      : rewrite_(*program.function, inlined), program_(program) {
    for (const LocalArray& array : arrays) {
      reserve(array);
      for (const ArrayAccess& access : array.accesses) {
        accesses_[access.op] = {&array, &access};
      }
      rewrite_.forget_variable(array.name);
    }
  }

  InlinedKernel run() {
    const auto count = static_cast<std::uint32_t>(rewrite_.old().instructions.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i == 0 || program_.block_of[i] != program_.block_of[i - 1]) {
        comparisons_.clear();
      }
      const auto found = accesses_.find(i);
      if (found == accesses_.end()) {
        rewrite_.keep(i);
      } else {
        rewrite_.stand_for(i);
        replace(i, *found->second.array, *found->second.access);
      }
      for (const ValueId written : program_.definitions_of(program_.ops[i])) {
        comparisons_.erase(written);
      }
    }
    return std::move(rewrite_).finish();
  }

private:
  struct Found {
    const LocalArray* array = nullptr;
    const ArrayAccess* access = nullptr;
  };

  void reserve(const LocalArray& array) {
    const Type type = array.element_bytes == 8 ? Type::b64 : Type::b32;
    std::vector<RegisterId>& elements = elements_[array.name];
    for (std::uint32_t i = 0; i < array.bytes / array.element_bytes; ++i) {
      elements.push_back(rewrite_.new_register(type, {}));
    }
  }

  void replace(std::uint32_t index, const LocalArray& array, const ArrayAccess& access) {
    const ptx::Instruction& old = rewrite_.old().instructions[index];
    if (access.index == no_id) {
      move_all(index, array, access.offset, old.guard, old.guard_negated);
      return;
    }
    const std::vector<RegisterId>& is_here = comparisons(index, array, access);
    const std::int64_t offset = address_of(old).offset();
    bool is_first = old.opcode == Opcode::ld; // what is read first needs no comparison
    for (std::size_t i = 0; i < access.places.size(); ++i) {
      // ptxas moves for every place of the pointer, also where the access would lie outside the array: that
      // never happens, so any element may stand there.
      const std::int64_t bytes = array.bytes;
      const std::int64_t wanted = static_cast<std::int64_t>(access.places[i]) + offset;
      const std::int64_t place = (wanted % bytes + bytes) % bytes;
      if (place + program_.ops[index].access_bytes > array.bytes) {
        continue;
      }
      move_all(index, array, place, is_first ? ptx::no_id : is_here[i], false);
      is_first = false;
    }
  }

  const Operand& address_of(const ptx::Instruction& access) const {
    return rewrite_.old().operands(access)[access.opcode == Opcode::ld ? 1 : 0];
  }

  // Between the access's registers and the elements from `place` on.
  void move_all(std::uint32_t index, const LocalArray& array, std::int64_t place, RegisterId guard,
                bool guard_negated) {
    const ptx::Instruction& access = rewrite_.old().instructions[index];
    const bool loads = access.opcode == Opcode::ld;
    const Operand& data = rewrite_.old().operands(access)[loads ? 0 : 1];
    const auto parts = rewrite_.old().parts(data);
    const auto first = static_cast<std::size_t>(place) / array.element_bytes;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Operand element = register_operand(elements_.at(array.name)[first + i]);
      const std::array operands = loads ? std::array{parts[i], element} : std::array{element, parts[i]};
      ptx::Instruction move =
          made(Opcode::mov, operands, {array.element_bytes == 8 ? Modifier::b64 : Modifier::b32});
      move.guard = guard;
      move.guard_negated = guard_negated;
      rewrite_.add(move, index);
    }
  }

  // A predicate for each place the register may hold. Of more than fit the predicate registers most are
  // compared again for each access.
  const std::vector<RegisterId>& comparisons(std::uint32_t index, const LocalArray& array,
                                             const ArrayAccess& access) {
    const auto [known, is_new] = comparisons_.try_emplace(access.index);
    std::vector<RegisterId>& is_here = known->second;
    if (!is_new && access.places.size() > predicate_registers) {
      is_here.resize(kept_predicates);
    }
    if (is_here.size() == access.places.size()) {
      return is_here;
    }
    const RegisterId address = narrow(index, register_operand(access.index));
    for (std::size_t i = is_here.size(); i < access.places.size(); ++i) {
      Operand symbol;
      symbol.kind = OperandKind::symbol;
      symbol.name = array.name;
      symbol.value = static_cast<std::int64_t>(access.places[i]);
      const RegisterId there = add_new(index, Opcode::mov, Type::b64, {symbol}, {Modifier::u64});
      is_here.push_back(
          add_new(index, Opcode::setp, Type::pred,
                  {register_operand(address), register_operand(narrow(index, register_operand(there)))},
                  {Modifier::eq, Modifier::u32}));
    }
    return is_here;
  }

  RegisterId narrow(std::uint32_t index, const Operand& wide) {
    if (ptx::size_bytes(type_of(wide.id)) == 4) {
      return wide.id;
    }
    return add_new(index, Opcode::cvt, Type::b32, {wide}, {Modifier::u32, Modifier::u64});
  }

  Type type_of(RegisterId r) const {
    const auto& registers = rewrite_.old().registers;
    return r < registers.size() ? registers[r].type : Type::b64;
  }

  RegisterId add_new(std::uint32_t index, Opcode opcode, Type type, std::initializer_list<Operand> sources,
                     std::initializer_list<Modifier> modifiers) {
    const RegisterId result = rewrite_.new_register(type, rewrite_.old().instructions[index].place);
    std::vector<Operand> operands = {register_operand(result)};
    operands.insert(operands.end(), sources);
    rewrite_.add(made(opcode, operands, modifiers), index);
    return result;
  }

  ptx::Instruction made(Opcode opcode, std::span<const Operand> operands,
                        std::initializer_list<Modifier> modifiers) {
    ptx::Instruction instruction;
    instruction.opcode = opcode;
    instruction.operands = rewrite_.add_operands(operands);
    instruction.modifiers = rewrite_.add_modifiers(modifiers);
    return instruction;
  }

  FunctionRewrite rewrite_;
  const Program& program_;
  std::map<std::uint32_t, Found> accesses_; // by op
  std::map<std::string_view, std::vector<RegisterId>> elements_;
  std::map<RegisterId, std::vector<RegisterId>> comparisons_; // of this block
};

} // namespace

InlinedKernel promote_arrays(const InlinedKernel* inlined, const Program& program,
                             std::span<const LocalArray> arrays) {
  return Promoter(inlined, program, arrays).run();
}

} // namespace kerncast::lowering
