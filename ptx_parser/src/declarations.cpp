#include "declarations.h"

#include <fmt/format.h>

#include "constants.h"
#include "declaration_check.h"
#include "initialiser.h"

namespace kerncast::ptx {
namespace {

constexpr std::uint64_t largest_variable_bytes = std::uint64_t{1} << 40;
constexpr std::uint64_t largest_alignment = 1U << 16;

struct SpaceName {
  std::string_view text;
  Space space;
};
constexpr SpaceName spaces[] = {
    {"global", Space::global}, {"shared", Space::shared},      {"local", Space::local},
    {"param", Space::param},   {"const", Space::constant},     {"reg", Space::reg},
    {"tex", Space::texture},   {"shared::cta", Space::shared}, {"shared::cluster", Space::shared}};

std::uint32_t vector_length_named(const Token& t) {
  if (!t.is(TokenKind::dot_word))
    return 0;
  return t.text == "v2" ? 2 : t.text == "v4" ? 4 : t.text == "v8" ? 8 : 0;
}

bool parse_alignment(State& s, std::uint32_t& out) {
  const Token at = s.now;
  std::uint64_t value = 0;
  if (!parse_unsigned(s, ".align", largest_alignment, value))
    return false;
  if (value == 0 || (value & (value - 1)) != 0)
    return s.error(at.place, length_of(at), ".align must be a power of two");
  out = static_cast<std::uint32_t>(value);
  return true;
}

// `.ptr`, and behind it a state space and an alignment, both optional.
bool parse_pointer(State& s, Variable& v) {
  v.is_pointer = true;
  v.pointee = Space::generic;
  if (const auto space = space_named(s.now)) {
    v.pointee = *space;
    s.advance();
  }
  if (!s.now.is_directive("align"))
    return true;
  s.advance();
  return parse_alignment(s, v.pointee_alignment);
}

// A specifier that has arguments of its own. `known` is false for other words.
bool parse_specifier_with_arguments(State& s, const Token& at, Variable& v, bool& known) {
  known = true;
  if (at.text == "align")
    return parse_alignment(s, v.alignment);
  if (at.text == "ptr")
    return parse_pointer(s, v);
  if (at.text == "attribute")
    return parse_attribute(s, v.attributes);
  known = false;
  return true;
}

// A type, state space or vector length.
bool take_plain_specifier(const Token& at, Variable& v) {
  const auto type = type_named(at);
  const auto space = space_named(at);
  if (type && v.type == Type::none)
    v.type = *type;
  else if (space && v.space == Space::none)
    v.space = *space;
  else if (vector_length_named(at) != 0)
    v.vector_length = vector_length_named(at);
  else
    return false;
  return true;
}

// The directives between linkage and name, in any order.
bool parse_specifiers(State& s, Variable& v) {
  while (s.now.is(TokenKind::dot_word)) {
    const Token at = s.now;
    s.advance();
    if (take_plain_specifier(at, v))
      continue;
    bool known = false;
    if (!parse_specifier_with_arguments(s, at, v, known))
      return false;
    if (!known)
      return s.error(at.place, length_of(at), fmt::format("'.{}' does not belong in a declaration", at.text));
  }
  if (v.space == Space::none)
    return s.error_here("this declaration has no state space",
                        {"write .global, .shared, .local, .const, .param or .reg before the type"});
  if (v.type == Type::none)
    return s.error_here("this declaration has no type", {"write a type such as .u32 before the name"});
  return true;
}

// One `[2]` or `[]`, from behind its `[`; multiplies `elements`. An open length is 0.
bool parse_dimension(State& s, const Variable& v, bool is_first, std::uint64_t& elements,
                     std::uint64_t& length) {
  const Token at = s.now;
  length = 0;
  if (s.now.is(']'))
    return is_first || s.error_here("only the first dimension of an array may be left open");
  if (!parse_unsigned(s, "an array's length", largest_variable_bytes, length))
    return false;
  const std::uint64_t element_bytes = std::max(1U, size_bytes(v.type) * v.vector_length);
  const std::uint64_t most = largest_variable_bytes / element_bytes / std::max<std::uint64_t>(1, elements);
  if (length > most)
    return s.error(at.place, length_of(at), "this array is larger than any GPU's memory");
  elements *= length;
  return true;
}

// `[2][3]`, `[]`; `dimensions` gets 0 for an open first one.
bool parse_dimensions(State& s, Variable& v, std::vector<std::uint64_t>& dimensions) {
  std::uint64_t elements = 1;
  bool is_open = false;
  while (s.accept('[')) {
    v.is_array = true;
    is_open = is_open || s.now.is(']');
    std::uint64_t length = 0;
    if (!parse_dimension(s, v, dimensions.empty(), elements, length) || !s.expect(']', "an array's length"))
      return false;
    dimensions.push_back(length);
  }
  if (v.is_array && !is_open)
    v.elements = elements;
  return true;
}

// The name of a variable with what may follow it: dimensions and an initial value.
bool parse_declarator(State& s, const VariableContext& context, Variable& v) {
  Token name;
  if (!s.expect_word("a name", name))
    return false;
  v.name = name.text;
  v.place = name.place;
  std::vector<std::uint64_t> dimensions;
  if (!parse_dimensions(s, v, dimensions))
    return false;
  if (!s.now.is('='))
    return check_variable(s, context, v);
  const bool may_have_value = v.space == Space::global || v.space == Space::constant;
  if (context.is_parameter || !may_have_value)
    return s.error_here("a variable of this state space cannot have an initial value",
                        {"only .global and .const variables can"});
  s.advance();
  return parse_initial_value(s, dimensions, v) && check_variable(s, context, v);
}

} // namespace

bool parse_attribute(State& s, std::string_view& out) {
  if (!out.empty())
    return s.error_here("a second .attribute",
                        {"write its attributes in one list: .attribute(.managed, ...)"});
  const char* const begin = s.now.text.data() + 1;
  if (!s.expect('(', ".attribute"))
    return false;
  for (int depth = 1; depth > 0; s.advance()) {
    if (s.now.is(TokenKind::dot_word))
      s.check_since();
    if (s.now.is('('))
      ++depth;
    else if (s.now.is(')'))
      --depth;
    else if (!s.now.is(',') && !s.now.is(TokenKind::dot_word) && !s.now.is(TokenKind::integer))
      return s.error_here(fmt::format("expected an attribute, but found {}", describe(s.now)));
    out = {begin, static_cast<std::size_t>(s.now.text.data() - begin)};
  }
  return true;
}

std::optional<Type> type_named(const Token& token) {
  if (!token.is(TokenKind::dot_word))
    return std::nullopt;
  const auto modifier = find_modifier(token.text);
  if (!modifier || type_of(*modifier) == Type::none)
    return std::nullopt;
  return type_of(*modifier);
}

std::optional<Space> space_named(const Token& token) {
  if (token.is(TokenKind::dot_word))
    for (const SpaceName& s : spaces)
      if (s.text == token.text)
        return s.space;
  return std::nullopt;
}

bool declare(State& s, SymbolTable& table, std::string_view name, Place place, const Symbol& symbol) {
  if (name == "_")
    return true;
  const Symbol* earlier = table.declare(name, symbol);
  if (earlier == nullptr)
    return &table != &s.local_symbols || check_overlap(s, name, place);
  return s.error(place, name.size(), fmt::format("'{}' is declared twice in this scope", name),
                 {fmt::format("the first declaration is in line {}", earlier->place.line)});
}

bool declare_register(State& s, const Token& name, Type type, std::uint8_t vector_length) {
  Symbol symbol;
  symbol.kind = SymbolKind::reg;
  symbol.index = static_cast<std::uint32_t>(s.function->registers.size());
  symbol.type = type;
  symbol.place = name.place;
  if (!declare(s, s.local_symbols, name.text, name.place, symbol))
    return false;
  if (name.text.back() >= '0' && name.text.back() <= '9')
    s.has_plain_numbered_registers = true;
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
                   fmt::format("a number of registers must be a whole number from 0 to {}", most));
  if (!s.expect('>', "a number of registers"))
    return false;
  Symbol symbol;
  symbol.kind = SymbolKind::register_range;
  symbol.count = static_cast<std::uint32_t>(count.value);
  symbol.index = s.numbered_registers.declare(symbol.count);
  if (symbol.index == no_id)
    return s.error(at.place, length_of(at), fmt::format("a function declares more than {} registers", most));
  symbol.type = type;
  symbol.place = name.place;
  note_registers(s, {name.text, type, 1, symbol.count});
  return declare(s, s.local_ranges, name.text, name.place, symbol) &&
         check_overlap(s, name.text, symbol.count, name.place);
}

