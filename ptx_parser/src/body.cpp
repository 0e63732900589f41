// The statements of a function's body, scope by scope. Scopes are a count, not recursion: `{` may nest as
// deep as it likes.
#include <algorithm>

#include <fmt/format.h>

#include "debug_info.h"
#include "declarations.h"
#include "directives.h"
#include "functions.h"
#include "instructions.h"
#include "operands.h"
#include "recovery.h"
#include "specifiers.h"
#include "suggestion.h"
#include "targets.h"

namespace kerncast::ptx {
namespace {

bool define_label(State& s, const Token& name) {
  Function& f = *s.function;
  const Symbol* variable = s.local_symbols.find(name.text);
  if (variable == nullptr || variable->scope != s.local_symbols.depth())
    variable = find_register_range(s, name.text);
  if (variable != nullptr && variable->scope == s.local_symbols.depth())
    return s.error(name.place, name.text.size(),
                   fmt::format("label '{}' has the name of a variable of this scope", name.text),
                   {fmt::format("the variable is declared in line {}", variable->place.line)});
  std::uint32_t earlier = 0;
  if (!s.labels.define(name.text, static_cast<std::uint32_t>(f.labels.size()), earlier))
    return s.error(name.place, name.text.size(),
                   fmt::format("label '{}' is defined twice in this scope", name.text),
                   {fmt::format("the first definition is in line {}", f.labels[earlier].place.line)});
  s.note(ItemKind::label, f.labels.size());
  f.labels.push_back({name.text, static_cast<std::uint32_t>(f.instructions.size()), name.place});
  return true;
}

bool parse_label(State& s) {
  Token name;
  if (!s.expect_name("a label", name))
    return false;
  s.advance(); // the colon
  bool is_list = false;
  if (!parse_target_list(s, name, is_list))
    return false;
  if (is_list)
    return true;
  // The statement behind the label is parsed as usual even if the label is wrong.
  if (!define_label(s, name))
    s.misdeclare(name.text, false);
  return true;
}

constexpr Directive body_directives[] = {{"reg", parse_registers},
                                         {"loc", parse_loc},
                                         {"pragma", parse_pragma},
                                         {"file", parse_file},
                                         {"section", parse_section}};

bool parse_body_directive(State& s) {
  const Token at = s.now;
  if (const Directive* directive = find_named(body_directives, at.text); directive != nullptr)
    return directive->parse(s);
  if (begins_variable(at)) {
    VariableContext context;
    context.in_body = true;
    return parse_variables(s, context, SymbolKind::local, s.function->variables);
  }
  constexpr std::string_view known[] = {"reg",   "local",  "shared", "param", "loc",
                                        "const", "pragma", "global", "file",  "section"};
  return s.error_here(fmt::format("unknown directive '.{}' in a function's body", at.text),
                      suggestion(at.text, known, ".",
                                 "a body has .reg, .local, .shared, .param, .const, .global, .pragma, .loc, "
                                 ".file and .section"));
}

bool parse_statement(State& s) {
  s.open_braces = 0;
  if (s.now.is(TokenKind::word))
    return s.lexer.colon_follows() ? parse_label(s) : parse_instruction(s);
  if (s.now.is('@'))
    return parse_instruction(s);
  if (s.now.is(TokenKind::dot_word))
    return parse_body_directive(s);
  if (s.now.is(';'))
    return s.error_here("an empty statement", {"remove the ';'"});
  return s.error_here(
      fmt::format("expected an instruction, but found {}", describe(s.now)),
      {"a statement is an instruction, a label with ':', a directive such as .reg, or a block in braces"});
}

void parse_or_skip_statement(State& s) {
  const Token first = s.now;
  if (parse_statement(s))
    return;
  skip_statement(s, first);
  note_misdeclared_in_body(s, first);
}

void report_undefined_labels(State& s) {
  const std::vector<std::uint32_t> unresolved = s.labels.unresolved();
  if (unresolved.empty())
    return;
  std::vector<std::string_view> known;
  for (const Label& l : s.function->labels)
    known.push_back(l.name);
  constexpr std::size_t most_candidates = 4096;
  known.resize(std::min(known.size(), most_candidates));
  for (const std::uint32_t operand : unresolved) {
    if (s.has_many_errors())
      known.clear();
    const Operand& o = s.function->operand_pool[operand];
    if (s.is_misdeclared(o.name))
      continue;
    s.error(o.place, o.name.size(), fmt::format("undeclared label '{}'", o.name),
            suggestion(o.name, known, "", "a label must lie in the same scope as the branch or around it"));
    if (s.stopped)
      return;
  }
}

// Labels that `L<4>` named are called by the names in the text, which outlives the parser.
void drop_generated_names(State& s) {
  for (Operand& o : s.function->operand_pool)
    if (o.kind == OperandKind::label && o.id != no_id)
      o.name = s.function->labels[o.id].name;
}

void open_scope(State& s) {
  s.advance();
  s.local_symbols.open_scope();
  s.local_ranges.open_scope();
  s.labels.open_scope();
}

void close_scope(State& s) {
  s.advance();
  s.numbered_names.close_scope(s.local_symbols.depth());
  s.local_symbols.close_scope();
  s.local_ranges.close_scope();
  s.labels.close_scope(s.function->operand_pool);
}

} // namespace

bool parse_body(State& s) {
  const Place begin = s.now.place;
  s.advance(); // its scope, which has the parameters too, is open
  for (std::size_t depth = 1; depth > 0;) {
    if (s.now.is(TokenKind::end) || begins_next_function(s.now))
      return s.error_here(fmt::format("the body of '{}' has no closing '}}'", s.function->name),
                          {fmt::format("its '{{' is in line {}; is the file truncated?", begin.line)});
    if (s.now.is('{')) {
      s.note(ItemKind::open_scope, 0);
      open_scope(s);
      ++depth;
    } else if (s.now.is('}')) {
      close_scope(s);
      if (--depth > 0)
        s.note(ItemKind::close_scope, 0);
    } else
      parse_or_skip_statement(s);
  }
  report_undefined_labels(s);
  if (!s.generated_names.empty())
    drop_generated_names(s);
  s.function = nullptr;
  return true;
}

} // namespace kerncast::ptx
