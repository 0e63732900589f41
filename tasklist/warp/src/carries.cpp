#include "carries.h"

#include "lane_loops.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

// GCC's 128-bit integers, for products and carries of 64-bit words.
__extension__ using Unsigned128 = unsigned __int128;
__extension__ using Signed128 = __int128;

template <class T> using Word = std::make_unsigned_t<T>;

template <class T> struct Result {
  Word<T> value = 0;
  bool carry = false;
};

template <class T> Result<T> with_carry(Unsigned128 sum) {
  return {static_cast<Word<T>>(sum), (sum >> (8 * sizeof(T))) != 0};
}

struct CarriedSum {
  template <class T> static Result<T> of(Word<T> a, Word<T> b, Word<T>, bool carry) {
    return with_carry<T>(Unsigned128{a} + b + (carry ? 1 : 0));
  }
};
struct CarriedDifference {
  template <class T> static Result<T> of(Word<T> a, Word<T> b, Word<T>, bool borrow) {
    const Unsigned128 taken = Unsigned128{b} + (borrow ? 1 : 0);
    return {static_cast<Word<T>>(a - taken), a < taken};
  }
};
template <bool upper_half> struct ProductSum {
  template <class T> static Result<T> of(Word<T> a, Word<T> b, Word<T> c, bool carry) {
    const Signed128 product = std::is_signed_v<T> ? Signed128{static_cast<T>(a)} * static_cast<T>(b)
                                                  : static_cast<Signed128>(Unsigned128{a} * b);
    const auto part = static_cast<Word<T>>(product >> (upper_half ? 8 * sizeof(T) : 0));
    return with_carry<T>(Unsigned128{part} + c + (carry ? 1 : 0));
  }
};

// Calls `take` with each lane's result; the lanes whose sources are known.
template <class T, class Operation, class Take>
LaneMask for_each_carry(LaneFile& file, const MicroOp& op, Take&& take) {
  const std::uint32_t carry_at = op.source_count - 1U;
  const LaneMask carries = file.predicate(op.sources[carry_at].index);
  LaneMask known = file.predicate_known(op.sources[carry_at].index);
  for (std::uint32_t s = 0; s < carry_at; ++s)
    known &= file.lanes_known<BitsOf<T>>(op.sources[s].index);
  const auto& a = file.lanes<BitsOf<T>>(op.sources[0].index);
  const auto& b = file.lanes<BitsOf<T>>(op.sources[1].index);
  const auto& c = file.lanes<BitsOf<T>>(op.sources[carry_at == 3 ? 2 : 1].index);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    take(i, Operation::template of<T>(a[i], b[i], c[i], (carries >> i & 1) != 0));
  return known;
}

template <class T, class Operation> void value(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  auto& d = file.lanes<BitsOf<T>>(destination);
  file.lanes_known<BitsOf<T>>(destination) = for_each_carry<T, Operation>(
      file, op, [&](std::uint32_t lane, Result<T> result) { d[lane] = result.value; });
}

template <class T, class Operation> void carry(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  LaneMask carries = 0;
  const LaneMask known = for_each_carry<T, Operation>(file, op, [&](std::uint32_t lane, Result<T> result) {
    carries |= result.carry ? LaneMask{1} << lane : LaneMask{0};
  });
  file.predicate(destination) = carries;
  file.predicate_known(destination) = known;
}

struct CarryRow {
  Opcode opcode{};
  std::uint8_t operands = 2;
  bool carries_in = false;
};
constexpr CarryRow carry_rows[] = {{Opcode::add, 2, false}, {Opcode::addc, 2, true}, {Opcode::sub, 2, false},
                                   {Opcode::subc, 2, true}, {Opcode::mad, 3, false}, {Opcode::madc, 3, true}};

template <class T, class Operation> void set_functions(Carry& c) {
  c.value = value<T, Operation>;
  c.carry = carry<T, Operation>;
}

template <class T> void set_functions(Carry& c, const InstructionForm& form) {
  if (form.opcode == Opcode::add || form.opcode == Opcode::addc)
    set_functions<T, CarriedSum>(c);
  else if (form.opcode == Opcode::sub || form.opcode == Opcode::subc)
    set_functions<T, CarriedDifference>(c);
  else if (form.has(Modifier::hi))
    set_functions<T, ProductSum<true>>(c);
  else
    set_functions<T, ProductSum<false>>(c);
}

} // namespace

std::optional<Carry> select_carry(const InstructionForm& form) {
  for (const CarryRow& row : carry_rows) {
    if (row.opcode != form.opcode || (!row.carries_in && !form.has(Modifier::cc)))
      continue;
    Carry c;
    c.operands = row.operands;
    c.carries_in = row.carries_in;
    c.carries_out = form.has(Modifier::cc);
    if (form.type_count == 1)
      with_integer_type(form.type(), [&](auto zero) {
        if constexpr (sizeof(zero) >= 4)
          set_functions<decltype(zero)>(c, form);
      });
    return c.value == nullptr ? std::nullopt : std::optional(c);
  }
  return std::nullopt;
}

} // namespace kerncast::warp
