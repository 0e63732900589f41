#include "operands.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "constants.h"
#include "plain_operands.h"
#include "special_registers.h"

namespace kerncast::ptx {
namespace {

struct Numbered {
  const Symbol* range = nullptr;
  std::uint32_t number = 0;
};

// The innermost declaration `stem<count>` with this number.
const Symbol* find_range(const State& s, std::string_view stem, std::uint32_t number) {
  // Shorter inner ranges let the numbers above them through; deeper nesting than this is no real program.
  constexpr int most_hidden = 64;
  const Symbol* range = s.local_ranges.find(stem);
  for (int i = 0; range != nullptr && i < most_hidden; ++i, range = s.local_ranges.hidden_by(*range))
    if (number < range->count)
      return range;
  return nullptr;
}

// Register `%r17` of a declaration `%r<20>`; of `x1<20>` too, so every split of the digits is tried.
Numbered find_numbered(const State& s, std::string_view name) {
  Numbered found;
  for_each_split(name, [&](std::string_view stem, std::string_view digits) {
    found.number = number_in(digits);
    found.range = find_range(s, stem, found.number);
    return found.range != nullptr;
  });
  return found;
}

bool next_is_name(const Token& minus) { return is(*skip_blanks(minus.text.data() + 1), name_start); }

// `.x` directly behind a register.
bool take_selector(State& s, const Token& name, std::string_view& selector) {
  const bool adjacent =
      s.now.is(TokenKind::dot_word) && s.now.text.data() - 1 == name.text.data() + name.text.size();
  if (!adjacent)
    return false;
  selector = {s.now.text.data() - 1, s.now.text.size() + 1};
  s.advance();
  return true;
}

bool parse_special(State& s, const Token& name, Operand& o) {
  std::string_view component;
  o.kind = OperandKind::special;
  o.name = name.text;
  if (!take_selector(s, name, component))
    return true;
  constexpr std::string_view components[] = {".x", ".y", ".z", ".w"};
  const bool is_vector = special_register(name.text).is_vector();
  if (!is_vector ||
      std::find(std::begin(components), std::end(components), component) == std::end(components))
    return s.error(o.place, name.text.size() + component.size(),
                   fmt::format("special register {} has no component '{}'", name.text, component),
                   {is_vector ? "components are .x, .y, .z and .w" : "it is one value, without components"});
  o.name = {name.text.data(), name.text.size() + component.size()};
  return true;
}

const Variable* variable_named(const State& s, const Symbol& symbol) {
  switch (symbol.kind) {
  case SymbolKind::parameter:
    return &s.function->parameters[symbol.index];
  case SymbolKind::returned:
    return &s.function->return_parameters[symbol.index];
  case SymbolKind::local:
    return &s.function->variables[symbol.index];
  case SymbolKind::global:
    return &s.module.globals[symbol.index];
  default:
    return nullptr;
  }
}

// `[2]` behind an array: its third element, as ptxas counts them (the parts of a vector one by one).
bool parse_index(State& s, Operand& o) {
  const Token bracket = s.now;
  const Variable* array = variable_named(s, *s.find_symbol(o.name));
  if (array == nullptr || !array->is_array)
    return s.error(bracket.place, 1, fmt::format("'{}' is no array", o.name),
                   {fmt::format("write an offset in bytes: {}+4", o.name)});
  const std::uint32_t element_bytes = size_bytes(array->type);
  s.advance();
  if (s.now.is(TokenKind::word) && s.now.text != "WARP_SZ")
    return s.error_here("the index of an array must be a constant",
                        {"compute the element's address in a register: mov, then mad.wide or add"});
  Constant c;
  if (!parse_constant(s, c))
    return false;
  o.value = static_cast<std::int64_t>(static_cast<std::uint64_t>(c.value) * element_bytes);
  s.indexed_operand = s.scratch.empty() ? no_id : static_cast<std::uint32_t>(s.scratch.size() - 1);
  return s.expect(']', "an index");
}

} // namespace

bool parse_symbol_offset(State& s, Operand& o) {
  if (!s.accept('+'))
    return true;
  Constant c;
  const Place at = s.now.place;
  if (!parse_constant(s, c))
    return false;
  o.value = c.value;
  return c.is_integer() || s.error(at, 1, "an offset must be an integer", {"write a number of bytes"});
}

bool parse_register_or_symbol(State& s, Operand& o) {
  const Token name = s.now;
  s.advance();
  if (const RegisterId id = find_register(s, name); id != no_id) {
    o.kind = OperandKind::reg;
    o.id = id;
    if (s.now.is(TokenKind::dot_word))
      take_selector(s, name, o.name);
    return true;
  }
  if (const Symbol* symbol = s.find_symbol(name.text); symbol != nullptr) {
    o.kind = OperandKind::symbol;
    o.name = name.text;
    s.take_address(*symbol, name.text);
    return true;
  }
  if (special_register(name.text).type != Type::none)
    return parse_special(s, name, o);
  return s.undeclared(name, name.text.front() == '%' ? "register" : "name");
}

namespace {

void set_constant(const Constant& c, Operand& o) {
  o.kind = c.is_integer() ? OperandKind::integer : OperandKind::real;
  o.is_single = c.kind == Constant::Kind::single;
  o.value = o.is_single                      ? static_cast<std::int64_t>(c.single_bits)
            : o.kind == OperandKind::integer ? c.value
                                             : std::bit_cast<std::int64_t>(c.real);
}

bool parse_word(State& s, Operand& o) {
  if (s.now.text == "_") {
    o.kind = OperandKind::sink;
    s.advance();
    return true;
  }
  if (s.now.text == "WARP_SZ") {
    Constant c;
    if (!parse_constant(s, c))
      return false;
    set_constant(c, o);
    return true;
  }
  if (!parse_register_or_symbol(s, o))
    return false;
  if (o.kind != OperandKind::symbol)
    return true;
  return s.now.is('[') ? parse_index(s, o) : parse_symbol_offset(s, o);
}

bool parse_vector(State& s, Operand& o) {
  o.kind = OperandKind::vector;
  s.advance();
  ++s.open_braces;
  if (!parse_elements(s, '}', o) || !s.expect('}', "a vector"))
    return false;
  --s.open_braces;
  return true;
}

// The second half of d|p.
bool parse_pair(State& s, Operand& o) {
  s.advance();
  std::array<Operand, 2> pair{o, Operand{}};
  pair[1].place = s.now.place;
  if (!s.now.is(TokenKind::word))
    return s.error_here(fmt::format("expected a predicate register after '|', but found {}", describe(s.now)),
                        {"write d|p with a register of type .pred, or d|_"});
  if (!parse_word(s, pair[1]))
    return false;
  TreeVector<Operand>& pool = s.function->operand_pool;
  o = {};
  o.place = pair[0].place;
  o.kind = OperandKind::destination_pair;
  o.set_elements({static_cast<std::uint32_t>(pool.size()), 2});
  pool.insert(pool.end(), pair.begin(), pair.end());
  return true;
}

// One operand without a `|p` behind it.
bool parse_single(State& s, Operand& o) {
  o.place = s.now.place;
  if (s.now.is(TokenKind::word))
    return parse_word(s, o);
  if (s.now.is('['))
    return parse_address(s, o);
  if ((s.now.is('!') || s.now.is('-')) && next_is_name(s.now)) {
    const Token sign = s.now;
    o.negated = true;
    s.advance();
    if (!parse_register_or_symbol(s, o))
      return false;
    const bool is_predicate = o.kind == OperandKind::reg && s.function->registers[o.id].type == Type::pred;
    return !(is_predicate && sign.is('-')) ||
           s.error(sign.place, 1, "a predicate has no minus sign", {"write ! for its negation"});
  }
  if (!begins_constant(s.now))
    return s.error_here(fmt::format("expected an operand, but found {}", describe(s.now)),
                        {"an operand is a register, a constant, a name, [address] or {a, b}"});
  Constant c;
  if (!parse_constant(s, c))
    return false;
  set_constant(c, o);
  return true;
}

} // namespace

RegisterId find_register(State& s, const Token& token) {
  const std::string_view name = token.text;
  Numbered numbered;
  if (is(name.back(), digit))
    numbered = find_numbered(s, name);
  if (numbered.range == nullptr || s.has_hidden_numbers) {
    const Symbol* plain = s.local_symbols.find(name);
    if (plain != nullptr && (numbered.range == nullptr || plain->scope >= numbered.range->scope))
      return plain->kind == SymbolKind::reg ? plain->index : no_id;
    if (numbered.range == nullptr)
      return no_id;
  }
  return register_in(s, *numbered.range, numbered.number, name, token.place);
}

const Symbol* find_register_range(const State& s, std::string_view name) {
  return is(name.back(), digit) ? find_numbered(s, name).range : nullptr;
}

bool parse_elements(State& s, char closing, Operand& out) {
  TreeVector<Operand>& pool = s.function->operand_pool;
  const auto begin = static_cast<std::uint32_t>(pool.size());
  if (!s.now.is(closing)) {
    do {
      Operand element;
      if (s.now.is('{') || s.now.is('['))
        return s.error_here("a vector's element must be a register or a constant",
                            {"write the elements of the inner vector one by one"});
      if (!parse_single(s, element))
        return false;
      pool.push_back(element);
    } while (s.accept(','));
  }
  if (pool.size() != begin)
    out.set_elements({begin, static_cast<std::uint32_t>(pool.size()) - begin});
  return true;
}

bool parse_operand(State& s, Operand& o) {
  if (s.now.is('{')) {
    o.place = s.now.place;
    if (!parse_vector(s, o))
      return false;
  } else if (!parse_single(s, o))
    return false;
  return !s.now.is('|') || parse_pair(s, o);
}

} // namespace kerncast::ptx
