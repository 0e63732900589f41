// The `.reg` directive.
#include "declarations.h"

#include <fmt/format.h>

#include "constants.h"
#include "declaration_check.h"
#include "specifiers.h"

namespace kerncast::ptx {

bool declare_register(State& s, const Token& name, Type type, std::uint8_t vector_length) {
  Symbol symbol;
  symbol.kind = SymbolKind::reg;
  symbol.index = static_cast<std::uint32_t>(s.function->registers.size());
  symbol.type = type;
  symbol.place = name.place;
  if (!declare(s, s.local_symbols, name.text, name.place, symbol))
    return false;
  s.function->registers.push_back({name.text, type, vector_length, name.place});
  return true;
}

namespace {

void note_registers(State& s, const RegisterDeclaration& declaration) {
  s.note(ItemKind::registers, s.function->register_declarations.size());
  s.function->register_declarations.push_back(declaration);
}

// `%r<9>`, from behind the name.
bool parse_register_range(State& s, const Token& name, Type type) {
  const Token at = s.now;
  Constant count; // a literal: the '>' behind it is no operator
  if (!parse_literal(s, count))
    return false;
  constexpr std::uint32_t most = NumberedRegisters::most;
  if (!count.is_integer() || static_cast<std::uint64_t>(count.value) > most)
    return s.error(at.place, length_of(at),
                   fmt::format("a number of registers must be a whole number from 0 to {}", most),
                   {"write for example .reg .b32 %r<9>;"});
  if (!s.expect('>', "a number of registers"))
    return false;
  Symbol symbol;
  symbol.kind = SymbolKind::register_range;
  symbol.count = static_cast<std::uint32_t>(count.value);
  symbol.index = s.numbered_registers.declare(symbol.count);
  if (symbol.index == no_id)
    return s.error(at.place, length_of(at), fmt::format("a function declares more than {} registers", most),
                   {"split the function"});
  symbol.type = type;
  symbol.place = name.place;
  note_registers(s, {name.text, type, 1, symbol.count});
  return declare(s, s.local_ranges, name.text, name.place, symbol) &&
         check_overlap(s, name.text, symbol.count, name.place);
}

// One name of a `.reg` directive, with its `<9>`.
bool parse_register_name(State& s, Type type, std::uint8_t vector_length) {
  Token name;
  if (!s.expect_name("a register's name", name))
    return false;
  if (s.accept('<'))
    return parse_register_range(s, name, type);
  note_registers(s, {name.text, type, vector_length, no_id});
  return declare_register(s, name, type, vector_length);
}

} // namespace

bool parse_registers(State& s) {
  s.advance();
  std::uint8_t vector_length = 1;
  if (const std::uint32_t length = vector_length_named(s.now); length != 0) {
    vector_length = static_cast<std::uint8_t>(length);
    s.advance();
  }
  const Place type_at = s.now.place;
  const auto type = type_named(s.now);
  if (!type)
    return s.error_here(fmt::format("expected a type after .reg, but found {}", describe(s.now)),
                        {"write for example .reg .b32 %r<9>;"});
  if (vector_length > 1 && *type == Type::pred)
    return s.error_here("a vector cannot have elements of type .pred",
                        {"declare the predicates one by one: .reg .pred %p<4>;"});
  s.advance();
  if (!check_register_type(s, type_at, *type, vector_length))
    return false;
  do {
    if (!parse_register_name(s, *type, vector_length))
      return false;
  } while (s.accept(','));
  return s.expect(';', "a register declaration");
}

} // namespace kerncast::ptx