// One name of a `.reg` directive, with its `<9>`.
bool parse_register_name(State& s, Type type, std::uint8_t vector_length) {
  Token name;
  if (!s.expect_word("a register's name", name))
    return false;
  if (s.accept('<'))
    return parse_register_range(s, name, type);
  note_registers(s, {name.text, type, vector_length, no_id});
  return declare_register(s, name, type, vector_length);
}

} // namespace

bool parse_registers(State& s) {
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
    return s.error_here("a vector cannot have elements of type .pred");
  s.advance();
  if (!check_register_type(s, type_at, *type, vector_length))
    return false;
  do {
    if (!parse_register_name(s, *type, vector_length))
      return false;
  } while (s.accept(','));
  return s.expect(';', "a register declaration");
}

bool parse_variable(State& s, const VariableContext& context, Variable& v) {
  v.linkage = context.linkage;
  v.is_extern = context.linkage == Linkage::external;
  return parse_specifiers(s, v) && parse_declarator(s, context, v);
}

bool parse_variables(State& s, const VariableContext& context, SymbolKind kind, std::vector<Variable>& out) {
  Variable v;
  if (!parse_variable(s, context, v))
    return false;
  Variable next = v;
  next.is_array = false;
  next.elements.reset();
  next.initial_bytes.clear();
  next.initial_addresses.clear();
  next.opaque_value = {};
  SymbolTable& table = context.in_body ? s.local_symbols : s.module_symbols;
  while (true) {
    Symbol symbol;
    symbol.kind = kind;
    symbol.index = static_cast<std::uint32_t>(out.size());
    symbol.space = v.space;
    symbol.type = v.type;
    symbol.place = v.place;
    if (!declare(s, table, v.name, v.place, symbol))
      return false;
    s.note(ItemKind::variable, out.size());
    out.push_back(std::move(v));
    if (!s.accept(','))
      return s.expect(';', "a variable declaration");
    v = next;
    if (!parse_declarator(s, context, v))
      return false;
  }
}

} // namespace kerncast::ptx
