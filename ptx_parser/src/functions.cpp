#include "functions.h"

#include <algorithm>

#include <fmt/format.h>

#include "declaration_check.h"
#include "declarations.h"
#include "signature_directives.h"
#include "specifiers.h"

namespace kerncast::ptx {
namespace {

// `(.param .u64 a, .reg .b32 b)`, or nothing.
bool parse_parameters(State& s, std::vector<Variable>& out, bool of_entry = false) {
  if (!s.accept('(') || s.accept(')'))
    return true;
  VariableContext context;
  context.is_parameter = true;
  context.is_entry_parameter = of_entry;
  do {
    if (!parse_variable(s, context, out.emplace_back()))
      return false;
    const Space space = out.back().space;
    if (space != Space::param && space != Space::reg)
      return s.error(out.back().place, out.back().name.size(), "a parameter must lie in .param or .reg",
                     {"write .param before its type, or .reg in a .func"});
  } while (s.accept(','));
  return s.expect(')', "the parameters");
}

// Those behind a wrong one are declared all the same.
void declare_parameters(State& s, const std::vector<Variable>& parameters, SymbolKind kind) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Variable& v = parameters[i];
    if (v.space == Space::reg) {
      Token name;
      name.text = v.name;
      name.place = v.place;
      declare_register(s, name, v.type, static_cast<std::uint8_t>(v.vector_length));
      continue;
    }
    Symbol symbol;
    symbol.kind = kind;
    symbol.index = static_cast<std::uint32_t>(i);
    symbol.space = v.space;
    symbol.type = v.type;
    symbol.place = v.place;
    declare(s, s.local_symbols, v.name, v.place, symbol);
  }
}

// `.attribute(.unified(1, 2))` of a function.
bool parse_function_attribute(State& s, Function& f) {
  if (!s.now.is_directive("attribute"))
    return true;
  s.advance();
  return parse_attribute(s, f.attributes, false);
}

bool same_kind_of_symbol(State& s, const Function& f, const Symbol& earlier) {
  if (earlier.kind != SymbolKind::function)
    return s.error(f.place, f.name.size(), fmt::format("'{}' is declared twice", f.name),
                   {fmt::format("the first declaration is in line {}", earlier.place.line)});
  return true;
}

// Makes the name known, so that the body may call itself. Declarations may precede the definition.
bool declare_function(State& s, std::uint32_t index) {
  const Function& f = s.module.functions[index];
  Symbol symbol;
  symbol.kind = SymbolKind::function;
  symbol.index = index;
  symbol.place = f.place;
  const Symbol* earlier = s.module_symbols.declare(f.name, symbol);
  if (earlier == nullptr)
    return true;
  if (!same_kind_of_symbol(s, f, *earlier))
    return false;
  // The rest of the function is read all the same.
  check_redeclaration(s, s.module.functions[earlier->index], f);
  return true;
}

bool check_single_body(State& s, const Function& f) {
  const std::uint32_t earlier = s.bodies.find(f.name);
  if (earlier == no_id) {
    s.bodies[f.name] = f.place.line;
    return true;
  }
  return s.error(f.place, f.name.size(), fmt::format("function '{}' is defined twice", f.name),
                 {fmt::format("the first definition is in line {}", earlier)});
}

bool check_may_have_body(State& s, const Function& f) {
  return f.linkage != Linkage::external ||
         s.error(f.place, f.name.size(), fmt::format("'{}' is .extern, but has a body", f.name),
                 {"write .visible instead of .extern, or ';' instead of the body"});
}

// Callers need no names of parameters, but only a prototype may leave them out.
bool check_named(State& s, const std::vector<Variable>& parameters) {
  const auto nameless =
      std::find_if(parameters.begin(), parameters.end(), [](const Variable& v) { return v.name == "_"; });
  return nameless == parameters.end() || s.error(nameless->place, 1, "a function's parameter has no name",
                                                 {"write a name; '_' stands in a .callprototype"});
}

bool parse_signature(State& s, Function& f) {
  const bool is_entry = f.is_entry;
  if (!is_entry && !parse_function_attribute(s, f))
    return false;
  if (!is_entry && !(parse_parameters(s, f.return_parameters) && check_named(s, f.return_parameters)))
    return false;
  Token name;
  if (!s.expect_name(is_entry ? "a kernel's name" : "a function's name", name))
    return false;
  f.name = name.text;
  f.place = name.place;
  return parse_parameters(s, f.parameters, is_entry) && (is_entry || check_named(s, f.parameters));
}

