#include "since.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "words.h"

namespace kerncast::ptx {
namespace {

constexpr std::string_view since_text =
#include "syntax/since.inc"
    ;

struct Line {
  std::vector<std::vector<Modifier>> modifiers; // one of each, in this order
  std::uint32_t version = 0;
  std::string_view version_text;
  std::string_view targets;
};

struct Table {
  std::vector<std::vector<Line>> of_opcode; // by opcode
  std::vector<Line> of_any;                 // *
  std::vector<std::pair<std::string_view, Line>> of_directive;
};

std::uint32_t version_number(std::string_view version) {
  const std::size_t point = version.find('.');
  std::uint32_t parts[2] = {0, 0};
  for (std::size_t i = 0; i < version.size(); ++i)
    if (i != point)
      parts[i > point] = parts[i > point] * 10 + static_cast<std::uint32_t>(version[i] - '0');
  return parts[0] * 100 + parts[1];
}

std::vector<Modifier> modifiers_named(const Names& names) {
  std::vector<Modifier> out;
  for (const std::string_view name : names) {
    const auto modifier = find_modifier(name);
    assert(modifier && "every modifier of since.inc is in modifiers.def");
    out.push_back(*modifier);
  }
  return out;
}

// head  version  target [target ...]
void add_line(Table& table, std::string_view line) {
  const std::size_t targets = line.find(" sm_") + 1;
  const std::size_t version_end = line.find_last_not_of(' ', targets - 1) + 1;
  const std::size_t version = line.rfind(' ', version_end - 1) + 1;
  assert(targets != 0 && version != 0 && "head, version and targets");
  Line out;
  out.targets = line.substr(targets);
  out.version_text = line.substr(version, version_end - version);
  out.version = version_number(out.version_text);
  std::string_view head = line.substr(0, line.find_last_not_of(' ', version - 1) + 1);
  const Names opcodes = take_alternatives(head);
  while (!head.empty()) {
    head.remove_prefix(1); // the dot
    out.modifiers.push_back(modifiers_named(take_alternatives(head)));
  }
  for (const std::string_view opcode : opcodes) {
    if (opcode.front() == '.')
      table.of_directive.emplace_back(opcode.substr(1), out);
    else if (opcode == "*")
      table.of_any.push_back(out);
    else {
      const auto found = find_opcode(opcode);
      assert(found && "every opcode of since.inc is in opcodes.def");
      table.of_opcode[static_cast<std::size_t>(*found)].push_back(out);
    }
  }
}

Table read_table() {
  constexpr std::size_t opcodes = 0
#define KERNCAST_OPCODE(identifier, text) +1
#include "ptx_parser/opcodes.def"
#undef KERNCAST_OPCODE
      ;
  Table table;
  table.of_opcode.resize(opcodes);
  for_each_row(since_text, [&](std::string_view line) { add_line(table, line); });
  return table;
}

const Table& since_table() {
  static const Table table = read_table();
  return table;
}

struct Target {
  std::uint32_t number = 0; // 90 of sm_90a
  char suffix = ' ';        // 'a': this target alone; 'f': its family
};

Target parse_target(std::string_view name) {
  Target out;
  for (const char c : name.substr(std::min(name.find('_'), name.size() - 1) + 1)) {
    if (c >= '0' && c <= '9')
      out.number = out.number * 10 + static_cast<std::uint32_t>(c - '0');
    else
      out.suffix = c;
  }
  return out;
}

bool offers(const Target& have, const Target& want) {
  if (want.suffix == 'a')
    return have.number == want.number && have.suffix == 'a';
  const bool same_family = have.number / 10 == want.number / 10 && have.suffix != ' ';
  return have.number >= want.number && (want.suffix != 'f' || same_family);
}

bool offers_one(std::string_view have, std::string_view targets) {
  const Names wanted = words(targets);
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](std::string_view want) { return offers(parse_target(have), parse_target(want)); });
}

bool applies(const Line& line, std::span<const Modifier> modifiers) {
  std::size_t found = 0;
  for (const Modifier m : modifiers)
    if (found < line.modifiers.size() && std::find(line.modifiers[found].begin(), line.modifiers[found].end(),
                                                   m) != line.modifiers[found].end())
      ++found;
  return found == line.modifiers.size();
}

void add(Lack& lack, const Line& line, const Offer& offer) {
  const std::uint32_t so_far = lack.version.empty() ? offer.version : version_number(lack.version);
  if (line.version > so_far)
    lack.version = line.version_text;
  if (!offer.target.empty() && !offers_one(offer.target, line.targets))
    lack.targets = line.targets; // later lines are the more special ones
}

} // namespace

Lack lack_of(Opcode opcode, std::span<const Modifier> modifiers, const Offer& offer) {
  Lack lack;
  const Table& table = since_table();
  for (const auto* lines : {&table.of_any, &table.of_opcode[static_cast<std::size_t>(opcode)]})
    for (const Line& line : *lines)
      if (applies(line, modifiers))
        add(lack, line, offer);
  return lack;
}

Lack lack_of(std::string_view directive, const Offer& offer) {
  Lack lack;
  for (const auto& [name, line] : since_table().of_directive)
    if (name == directive)
      add(lack, line, offer);
  return lack;
}

std::string message(const Lack& lack, std::string_view feature, const Offer& offer) {
  const std::string version =
      lack.version.empty() ? "" : fmt::format(".version {}.{}", offer.version / 100, offer.version % 100);
  const std::string target = lack.targets.empty() ? "" : fmt::format(".target {}", offer.target);
  const std::string_view both = version.empty() || target.empty() ? "" : " nor of ";
  return fmt::format("'{}' is no part of {}{}{}", feature, version, both, target);
}

std::string next_step(const Lack& lack) {
  const std::string version = lack.version.empty() ? "" : fmt::format(".version {}", lack.version);
  const std::string targets =
      lack.targets.empty() ? "" : fmt::format(".target {}", fmt::join(words(lack.targets), " or "));
  const std::string_view both = version.empty() || targets.empty() ? "" : " and ";
  const bool is_least = lack.targets.empty() || lack.targets.find_first_of("af ") == std::string_view::npos;
  return fmt::format("write {}{}{}{}", version, both, targets, is_least ? " or a later one" : "");
}

} // namespace kerncast::ptx
