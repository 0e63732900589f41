// Reads the rows of syntax/*.inc. A mistake in a row is ours: an assert.
#include "syntax_table.h"

#include <cassert>
#include <map>
#include <string>

#include "operand_form.h"
#include "words.h"

namespace kerncast::ptx {
namespace {

constexpr std::string_view chapters[] = {
#include "syntax/arithmetic.inc"
    ,
#include "syntax/data_movement.inc"
    ,
#include "syntax/control_and_sync.inc"
    ,
#include "syntax/texture_and_video.inc"
    ,
#include "syntax/matrix.inc"
};

class TableBuilder {
public:
  TableBuilder() : rows_by_opcode_(std::size(opcode_count)) {}
  void add_chapter(std::string_view text);
  SyntaxTable finish();

private:
  void add_row(std::string_view line);
  void add_set(std::string_view line);
  Range head_slots(std::string_view head);
  Range alternatives(std::string_view& head);
  Range operand_forms(std::string_view text);

  static constexpr char opcode_count[] = {
#define KERNCAST_OPCODE(identifier, text) 0,
#include "ptx_parser/opcodes.def"
#undef KERNCAST_OPCODE
  };
  SyntaxTable table_;
  std::map<std::string_view, std::vector<std::string_view>> sets_;
  std::vector<std::vector<Row>> rows_by_opcode_;
};

void TableBuilder::add_chapter(std::string_view text) {
  for_each_row(text, [this](std::string_view line) {
    if (line.front() == '<')
      add_set(line);
    else
      add_row(line);
  });
}

void TableBuilder::add_set(std::string_view line) {
  const std::size_t close = line.find('>');
  const std::size_t equals = line.find('=');
  assert(close != std::string_view::npos && equals != std::string_view::npos && "<set> = a b c");
  sets_[line.substr(1, close - 1)] = words(line.substr(equals + 1));
}

// Reads `x`, `[x y]` or `<set>` behind a dot and removes it from `head`.
Range TableBuilder::alternatives(std::string_view& head) {
  std::vector<std::string_view> names;
  std::size_t used = 0;
  if (head.front() == '[') {
    used = head.find(']') + 1;
    names = words(head.substr(1, used - 2));
  } else if (head.front() == '<') {
    used = head.find('>') + 1;
    assert(sets_.contains(head.substr(1, used - 2)) && "a set is defined above the row that uses it");
    names = sets_[head.substr(1, used - 2)];
  } else {
    used = std::min(head.find_first_of(".{}"), head.size());
    names = {head.substr(0, used)};
  }
  const auto begin = static_cast<std::uint32_t>(table_.alternatives.size());
  for (const std::string_view name : names) {
    const auto modifier = find_modifier(name);
    assert(modifier && "every modifier of a row is in modifiers.def");
    table_.alternatives.push_back(*modifier);
  }
  head.remove_prefix(used);
  return {begin, static_cast<std::uint32_t>(names.size())};
}

Range TableBuilder::head_slots(std::string_view head) {
  const auto begin = static_cast<std::uint32_t>(table_.slots.size());
  std::uint8_t groups = 0;
  std::uint8_t group = 0;
  while (!head.empty()) {
    const char c = head.front();
    head.remove_prefix(1);
    if (c == '{')
      group = ++groups;
    else if (c == '}')
      group = 0;
    else if (c == '.')
      table_.slots.push_back({alternatives(head), group});
    else
      assert(false && "a head consists of .modifier, {...}");
  }
  return {begin, static_cast<std::uint32_t>(table_.slots.size()) - begin};
}

Range TableBuilder::operand_forms(std::string_view text) {
  const auto begin = static_cast<std::uint32_t>(table_.forms.size());
  for (const OperandForm& form : read_operand_forms(text))
    table_.forms.push_back(form);
  return {begin, static_cast<std::uint32_t>(table_.forms.size()) - begin};
}

// The first space outside [x y].
std::size_t end_of_head(std::string_view line, std::size_t at) {
  for (bool in_brackets = false; at < line.size() && (in_brackets || line[at] != ' '); ++at)
    in_brackets = line[at] == '[' || (in_brackets && line[at] != ']');
  return at;
}

void TableBuilder::add_row(std::string_view line) {
  std::vector<std::string_view> opcodes;
  std::size_t head_begin = 0;
  if (line.front() == '[') {
    head_begin = line.find(']') + 1;
    opcodes = words(line.substr(1, head_begin - 2));
  } else {
    head_begin = std::min(line.find_first_of(".{ "), line.size());
    opcodes = {line.substr(0, head_begin)};
  }
  const std::size_t head_end = end_of_head(line, head_begin);
  const std::size_t operands_begin = line.find_first_not_of(' ', head_end);
  const std::string_view operands =
      operands_begin == std::string_view::npos ? std::string_view() : line.substr(operands_begin);
  Row row;
  row.text = line;
  row.slots = head_slots(line.substr(head_begin, head_end - head_begin));
  row.own_operands = operands == "...";
  if (!row.own_operands)
    row.forms = operand_forms(operands);
  for (const std::string_view opcode : opcodes) {
    const auto found = find_opcode(opcode);
    assert(found && "every opcode of a row is in opcodes.def");
    row.opcode = *found;
    rows_by_opcode_[static_cast<std::size_t>(*found)].push_back(row);
  }
}

SyntaxTable TableBuilder::finish() {
  for (const std::vector<Row>& rows : rows_by_opcode_) {
    table_.rows_of.push_back(
        {static_cast<std::uint32_t>(table_.rows.size()), static_cast<std::uint32_t>(rows.size())});
    table_.rows.insert(table_.rows.end(), rows.begin(), rows.end());
  }
  return std::move(table_);
}

} // namespace

const SyntaxTable& syntax_table() {
  static const SyntaxTable table = [] {
    TableBuilder builder;
    for (const std::string_view chapter : chapters)
      builder.add_chapter(chapter);
    return builder.finish();
  }();
  return table;
}

Type register_type(Modifier modifier) {
  switch (modifier) {
  case Modifier::u16x2:
  case Modifier::s16x2:
  case Modifier::u8x4:
  case Modifier::s8x4:
  case Modifier::e4m3x4:
  case Modifier::e5m2x4:
    return Type::b32;
  case Modifier::e4m3x2:
  case Modifier::e5m2x2:
    return Type::b16;
  case Modifier::e4m3:
  case Modifier::e5m2:
    return Type::b8;
  default:
    return type_of(modifier);
  }
}

} // namespace kerncast::ptx
