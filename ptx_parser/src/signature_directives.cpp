#include "signature_directives.h"

#include <algorithm>

#include <fmt/format.h>

#include "constants.h"
#include "debug_info.h"
#include "suggestion.h"

namespace kerncast::ptx {
namespace {

constexpr std::uint64_t most_threads = 1U << 30;

bool parse_number(State& s, std::string_view what, std::uint32_t& out) {
  std::uint64_t value = 0;
  if (!parse_unsigned(s, what, most_threads, value))
    return false;
  out = static_cast<std::uint32_t>(value);
  return true;
}

// One to three numbers; the ones left out are 1.
bool parse_extent(State& s, std::string_view what, std::uint32_t (&out)[3]) {
  for (std::uint32_t& extent : out)
    extent = 1;
  std::size_t i = 0;
  do {
    if (i == 3)
      return s.error_here(fmt::format("{} has at most three dimensions", what),
                          {"write x, y and z, and leave out what is 1"});
    if (!parse_number(s, what, out[i++]))
      return false;
  } while (s.accept(','));
  return true;
}

struct AbiDirective {
  std::string_view name;
  bool (*parse)(State&, AbiDirectives&);
};
constexpr AbiDirective abi_directives[] = {
    {"noreturn", [](State&, AbiDirectives& abi) { return abi.is_noreturn = true; }},
    {"abi_preserve",
     [](State& s, AbiDirectives& abi) { return parse_number(s, ".abi_preserve", abi.preserved_registers); }},
    {"abi_preserve_control", [](State& s, AbiDirectives& abi) {
       return parse_number(s, ".abi_preserve_control", abi.preserved_control_registers);
     }}};

struct SignatureDirective {
  std::string_view name;
  bool (*parse)(State&, Function&);
};
constexpr SignatureDirective signature_directives[] = {
    {"maxntid", [](State& s, Function& f) { return parse_extent(s, ".maxntid", f.max_threads); }},
    {"reqntid", [](State& s, Function& f) { return parse_extent(s, ".reqntid", f.required_threads); }},
    {"reqnctapercluster",
     [](State& s, Function& f) { return parse_extent(s, ".reqnctapercluster", f.cluster_ctas); }},
    {"minnctapersm",
     [](State& s, Function& f) { return parse_number(s, ".minnctapersm", f.min_ctas_per_sm); }},
    {"maxnctapersm",
     [](State& s, Function& f) { return parse_number(s, ".maxnctapersm", f.max_ctas_per_sm); }},
    {"maxnreg", [](State& s, Function& f) { return parse_number(s, ".maxnreg", f.max_registers); }},
    {"maxclusterrank",
     [](State& s, Function& f) { return parse_number(s, ".maxclusterrank", f.max_cluster_ctas); }},
    {"explicitcluster", [](State&, Function& f) { return f.is_explicit_cluster = true; }},
    {"blocksareclusters", [](State&, Function& f) { return f.blocks_are_clusters = true; }},
    {"unified", [](State&, Function& f) { return f.is_unified = true; }}};

template <class Entry, std::size_t N> const Entry* find(const Entry (&table)[N], std::string_view name) {
  const auto* const found = std::find_if(table, table + N, [&](const Entry& e) { return e.name == name; });
  return found == table + N ? nullptr : found;
}

bool unknown_directive(State& s, const Token& at) {
  std::vector<std::string_view> known;
  for (const SignatureDirective& d : signature_directives)
    known.push_back(d.name);
  for (const AbiDirective& d : abi_directives)
    known.push_back(d.name);
  return s.error(at.place, length_of(at), fmt::format("unknown directive '.{}' for a function", at.text),
                 suggestion(at.text, known, ".", "a body in braces or ';' follows the signature"));
}

bool parse_signature_directive(State& s, Function& f) {
  const Token at = s.now;
  s.check_since();
  if (at.text == "pragma")
    return parse_signature_pragma(s, f);
  s.advance();
  if (const SignatureDirective* directive = find(signature_directives, at.text); directive != nullptr)
    return directive->parse(s, f);
  const AbiDirective* abi = find(abi_directives, at.text);
  return abi != nullptr ? abi->parse(s, f.abi) : unknown_directive(s, at);
}

} // namespace

bool parse_signature_directives(State& s, Function& f) {
  while (s.now.is(TokenKind::dot_word))
    if (!parse_signature_directive(s, f))
      return false;
  return true;
}

bool parse_prototype_directives(State& s, AbiDirectives& abi) {
  while (s.now.is(TokenKind::dot_word)) {
    const Token at = s.now;
    s.advance();
    const AbiDirective* directive = find(abi_directives, at.text);
    if (directive == nullptr)
      return s.error(at.place, length_of(at), fmt::format("'.{}' does not belong in a prototype", at.text),
                     {"only .noreturn, .abi_preserve and .abi_preserve_control may follow a prototype"});
    if (!directive->parse(s, abi))
      return false;
  }
  return true;
}

} // namespace kerncast::ptx
