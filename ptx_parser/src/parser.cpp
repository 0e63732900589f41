// The module: version, target and what is declared outside functions (PTX ISA, sections 11.1, 11.6 and 5.4).
#include "ptx_parser/parser.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "debug_info.h"
#include "declaration_check.h"
#include "declarations.h"
#include "directives.h"
#include "functions.h"
#include "module_header.h"
#include "ptx_parser/opcode.h"
#include "recovery.h"
#include "specifiers.h"
#include "state.h"
#include "suggestion.h"

namespace kerncast::ptx {
namespace {

// Names of functions; what is wrong leaves the rest of the module readable.
bool check_alias(State& s, const Token& name, const Token& aliasee) {
  const Function& alias = s.module.functions[s.find_symbol(name.text)->index];
  const Function& function = s.module.functions[s.find_symbol(aliasee.text)->index];
  const auto fail = [&](const Token& at, std::string_view why, std::string_view note) {
    return s.error(at.place, at.text.size(), fmt::format("'{}' {}", at.text, why), {std::string(note)});
  };
  if (function.is_entry)
    return fail(aliasee, "is a kernel", "an alias stands for a .func");
  if (function.linkage == Linkage::weak)
    return fail(aliasee, "is .weak, so no alias can stand for it", "write .visible instead of .weak");
  if (s.bodies.find(name.text) != no_id)
    return fail(name, "has a body, so it cannot be an alias", "declare it without one");
  return have_same_signature(alias, function) ||
         fail(name, fmt::format("does not have the signature of '{}'", aliasee.text),
              "declare both with the same parameters and results");
}

// `.alias name, aliasee;`
bool parse_alias(State& s) {
  s.check_since();
  s.advance();
  Token name;
  Token aliasee;
  if (!s.expect_word("a function's name", name) || !s.expect(',', "the alias's name") ||
      !s.expect_word("a function's name", aliasee))
    return false;
  for (const Token& t : {name, aliasee}) {
    const Symbol* symbol = s.find_symbol(t.text);
    if (symbol == nullptr || symbol->kind != SymbolKind::function)
      return s.undeclared(t, "function");
  }
  check_alias(s, name, aliasee);
  s.note(ItemKind::alias, s.module.aliases.size());
  s.module.aliases.push_back({name.text, aliasee.text, name.place});
  return s.expect(';', "an alias");
}

std::optional<Linkage> linkage_named(const Token& t) {
  if (t.is_directive("visible"))
    return Linkage::visible;
  if (t.is_directive("extern"))
    return Linkage::external;
  if (t.is_directive("weak"))
    return Linkage::weak;
  if (t.is_directive("common"))
    return Linkage::common;
  return std::nullopt;
}

bool unknown_directive(State& s) {
  constexpr std::string_view known[] = {"version", "target",  "address_size", "visible", "extern", "weak",
                                        "common",  "entry",   "func",         "global",  "const",  "shared",
                                        "file",    "section", "pragma",       "alias",   "tex",    "align"};
  if (!s.now.is(TokenKind::dot_word))
    return s.error_here(fmt::format("expected a directive, but found {}", describe(s.now)),
                        {"the name of a function or a variable follows its own directives"});
  return s.error_here(fmt::format("unknown directive '.{}'", s.now.text),
                      suggestion(s.now.text, known, ".",
                                 "outside functions stand .entry, .func, variables such as .global and "
                                 ".const, .alias, .pragma, .file and .section"));
}

bool parse_declaration(State& s) {
  Linkage linkage = Linkage::internal;
  if (const auto named = linkage_named(s.now)) {
    linkage = *named;
    s.check_since();
    s.advance();
  }
  if (linkage_named(s.now))
    return s.error_here(fmt::format("a second linkage, '.{}'", s.now.text),
                        {"a declaration has at most one of .visible, .extern, .weak and .common"});
  if (s.now.is_directive("entry") || s.now.is_directive("func")) {
    // It is read all the same.
    if (linkage == Linkage::common)
      s.error_here("a function cannot be .common", {"only .global variables can; write .weak or .visible"});
    return parse_function(s, linkage);
  }
  if (!begins_variable(s.now))
    return unknown_directive(s);
  VariableContext context;
  context.linkage = linkage;
  return parse_variables(s, context, SymbolKind::global, s.module.globals);
}

bool misplaced_loc(State& s) {
  return s.error_here("a .loc outside functions", {"write it before an instruction, within the braces"});
}

constexpr Directive module_directives[] = {
    {"version", misplaced_header}, {"target", misplaced_header}, {"address_size", misplaced_header},
    {"file", parse_file},          {"loc", misplaced_loc},       {"section", parse_section},
    {"pragma", parse_pragma},      {"alias", parse_alias}};

bool parse_module_statement(State& s) {
  if (s.now.is('@'))
    return parse_old_dwarf(s);
  if (!s.now.is(TokenKind::dot_word))
    return s.error_here(
        fmt::format("expected a directive such as .entry, but found {}", describe(s.now)),
        {find_opcode(s.now.text)
             ? "instructions stand in the braces of a function: is there a '}' too many above?"
             : "outside functions stand .entry, .func, variables such as .global and directives"});
  if (const Directive* directive = find_named(module_directives, s.now.text); directive != nullptr)
    return directive->parse(s);
  return parse_declaration(s);
}

// A variable's directive may stand in a body too.
bool begins_module_statement(const Token& t, bool is_outside_braces) {
  return linkage_named(t) || t.is_directive("entry") || t.is_directive("func") || is_header_directive(t) ||
         (is_outside_braces && (t.is_directive("global") || t.is_directive("const")));
}

// To the next directive that begins something at module level, outside braces.
void skip_module_statement(State& s) {
  s.function = nullptr;
  std::size_t braces = 0;
  for (; !s.now.is(TokenKind::end); s.advance()) {
    if (s.now.is('{'))
      ++braces;
    else if (s.now.is('}') && braces > 0)
      --braces;
    if (begins_module_statement(s.now, braces == 0))
      return;
    if (braces == 0 && s.now.is('}')) {
      s.advance();
      s.accept(';'); // behind the initial value of a variable
      return;
    }
    if (braces == 0 && s.accept(';'))
      return;
  }
}

// What is left of a body whose braces do not match, up to what may stand outside functions.
void skip_orphaned_statements(State& s) {
  const auto stands_outside = [](const Token& t) {
    return begins_module_statement(t, true) || (begins_variable(t) && !t.is_directive("reg")) ||
           (t.is(TokenKind::dot_word) && !t.is_directive("loc") &&
            find_named(module_directives, t.text) != nullptr);
  };
  while (!s.now.is(TokenKind::end) && !stands_outside(s.now))
    s.advance();
}

// A module begins with .version and .target; debugging information may precede them.
void parse_header(State& s) {
  while (s.now.is_directive("file") || s.now.is('@'))
    if (!parse_module_statement(s))
      skip_module_statement(s);
  parse_module_header(s);
}

// Offset of the first byte that no PTX text has, npos if there is none. Eight bytes at a time: every byte of
// the file passes here.
std::size_t find_binary(std::string_view text) {
  constexpr std::uint64_t high_bits = 0x8080808080808080ULL;
  std::uint64_t all = 0;
  std::size_t at = 0;
  for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    all |= word;
  }
  for (; at < text.size(); ++at)
    all |= static_cast<unsigned char>(text[at]);
  if ((all & high_bits) == 0)
    return text.find('\0');
  const auto bad = std::find_if(text.begin(), text.end(),
                                [](char c) { return c == 0 || static_cast<unsigned char>(c) >= 0x80; });
  return static_cast<std::size_t>(bad - text.begin());
}

Diagnostic binary_error(const SourceText& source, std::size_t offset) {
  const bool is_elf = source.text().starts_with("\x7f"
                                                "ELF");
  if (source.text()[offset] == 0 || is_elf)
    return source.error(
        {}, 1, "this is a binary file, not PTX text",
        {is_elf ? "it is an ELF file; write its PTX with cuobjdump --dump-ptx or compile with nvcc --ptx"
                : "write PTX text with nvcc --ptx"});
  return source.error(source.place(offset), 1, "a character outside ASCII, which PTX does not allow",
                      {"remove it, also from comments and strings"});
}

void parse_statements(State& s) {
  parse_header(s);
  s.signatures.set_offer(s.offer());
  while (!s.now.is(TokenKind::end) && !s.stopped) {
    const Token first = s.now;
    if (parse_module_statement(s))
      continue;
    if (s.now.place == first.place)
      s.advance();
    skip_module_statement(s);
    note_misdeclared(s, first);
    skip_orphaned_statements(s);
  }
  if (s.lexer.error() != nullptr && !s.stopped)
    s.error_here("", {});
}

// From what real modules have. Room that is not used costs address space only.
void reserve(Module& module, std::size_t text_bytes) {
  constexpr std::size_t tree_bytes_per_character = 5;
  constexpr std::size_t characters_per_function = 1024;
  module.memory = std::make_shared<TreeMemory>(text_bytes * tree_bytes_per_character);
  module.functions.reserve(text_bytes / characters_per_function + 1);
}

} // namespace

Expected<Module> parse(SourceText text, const ParseOptions& options) {
  const auto source = std::make_shared<const SourceText>(std::move(text));
  if (source->text().size() >= UINT32_MAX)
    return fail(
        source->error({}, 1, "this file is larger than 4 GB", {"split the module into several files"}));
  if (const std::size_t binary = find_binary(source->text()); binary != std::string_view::npos)
    return fail(binary_error(*source, binary));
  State state(*source, options);
  reserve(state.module, source->text().size());
  parse_statements(state);
  if (!state.errors.empty()) {
    std::stable_sort(state.errors.begin(), state.errors.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    return tl::unexpected<Diagnostics>(std::move(state.errors));
  }
  if (state.warnings_left_out != 0)
    state.module.warnings.back().notes.push_back(fmt::format(
        "and {} more line{} like this", state.warnings_left_out, state.warnings_left_out == 1 ? "" : "s"));
  state.module.source = source;
  return std::move(state.module);
}

} // namespace kerncast::ptx
