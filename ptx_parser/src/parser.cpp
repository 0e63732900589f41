// The module: version, target and what is declared outside functions (PTX ISA, sections 11.1, 11.6 and 5.4).
#include "ptx_parser/parser.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "debug_info.h"
#include "declarations.h"
#include "functions.h"
#include "recovery.h"
#include "specifiers.h"
#include "state.h"
#include "suggestion.h"

namespace kerncast::ptx {
namespace {

bool parse_version(State& s) {
  s.advance();
  const std::string_view text = s.now.text;
  const std::size_t point = text.find('.');
  const auto is_number = [](std::string_view t) {
    return !t.empty() && t.size() <= 3 && t.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (!s.now.is(TokenKind::real) || !is_number(text.substr(0, point)) || !is_number(text.substr(point + 1)))
    return s.error_here(
        fmt::format("expected a version such as 8.0 after .version, but found {}", describe(s.now)),
        {"a version has the form MAJOR.MINOR"});
  const auto value = [](std::string_view t) {
    std::uint32_t v = 0;
    for (const char c : t)
      v = v * 10 + static_cast<std::uint32_t>(c - '0');
    return v;
  };
  s.module.version_major = value(text.substr(0, point));
  s.module.version_minor = value(text.substr(point + 1));
  s.advance();
  return true;
}

bool parse_target(State& s) {
  s.advance();
  do {
    Token name;
    if (!s.expect_word("a target such as sm_80", name))
      return false;
    constexpr std::string_view options[] = {"texmode_unified", "texmode_independent", "debug",
                                            "map_f64_to_f32"};
    const bool is_option = std::find(std::begin(options), std::end(options), name.text) != std::end(options);
    if (!is_option && !name.text.starts_with("sm_") && !name.text.starts_with("compute_"))
      return s.error(name.place, name.text.size(), fmt::format("unknown target '{}'", name.text),
                     {"a target is written sm_80 or compute_80"});
    if (!is_option && s.module.target.empty())
      s.module.target = name.text;
    else
      s.module.target_options.push_back(name.text);
  } while (s.accept(','));
  return true;
}

bool parse_address_size(State& s) {
  s.advance();
  if (!s.now.is(TokenKind::integer) || (s.now.text != "32" && s.now.text != "64"))
    return s.error_here(fmt::format(".address_size must be 32 or 64, not {}", describe(s.now)),
                        {"write .address_size 64"});
  s.module.address_bits = s.now.text == "32" ? 32 : 64;
  s.module.has_address_size = true;
  s.advance();
  return true;
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
  return s.error_here(fmt::format("unknown directive '.{}'", s.now.text),
                      suggestion(s.now.text, known, ".",
                                 "outside functions stand .entry, .func, variables such as .global and "
                                 ".const, .alias, .pragma, .file and .section"));
}

bool parse_declaration(State& s) {
  Linkage linkage = Linkage::internal;
  for (auto named = linkage_named(s.now); named; named = linkage_named(s.now)) {
    linkage = *named;
    s.check_since();
    s.advance();
  }
  if (s.now.is_directive("entry") || s.now.is_directive("func"))
    return parse_function(s, linkage);
  if (!begins_variable(s.now))
    return unknown_directive(s);
  VariableContext context;
  context.linkage = linkage;
  return parse_variables(s, context, SymbolKind::global, s.module.globals);
}

struct Directive {
  std::string_view name;
  bool (*parse)(State&);
};
constexpr Directive directives[] = {
    {"version", parse_version}, {"target", parse_target}, {"address_size", parse_address_size},
    {"file", parse_file},       {"loc", parse_loc},       {"section", parse_section},
    {"pragma", parse_pragma},   {"alias", parse_alias}};

bool parse_module_statement(State& s) {
  if (s.now.is('@'))
    return parse_old_dwarf(s);
  if (!s.now.is(TokenKind::dot_word))
    return s.error_here(fmt::format("expected a directive such as .entry, but found {}", describe(s.now)),
                        {"outside functions stand .entry, .func, variables such as .global and directives"});
  for (const Directive& d : directives)
    if (s.now.text == d.name)
      return d.parse(s);
  return parse_declaration(s);
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
    const bool begins = linkage_named(s.now) || s.now.is_directive("entry") || s.now.is_directive("func") ||
                        s.now.is_directive("target") || s.now.is_directive("address_size");
    if (begins || (braces == 0 && (s.now.is_directive("global") || s.now.is_directive("const"))))
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

// A module begins with .version and .target.
bool parse_header(State& s) {
  while (s.now.is_directive("file") || s.now.is('@'))
    if (!parse_module_statement(s))
      return false;
  if (!s.now.is_directive("version"))
    return s.error_here("a PTX module begins with .version",
                        {"write for example .version 8.0 in the first line"});
  if (!parse_version(s))
    return false;
  if (!s.now.is_directive("target"))
    return s.error_here("expected .target after .version", {"write for example .target sm_80"});
  return parse_target(s);
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
  if (!parse_header(s))
    skip_module_statement(s);
  s.signatures.set_offer(s.offer());
  while (!s.now.is(TokenKind::end) && !s.stopped) {
    const Token first = s.now;
    if (parse_module_statement(s))
      continue;
    if (s.now.place == first.place)
      s.advance();
    skip_module_statement(s);
    note_misdeclared(s, first);
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
