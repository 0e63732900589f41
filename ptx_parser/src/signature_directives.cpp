#include "signature_directives.h"

#include <algorithm>

#include <fmt/format.h>

#include "constants.h"
#include "debug_info.h"
#include "directives.h"
#include "specifiers.h"
#include "suggestion.h"

namespace kerncast::ptx {
namespace {

constexpr std::uint32_t most_threads = 1U << 30;

// A literal, since these directives take no expressions, of at least `least`.
bool parse_number(State& s, std::string_view what, std::uint32_t least, std::uint32_t& out) {
  constexpr std::uint32_t warp_size = 32;
  const Token at = s.now;
  Constant c;
  if (at.is(TokenKind::word) && at.text == "WARP_SZ") {
    c.value = warp_size;
    s.advance();
  } else if (!at.is(TokenKind::integer))
    return s.error_here(fmt::format("expected a number behind {}, but found {}", what, describe(at)),
                        {"write a number without sign and parentheses"});
  else if (!parse_literal(s, c))
    return false;
  if (c.value < least || c.value > most_threads)
    return s.error(at.place, length_of(at),
                   fmt::format("{} must be a whole number from {} to {}", what, least, most_threads),
                   {"write another number, or leave the directive out"});
  out = static_cast<std::uint32_t>(c.value);
  return true;
}

// One to three numbers; the ones left out are 1.
bool parse_extent(State& s, std::string_view what, std::uint32_t least, std::uint32_t (&out)[3]) {
  for (std::uint32_t& extent : out)
    extent = 1;
  std::size_t i = 0;
  do {
    if (i == 3)
      return s.error_here(fmt::format("{} has at most three dimensions", what),
                          {"write x, y and z, and leave out what is 1"});
    if (!parse_number(s, what, least, out[i++]))
      return false;
  } while (s.accept(','));
  return true;
}

// Names in quotes and numbers, kept as written.
bool parse_languages(State& s, Function& f) {
  constexpr std::int64_t last_language = 10;
  const Token first = s.now;
  Token last;
  do {
    last = s.now;
    Constant number;
    if (!last.is(TokenKind::string) && !last.is(TokenKind::integer))
      return s.error_here(fmt::format("expected a language behind .language, but found {}", describe(last)),
                          {"write for example .language \"cuda c++\""});
    if (last.is(TokenKind::string))
      s.advance();
    else if (!parse_literal(s, number))
      return false;
    if (number.value < 0 || number.value > last_language)
      return s.error(last.place, length_of(last),
                     fmt::format("a language's number must be from 0 to {}", last_language),
                     {"write its name in quotes"});
  } while (s.accept(','));
  const char* const begin = first.text.data() - (first.is(TokenKind::string) ? 1 : 0);
  const char* const end = last.text.data() + last.text.size() + (last.is(TokenKind::string) ? 1 : 0);
  f.languages.emplace_back(begin, static_cast<std::size_t>(end - begin));
  return true;
}

struct AbiDirective {
  std::string_view name;
  bool (*parse)(State&, AbiDirectives&);
};
constexpr AbiDirective abi_directives[] = {
    {"noreturn", [](State&, AbiDirectives& abi) { return abi.is_noreturn = true; }},
    {"abi_preserve",
     [](State& s, AbiDirectives& abi) {
       return parse_number(s, ".abi_preserve", 0, abi.preserved_registers);
     }},
    {"abi_preserve_control", [](State& s, AbiDirectives& abi) {
       return parse_number(s, ".abi_preserve_control", 0, abi.preserved_control_registers);
     }}};

struct SignatureDirective {
  std::string_view name;
  bool (*parse)(State&, Function&);
  bool is_of_kernels = true; // alone
};
constexpr SignatureDirective signature_directives[] = {
    {"maxntid", [](State& s, Function& f) { return parse_extent(s, ".maxntid", 1, f.max_threads); }},
    {"reqntid", [](State& s, Function& f) { return parse_extent(s, ".reqntid", 1, f.required_threads); }},
    {"reqnctapercluster",
     [](State& s, Function& f) { return parse_extent(s, ".reqnctapercluster", 0, f.cluster_ctas); }},
    {"minnctapersm",
     [](State& s, Function& f) { return parse_number(s, ".minnctapersm", 1, f.min_ctas_per_sm); }},
    {"maxnctapersm",
     [](State& s, Function& f) { return parse_number(s, ".maxnctapersm", 1, f.max_ctas_per_sm); }},
    {"maxnreg", [](State& s, Function& f) { return parse_number(s, ".maxnreg", 1, f.max_registers); }},
    {"maxclusterrank",
     [](State& s, Function& f) { return parse_number(s, ".maxclusterrank", 0, f.max_cluster_ctas); }},
    {"explicitcluster", [](State&, Function& f) { return f.is_explicit_cluster = true; }},
    {"blocksareclusters", [](State&, Function& f) { return f.blocks_are_clusters = true; }},
    {"language", parse_languages, false}};

bool unknown_directive(State& s, const Token& at) {
  if (begins_variable(at))
    return s.error(at.place, length_of(at), "expected '{' before the body of a function", {"write '{' here"});
  std::vector<std::string_view> known;
  for (const SignatureDirective& d : signature_directives)
    known.push_back(d.name);
  for (const AbiDirective& d : abi_directives)
    known.push_back(d.name);
  return s.error(at.place, length_of(at), fmt::format("unknown directive '.{}' for a function", at.text),
                 suggestion(at.text, known, ".", "a body in braces or ';' follows the signature"));
}

// Which of a kernel's directives contradict each other, and which needs others.
struct Pair {
  std::string_view one;
  std::string_view other;
};
constexpr Pair exclusive[] = {{"maxntid", "reqntid"}, {"reqnctapercluster", "maxclusterrank"}};
constexpr Pair required[] = {{"blocksareclusters", "reqntid"}, {"blocksareclusters", "reqnctapercluster"}};

const Token* find_token(const std::vector<Token>& directives, std::string_view name) {
  const auto found =
      std::find_if(directives.begin(), directives.end(), [&](const Token& t) { return t.text == name; });
  return found == directives.end() ? nullptr : &*found;
}

// The second of this name.
const Token* find_again(const std::vector<Token>& directives, std::string_view name) {
  const Token* const first = find_token(directives, name);
  if (first == nullptr)
    return nullptr;
  const Token* const end = directives.data() + directives.size();
  const Token* const again = std::find_if(first + 1, end, [&](const Token& t) { return t.text == name; });
  return again == end ? nullptr : again;
}

void check_together(State& s, const std::vector<Token>& directives) {
  for (const Pair& p : exclusive) {
    const Token* const one = find_token(directives, p.one);
    const Token* const other = find_token(directives, p.other);
    if (one != nullptr && other != nullptr) {
      const Token& later = *std::max(one, other); // both lie in `directives`
      s.error(later.place, length_of(later), fmt::format(".{} and .{} contradict each other", p.one, p.other),
              {"leave one of them out"});
    }
  }
  for (const AbiDirective& d : abi_directives)
    if (const Token* const again = find_again(directives, d.name))
      s.error(again->place, length_of(*again), fmt::format("a second .{}", d.name),
              {"a function has one at most"});
  for (const Pair& p : required)
    if (const Token* const one = find_token(directives, p.one);
        one != nullptr && find_token(directives, p.other) == nullptr)
      s.error(one->place, length_of(*one), fmt::format(".{} needs .{}", p.one, p.other),
              {fmt::format("add .{}, or leave .{} out", p.other, p.one)});
}

bool belongs_elsewhere(State& s, const Token& at, const Function& f) {
  return s.error(at.place, length_of(at),
                 fmt::format("'.{}' belongs to a {}", at.text, f.is_entry ? ".func" : "kernel"),
                 {fmt::format("leave it out; '{}' is a {}", f.name, f.is_entry ? "kernel" : ".func")});
}

bool parse_signature_directive(State& s, Function& f) {
  const Token at = s.now;
  s.check_since();
  const SignatureDirective* directive = find_named(signature_directives, at.text);
  const AbiDirective* of_function = find_named(abi_directives, at.text);
  const bool is_pragma = at.text == "pragma";
  if (directive == nullptr && of_function == nullptr && !is_pragma)
    return unknown_directive(s, at);
  const bool is_of_kernels = directive != nullptr ? directive->is_of_kernels : is_pragma;
  if (f.is_entry ? of_function != nullptr : is_of_kernels)
    belongs_elsewhere(s, at, f); // and is read all the same
  if (is_pragma)
    return parse_signature_pragma(s, f);
  s.advance();
  return directive != nullptr ? directive->parse(s, f) : of_function->parse(s, f.abi);
}

} // namespace

bool parse_signature_directives(State& s, Function& f) {
  std::vector<Token> directives;
  while (s.now.is(TokenKind::dot_word)) {
    directives.push_back(s.now);
    if (!parse_signature_directive(s, f))
      return false;
  }
  check_together(s, directives);
  const Token* const never_returns = find_token(directives, "noreturn");
  if (never_returns != nullptr && !f.return_parameters.empty())
    s.error(never_returns->place, length_of(*never_returns),
            fmt::format("'{}' returns a value, but is .noreturn", f.name),
            {"leave .noreturn or the results out"});
  return true;
}

bool parse_prototype_directives(State& s, AbiDirectives& abi) {
  while (s.now.is(TokenKind::dot_word)) {
    const Token at = s.now;
    s.advance();
    const AbiDirective* directive = find_named(abi_directives, at.text);
    if (directive == nullptr)
      return s.error(at.place, length_of(at), fmt::format("'.{}' does not belong in a prototype", at.text),
                     {"only .noreturn, .abi_preserve and .abi_preserve_control may follow a prototype"});
    if (!directive->parse(s, abi))
      return false;
  }
  return true;
}

} // namespace kerncast::ptx
