// Reads syntax/combinations.inc. A mistake in it is ours: an assert.
#include "combinations.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "words.h"

namespace kerncast::ptx {
namespace {

constexpr std::string_view combinations_text =
#include "syntax/combinations.inc"
    ;

struct Part {
  std::vector<Modifier> alternatives;
  bool is_ordered = false; // behind the part before
};

struct Rule {
  std::vector<Part> parts;
  std::vector<Modifier> needed; // one of them; none: the parts never go together
  std::uint32_t since = 0;      // version, 104 for 1.4
};

Modifier modifier_named(std::string_view name) {
  const auto modifier = find_modifier(name);
  assert(modifier && "every modifier of combinations.inc is in modifiers.def");
  return *modifier;
}

bool is_version(std::string_view word) {
  return word.size() == 3 && word[0] >= '1' && word[0] <= '9' && word[1] == '.';
}

void read_requirement(Rule& rule, std::string_view requirement) {
  const Names list = words(requirement);
  assert((list.front() == "never" || list.front() == "needs") && "a line says `never` or `needs`");
  for (const std::string_view word : std::span(list).subspan(1)) {
    if (is_version(word))
      rule.since = static_cast<std::uint32_t>((word[0] - '0') * 100 + (word[2] - '0'));
    else
      rule.needed.push_back(modifier_named(word));
  }
}

using Rules = std::vector<std::vector<Rule>>; // by opcode

void add_line(Rules& rules, std::string_view line) {
  const std::size_t verdict = std::min(line.find(" never"), line.find(" needs "));
  assert(verdict != std::string_view::npos && "a line says `never` or `needs`");
  std::string_view head = line.substr(0, line.find_last_not_of(' ', verdict) + 1);
  const Names opcodes = take_alternatives(head);
  Rule rule;
  while (!head.empty()) {
    Part part;
    part.is_ordered = head.front() == '.';
    head.remove_prefix(1);
    for (const std::string_view name : take_alternatives(head))
      part.alternatives.push_back(modifier_named(name));
    rule.parts.push_back(std::move(part));
  }
  read_requirement(rule, line.substr(verdict));
  for (const std::string_view opcode : opcodes) {
    const auto found = find_opcode(opcode);
    assert(found && "every opcode of combinations.inc is in opcodes.def");
    rules[static_cast<std::size_t>(*found)].push_back(rule);
  }
}

Rules read_rules() {
  constexpr std::size_t opcodes = 0
#define KERNCAST_OPCODE(identifier, text) +1
#include "ptx_parser/opcodes.def"
#undef KERNCAST_OPCODE
      ;
  Rules rules(opcodes);
  for_each_row(combinations_text, [&](std::string_view line) { add_line(rules, line); });
  return rules;
}

// The modifiers that the parts name from `part` on, ordered ones behind `at`; false if some part has none.
bool applies(std::span<const Part> parts, std::span<const Modifier> modifiers, std::size_t at,
             std::vector<Modifier>& found) {
  if (parts.empty())
    return true;
  for (std::size_t i = parts.front().is_ordered ? at : 0; i < modifiers.size(); ++i) {
    if (std::find(parts.front().alternatives.begin(), parts.front().alternatives.end(), modifiers[i]) ==
        parts.front().alternatives.end())
      continue;
    found.push_back(modifiers[i]);
    if (applies(parts.subspan(1), modifiers, i + 1, found))
      return true;
    found.pop_back();
  }
  return false;
}

std::vector<std::string> with_dots(std::span<const Modifier> modifiers) {
  std::vector<std::string> out;
  for (const Modifier m : modifiers)
    out.push_back(fmt::format(".{}", name(m)));
  return out;
}

SignatureError lacks(std::string_view opcode, const Rule& rule) {
  const std::vector<std::string> names = with_dots(rule.needed);
  return {names.size() == 1 ? fmt::format("'{}' lacks {}", opcode, names.front())
                            : fmt::format("'{}' needs one of {}", opcode, fmt::join(names, " ")),
          {names.size() == 1 ? "add it to the instruction's modifiers"
                             : "add one of them to the instruction's modifiers"},
          0,
          opcode.size()};
}

SignatureError excluded(std::string_view opcode, std::span<const Modifier> found) {
  return {fmt::format("{} do not go together in '{}'", fmt::join(with_dots(found), " and "), opcode),
          {"leave one of them out, or write another in its place"},
          0,
          opcode.size()};
}

} // namespace

std::optional<SignatureError> wrong_combination(std::string_view opcode_text, Opcode opcode,
                                                std::span<const Modifier> modifiers, std::uint32_t version) {
  static const Rules rules = read_rules();
  for (const Rule& rule : rules[static_cast<std::size_t>(opcode)]) {
    std::vector<Modifier> found;
    if (version < rule.since || !applies(rule.parts, modifiers, 0, found))
      continue;
    if (rule.needed.empty())
      return excluded(opcode_text, found);
    if (std::find_first_of(modifiers.begin(), modifiers.end(), rule.needed.begin(), rule.needed.end()) ==
        modifiers.end())
      return lacks(opcode_text, rule);
  }
  return std::nullopt;
}

} // namespace kerncast::ptx
