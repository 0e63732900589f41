#include "targets.h"

#include <fmt/format.h>

#include "call_check.h"
#include "constants.h"
#include "declarations.h"
#include "functions.h"
#include "operands.h"

namespace kerncast::ptx {
namespace {

Operand label_operand(const Token& name) {
  Operand o;
  o.kind = OperandKind::label;
  o.name = name.text;
  o.place = name.place;
  return o;
}

bool parse_bra(State& s) {
  Token name;
  if (!s.expect_word("a label", name))
    return false;
  s.scratch.push_back(label_operand(name));
  return true;
}

bool parse_brx(State& s) {
  Operand index;
  Token name;
  if (!parse_operand(s, index) || !s.expect(',', "the index of brx.idx") ||
      !s.expect_word("the label of a .branchtargets list", name))
    return false;
  const bool is_index =
      index.kind == OperandKind::integer || (index.kind == OperandKind::reg && !index.negated &&
                                             size_bytes(s.function->registers[index.id].type) == 4 &&
                                             !is_float(s.function->registers[index.id].type));
  if (!is_index)
    return s.error(index.place, 1, "the index of brx.idx must be a register of type .u32",
                   {"copy the index to a register of type .u32"});
  const Symbol* list = s.find_symbol(name.text);
  if (list == nullptr && s.is_misdeclared(name.text))
    return false;
  if (list == nullptr || list->kind != SymbolKind::branch_targets)
    return s.error(name.place, name.text.size(),
                   fmt::format("'{}' is not the label of a .branchtargets list above", name.text),
                   {"declare it in front of the branch: list: .branchtargets L1, L2;"});
  Operand targets;
  targets.kind = OperandKind::vector;
  targets.name = name.text;
  targets.place = name.place;
  targets.set_elements(s.branch_targets[list->index]);
  s.scratch.push_back(index);
  s.scratch.push_back(targets);
  return true;
}

// `(a, b)`, or nothing.
bool parse_arguments(State& s, Operand& out) {
  out.kind = OperandKind::vector;
  out.place = s.now.place;
  if (!s.accept('('))
    return true;
  return parse_elements(s, ')', out) && s.expect(')', "the arguments");
}

bool parse_callee(State& s, Operand& out) {
  out.place = s.now.place;
  const Token name = s.now;
  if (!name.is(TokenKind::word))
    return s.error_here(fmt::format("expected a function or a register, but found {}", describe(name)),
                        {"write call NAME; or call (result), NAME, (arguments);"});
  s.advance();
  if (const RegisterId id = find_register(s, name); id != no_id) {
    out.kind = OperandKind::reg;
    out.id = id;
    return true;
  }
  const Symbol* symbol = s.find_symbol(name.text);
  if (symbol == nullptr)
    return s.undeclared(name, "function");
  if (symbol->kind != SymbolKind::function)
    return s.error(name.place, name.text.size(), fmt::format("'{}' is not a function", name.text),
                   {"write the name of a .func, or a register that holds its address and a prototype"});
  if (s.module.functions[symbol->index].is_entry)
    return s.error(name.place, name.text.size(), fmt::format("'{}' is a kernel", name.text),
                   {"call takes a .func; another kernel can only be launched"});
  out.kind = OperandKind::symbol;
  out.name = name.text;
  return true;
}

bool parse_prototype_name(State& s, Operand& out) {
  Token name;
  if (!s.expect_word("a prototype or a list of call targets", name))
    return false;
  const Symbol* symbol = s.find_symbol(name.text);
  if (symbol == nullptr && s.is_misdeclared(name.text))
    return false;
  if (symbol == nullptr || symbol->kind != SymbolKind::call_targets)
    return s.error(
        name.place, name.text.size(),
        fmt::format("'{}' is not the label of a .callprototype or .calltargets above", name.text),
        {"declare it in front of the call: name: .callprototype (.param .b32 _) _ (.param .b32 _);"});
  out.kind = OperandKind::symbol;
  out.name = name.text;
  out.place = name.place;
  return true;
}

// call (results), callee, (arguments), prototype
bool parse_call(State& s) {
  Operand results;
  Operand callee;
  Operand arguments;
  Operand prototype;
  const bool has_results = s.now.is('(');
  if (!parse_arguments(s, results) || (has_results && !s.expect(',', "the results of a call")) ||
      !parse_callee(s, callee))
    return false;
  arguments.kind = OperandKind::vector;
  arguments.place = s.now.place;
  bool has_prototype = s.accept(',');
  if (has_prototype && s.now.is('(')) {
    if (!parse_arguments(s, arguments))
      return false;
    has_prototype = s.accept(',');
  }
  if (has_prototype && !parse_prototype_name(s, prototype))
    return false;
  if (callee.kind == OperandKind::symbol && has_prototype)
    return s.error(prototype.place, prototype.name.size(), "a prototype behind a function's name",
                   {"leave it out: the function's declaration says what it takes"});
  if (callee.kind == OperandKind::reg && !has_prototype)
    return s.error(callee.place, 1, "an indirect call needs a prototype or a list of call targets",
                   {"declare one with `name: .callprototype ...;` and name it last"});
  for (const Operand& o : {results, callee, arguments})
    s.scratch.push_back(o);
  if (has_prototype)
    s.scratch.push_back(prototype);
  return check_call(s, callee, results, arguments, prototype);
}

// The N of `L<N>`, which names L0 to L(N-1); no_id for a name alone.
bool parse_name_count(State& s, std::uint32_t& count) {
  count = no_id;
  if (!s.accept('<'))
    return true;
  const Token at = s.now;
  Constant c; // a literal: the '>' behind it is no operator
  if (!parse_literal(s, c))
    return false;
  // Every name is declared somewhere in the file.
  const std::size_t most = s.source.text().size();
  if (!c.is_integer() || static_cast<std::uint64_t>(c.value) > most - s.generated_names.size())
    return s.error(at.place, length_of(at),
                   "a number of names must be a whole number, and not of more names "
                   "than the file has characters",
                   {"write a number as in L<4>, which stands for L0, L1, L2 and L3"});
  count = static_cast<std::uint32_t>(c.value);
  return s.expect('>', "a number of names");
}

// One name of a list, or the names that `L<4>` stands for; `take` gets a token for each.
template <class Take> bool parse_names(State& s, std::string_view what, const Take& take) {
  Token name;
  std::uint32_t count = 0;
  if (!s.expect_word(what, name) || !parse_name_count(s, count))
    return false;
  if (count == no_id)
    return take(name);
  const std::string_view stem = name.text;
  for (std::uint32_t i = 0; i < count; ++i) {
    name.text = s.generated_names.emplace_back(fmt::format("{}{}", stem, i));
    if (!take(name))
      return false;
  }
  return true;
}

bool parse_branch_targets(State& s, const Token& list) {
  TreeVector<Operand>& pool = s.function->operand_pool;
  const auto begin = static_cast<std::uint32_t>(pool.size());
  const auto take = [&](const Token& name) {
    s.labels.refer(name.text, static_cast<std::uint32_t>(pool.size()));
    pool.push_back(label_operand(name));
    return true;
  };
  do
    if (!parse_names(s, "a label", take))
      return false;
  while (s.accept(','));
  Symbol symbol;
  symbol.kind = SymbolKind::branch_targets;
  symbol.index = static_cast<std::uint32_t>(s.branch_targets.size());
  symbol.place = list.place;
  s.branch_targets.push_back({begin, static_cast<std::uint32_t>(pool.size()) - begin});
  s.note(ItemKind::branch_targets, s.function->branch_targets.size());
  s.function->branch_targets.push_back({list.text, s.branch_targets.back()});
  return declare(s, s.local_symbols, list.text, list.place, symbol);
}

bool parse_call_targets(State& s, std::string_view list) {
  CallTargets targets{list, {}};
  const auto take = [&](const Token& name) {
    const Symbol* symbol = s.find_symbol(name.text);
    if (symbol == nullptr || symbol->kind != SymbolKind::function)
      return s.undeclared(name, "function");
    targets.functions.push_back(s.module.functions[symbol->index].name);
    return true;
  };
  do
    if (!parse_names(s, "a function", take))
      return false;
  while (s.accept(','));
  s.note(ItemKind::call_targets, s.function->call_targets.size());
  s.function->call_targets.push_back(std::move(targets));
  return true;
}

bool parse_call_prototype(State& s, std::string_view name) {
  Prototype prototype;
  prototype.name = name;
  if (!parse_prototype(s, prototype))
    return false;
  s.note(ItemKind::prototype, s.function->prototypes.size());
  s.function->prototypes.push_back(std::move(prototype));
  return true;
}

} // namespace

bool parse_target_operands(State& s, Opcode opcode) {
  if (opcode == Opcode::bra)
    return parse_bra(s);
  return opcode == Opcode::brx ? parse_brx(s) : parse_call(s);
}

bool parse_target_list(State& s, const Token& name, bool& is_list) {
  const bool is_branch = s.now.is_directive("branchtargets");
  const bool is_prototype = s.now.is_directive("callprototype");
  is_list = is_branch || is_prototype || s.now.is_directive("calltargets");
  if (!is_list)
    return true;
  s.check_since();
  s.advance();
  if (is_branch)
    return parse_branch_targets(s, name) && s.expect(';', "a list of branch targets");
  Symbol symbol;
  symbol.kind = SymbolKind::call_targets;
  symbol.place = name.place;
  if (!(is_prototype ? parse_call_prototype(s, name.text) : parse_call_targets(s, name.text)))
    return false;
  symbol.index = is_prototype ? static_cast<std::uint32_t>(s.function->prototypes.size() - 1) : no_id;
  return declare(s, s.local_symbols, name.text, name.place, symbol) && s.expect(';', "call targets");
}

} // namespace kerncast::ptx
