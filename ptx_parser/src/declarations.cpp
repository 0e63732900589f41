#include "declarations.h"

#include <fmt/format.h>

#include "constants.h"
#include "declaration_check.h"
#include "initialiser.h"
#include "specifiers.h"

namespace kerncast::ptx {
namespace {

constexpr std::uint64_t largest_variable_bytes = std::uint64_t{1} << 40;

// One `[2]` or `[]`, from behind its `[`; multiplies `elements`. An open length is 0.
bool parse_dimension(State& s, const Variable& v, bool is_first, std::uint64_t& elements,
                     std::uint64_t& length) {
  const Token at = s.now;
  length = 0;
  if (s.now.is(']'))
    return is_first || s.error_here("only the first dimension of an array may be left open",
                                    {"write the length between the brackets"});
  if (!parse_unsigned(s, "an array's length", largest_variable_bytes, length))
    return false;
  const std::uint64_t element_bytes = std::max(1U, size_bytes(v.type) * v.vector_length);
  const std::uint64_t most = largest_variable_bytes / element_bytes / std::max<std::uint64_t>(1, elements);
  if (length > most)
    return s.error(at.place, length_of(at), "this array is larger than any GPU's memory",
                   {"write a smaller length"});
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
  // Parameters of a prototype need no name.
  const bool good = context.is_parameter ? s.expect_word("a name", name) : s.expect_name("a name", name);
  if (!good)
    return false;
  v.name = name.text;
  v.place = name.place;
  std::vector<std::uint64_t> dimensions;
  if (!parse_dimensions(s, v, dimensions))
    return false;
  if (context.is_parameter && dimensions.size() > 1)
    return s.error(v.place, v.name.size(), fmt::format("parameter '{}' has several dimensions", v.name),
                   {"declare an array of one dimension with as many elements"});
  if (!s.now.is('='))
    return check_variable(s, context, v);
  const bool may_have_value = v.space == Space::global || v.space == Space::constant;
  if (context.is_parameter || !may_have_value)
    return s.error_here("a variable of this state space cannot have an initial value",
                        {"only .global and .const variables can"});
  if (v.is_extern)
    return s.error_here(fmt::format("'{}' is .extern, but has an initial value", v.name),
                        {"write .visible instead of .extern, or leave the value out"});
  s.advance();
  return parse_initial_value(s, dimensions, v) && check_variable(s, context, v);
}

} // namespace

bool declare(State& s, SymbolTable& table, std::string_view name, Place place, const Symbol& symbol) {
  const Symbol* earlier = table.declare(name, symbol);
  if (earlier == nullptr)
    return &table != &s.local_symbols || check_overlap(s, name, place);
  return s.error(place, name.size(), fmt::format("'{}' is declared twice in this scope", name),
                 {fmt::format("the first declaration is in line {}", earlier->place.line)});
}

namespace {

// `.extern .global .u32 x;` may stand more than once, and beside the definition: uses mean the first.
bool declare_variable(State& s, SymbolTable& table, const std::vector<Variable>& declared, const Variable& v,
                      const Symbol& symbol) {
  if (&table == &s.module_symbols)
    if (const Symbol* earlier = table.find(v.name); earlier != nullptr &&
                                                    earlier->kind == SymbolKind::global &&
                                                    may_redeclare(declared[earlier->index], v))
      return true;
  return declare(s, table, v.name, v.place, symbol);
}

} // namespace

bool parse_variable(State& s, const VariableContext& context, Variable& v) {
  v.linkage = context.linkage;
  v.is_extern = context.linkage == Linkage::external;
  return parse_specifiers(s, context, v) && parse_declarator(s, context, v);
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
    if (!declare_variable(s, table, out, v, symbol))
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
