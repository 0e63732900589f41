// `[base+4]`, `[texture, sampler, {x, y}]` and `[a].unified` as written (PTX ISA, sections 6.4.1
// and 9.7.9.8).
#include <array>

#include <fmt/format.h>

#include "constants.h"
#include "operands.h"

namespace kerncast::ptx {
namespace {

bool parse_address_base(State& s, Operand& o) {
  if (begins_constant(s.now)) {
    Constant c;
    if (!parse_constant(s, c))
      return false;
    o.value = c.value;
    return true;
  }
  if (!s.now.is(TokenKind::word))
    return s.error_here(
        fmt::format("expected a register or a variable in an address, but found {}", describe(s.now)),
        {"an address has the form [register+4] or [variable+4]"});
  Operand base;
  base.place = s.now.place;
  const Token name = s.now;
  if (!parse_register_or_symbol(s, base))
    return false;
  if (base.kind == OperandKind::special)
    return s.error(name.place, name.text.size(), "a special register cannot be an address",
                   {"copy it to a register with mov first"});
  if (base.kind == OperandKind::reg && !base.name.empty())
    return s.error(name.place, name.text.size() + base.name.size(),
                   fmt::format("an address cannot be a part of a register, '{}{}'", name.text, base.name),
                   {"copy the part to a register with mov first"});
  o.id = base.id;
  o.name = base.name;
  if (s.now.is('-'))
    return s.error_here("an address has no '-'", {"write a negative offset as [base+-4]"});
  if (s.now.is('['))
    return s.error_here("an index inside an address",
                        {"write an offset in bytes, [base+4], or the element without brackets, array[1]"});
  return parse_symbol_offset(s, o);
}

bool parse_brackets(State& s, Operand& o) {
  constexpr std::size_t most_parts = 3; // [texture, sampler, coordinates] is the longest form
  o.kind = OperandKind::address;
  s.advance();
  if (!parse_address_base(s, o))
    return false;
  std::array<Operand, most_parts> parts;
  std::size_t count = 0;
  while (s.accept(',')) {
    if (count == most_parts)
      return s.error_here("too many parts in this address",
                          {"the longest form is [texture, sampler, {x, y}]"});
    if (s.now.is('['))
      return s.error_here("an address inside an address", {"load the inner address into a register first"});
    if (!parse_operand(s, parts[count++]))
      return false;
  }
  if (count != 0) {
    TreeVector<Operand>& pool = s.function->operand_pool;
    if (o.value != 0)
      return s.error(o.place, 1, "an address with coordinates cannot have an offset",
                     {"add it to the register or to the coordinates"});
    o.set_elements({static_cast<std::uint32_t>(pool.size()), static_cast<std::uint32_t>(count)});
    pool.insert(pool.end(), parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return s.expect(']', "an address");
}

} // namespace

// `[a]`, or `[a].unified` of a variable with that attribute.
bool parse_address(State& s, Operand& o) {
  if (!parse_brackets(s, o))
    return false;
  o.negated = s.now.is_directive("unified");
  if (o.negated)
    s.advance();
  return true;
}

} // namespace kerncast::ptx