// A body's pools are lent to it, with room for a body of this length, and copied behind its end: pools
// neither grow step by step nor keep more than they need. A longer body has pools of its own at once.
constexpr std::size_t short_body = std::size_t{1} << 17;

// With room for as many elements as the text may have, one per so many characters.
template <class T> void lend(State& s, TreeVector<T>& pool, TreeVector<T>& spare, std::size_t characters) {
  if (s.body_bytes > short_body)
    pool = TreeVector<T>(TreeAllocator<T>(s.module.memory.get()));
  else
    pool.swap(spare);
  pool.reserve(std::max(s.body_bytes, short_body) / characters);
}

template <class T> void end_lending(State& s, TreeVector<T>& pool, TreeVector<T>& spare) {
  if (pool.get_allocator().memory != nullptr)
    return;
  spare.swap(pool);
  pool = TreeVector<T>(spare.begin(), spare.end(), TreeAllocator<T>(s.module.memory.get()));
  spare.clear();
}

// Text per element, about the least that real bodies have.
void lend_pools(State& s, Function& f) {
  constexpr std::size_t characters_per_label = 96;
  s.estimate_body();
  if (s.body_bytes > short_body)
    s.labels.reserve(s.body_bytes / characters_per_label);
  lend(s, f.operand_pool, s.spare.operands, 16);
  lend(s, f.instructions, s.spare.instructions, 36);
  lend(s, f.registers, s.spare.registers, 48);
  lend(s, f.labels, s.spare.labels, characters_per_label);
  lend(s, f.items, s.spare.items, 96);
  lend(s, f.source_lines, s.spare.source_lines, 256);
  lend(s, f.modifier_pool, s.spare.modifiers, 512);
  lend(s, f.register_declarations, s.spare.register_declarations, 1024);
}

void end_lending_pools(State& s, Function& f) {
  end_lending(s, f.operand_pool, s.spare.operands);
  end_lending(s, f.instructions, s.spare.instructions);
  end_lending(s, f.registers, s.spare.registers);
  end_lending(s, f.labels, s.spare.labels);
  end_lending(s, f.items, s.spare.items);
  end_lending(s, f.source_lines, s.spare.source_lines);
  end_lending(s, f.modifier_pool, s.spare.modifiers);
  end_lending(s, f.register_declarations, s.spare.register_declarations);
}

void begin_body(State& s, Function& f) {
  f.has_body = true;
  s.function = &f;
  ++s.functions_parsed;
  s.local_symbols.clear();
  s.local_ranges.clear();
  s.numbered_registers.clear();
  s.labels.clear();
  s.branch_targets.clear();
  s.numbered_names.clear();
  s.has_hidden_numbers = false;
  s.source_line = no_id;
  s.local_symbols.open_scope();
  s.local_ranges.open_scope();
  s.labels.open_scope();
  lend_pools(s, f);
}

} // namespace

bool parse_function(State& s, Linkage linkage) {
  Function& f = s.module.functions.emplace_back();
  const auto index = static_cast<std::uint32_t>(s.module.functions.size() - 1);
  s.note(ItemKind::function, index);
  f.linkage = linkage;
  f.is_entry = s.now.is_directive("entry");
  s.advance();
  if (!parse_signature(s, f) || !declare_function(s, index) || !parse_signature_directives(s, f))
    return false;
  if (f.is_entry)
    check_entry_parameters(s, f);
  const bool is_definition = s.now.is('{');
  check_whole_redeclaration(s, f, is_definition);
  if (s.accept(';'))
    return true;
  if (!is_definition)
    return s.error_here(fmt::format("expected '{{' or ';' after the signature of '{}', but found {}", f.name,
                                    describe(s.now)),
                        {"a body stands in braces; a declaration ends with ';'"});
  check_single_body(s, f);
  check_may_have_body(s, f);
  begin_body(s, f);
  declare_parameters(s, f.return_parameters, SymbolKind::returned);
  declare_parameters(s, f.parameters, SymbolKind::parameter);
  const bool good = parse_body(s);
  end_lending_pools(s, f);
  return good;
}

bool parse_prototype(State& s, Prototype& out) {
  Token name;
  if (!parse_parameters(s, out.results) || !s.expect_word("'_' or a name in a prototype", name) ||
      !parse_parameters(s, out.parameters))
    return false;
  out.callee = name.text;
  if (!parse_prototype_directives(s, out.abi))
    return false;
  return !out.abi.is_noreturn || out.results.empty() ||
         s.error(name.place, name.text.size(), "a .noreturn prototype returns a value",
                 {"leave .noreturn or the results out"});
}

} // namespace kerncast::ptx
