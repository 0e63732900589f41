#include "operand_form.h"

#include <algorithm>
#include <cassert>
#include <string>

namespace kerncast::ptx {
namespace {

struct KindRow {
  char letter;
  FormKind kind;
};
constexpr KindRow kinds[] = {{'d', FormKind::destination},  {'p', FormKind::destination},
                             {'q', FormKind::destination},  {'y', FormKind::video_destination},
                             {'x', FormKind::video_source}, {'_', FormKind::sink_only},
                             {'s', FormKind::any_source},   {'r', FormKind::register_only},
                             {'h', FormKind::cache_policy}, {'k', FormKind::mask},
                             {'o', FormKind::offsets},      {'u', FormKind::depth},
                             {'i', FormKind::integer_only}};

FormKind kind_of(char letter) {
  const auto* const found = std::find_if(std::begin(kinds), std::end(kinds),
                                         [&](const KindRow& row) { return row.letter == letter; });
  return found == std::end(kinds) ? FormKind::source : found->kind;
}

std::uint8_t take_number(std::string_view& text) {
  std::uint32_t value = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    value = value * 10 + static_cast<std::uint32_t>(text.front() - '0');
    text.remove_prefix(1);
  }
  return static_cast<std::uint8_t>(value);
}

struct LengthRule {
  std::string_view text;
  std::uint8_t length;
};
constexpr LengthRule length_rules[] = {
    {"v", OperandForm::by_modifier},        {"x", OperandForm::by_count},
    {"2x", OperandForm::twice_by_count},    {"4x", OperandForm::four_times_by_count},
    {"n/2", OperandForm::half_the_columns}, {"n/4", OperandForm::quarter_of_the_columns},
    {"g", OperandForm::by_geometry}};

// Reads `*2`, `*2-4`, `*v` or another rule.
void take_lengths(OperandForm& form, std::string_view& text) {
  text.remove_prefix(1);
  for (const LengthRule& rule : length_rules)
    if (text.starts_with(rule.text)) {
      form.min_length = form.max_length = rule.length;
      text.remove_prefix(rule.text.size());
      return;
    }
  form.min_length = form.max_length = take_number(text);
  if (!text.empty() && text.front() == '-') {
    text.remove_prefix(1);
    form.max_length = take_number(text);
  }
  assert(form.max_length <= OperandForm::longest_vector && "vectors have at most 128 elements");
}

void take_type(OperandForm& form, std::string_view& text) {
  text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_of("~!|{"), text.size());
  const std::string_view type = text.substr(0, end);
  text.remove_prefix(end);
  if (type == "1")
    form.rule = TypeRule::first;
  else if (type == "2")
    form.rule = TypeRule::second;
  else if (type == "w")
    form.rule = TypeRule::wide;
  else if (type == "any")
    form.rule = TypeRule::any;
  else {
    form.rule = TypeRule::fixed;
    form.type = type_of(find_modifier(type).value_or(Modifier::reg));
    assert(form.type != Type::none && "an operand's type is a PTX type");
  }
}

// One suffix: lengths, type, `~`, `!` or a second destination.
void take_suffix(OperandForm& form, std::string_view& text) {
  switch (text.front()) {
  case '*':
    return take_lengths(form, text);
  case ':':
    return take_type(form, text);
  case '~':
    form.wider = true;
    text.remove_prefix(1);
    return;
  case '!':
    form.exact = true;
    text.remove_prefix(1);
    return;
  default:
    assert((text.front() == '|' || text.starts_with("{|")) && "an operand ends with |p or {|p}");
    form.pair = text.front() == '|' ? Pair::required : Pair::allowed;
    text = {};
  }
}

OperandForm operand_form(std::string_view text) {
  OperandForm form;
  if (text.front() == '[') {
    const bool has_coordinates = text.find(',') != std::string_view::npos;
    form.kind = has_coordinates ? FormKind::address_with_coordinates : FormKind::address;
    return form;
  }
  form.negatable = text.front() == '!' || text.front() == '-';
  if (form.negatable)
    text.remove_prefix(1);
  const char letter = text.front();
  form.kind = kind_of(letter);
  text.remove_prefix(1);
  const bool is_predicate = letter == 'p' || letter == 'q';
  if (is_predicate || letter == 'x' || letter == 'y') {
    form.rule = TypeRule::fixed;
    form.type = is_predicate ? Type::pred : Type::u32;
  }
  while (!text.empty())
    take_suffix(form, text);
  return form;
}

// Splits "d, [a, c] {, e:b64}" at commas outside brackets; optional parts keep a leading '?'.
std::vector<std::string> split_operands(std::string_view text) {
  std::vector<std::string> parts(1);
  int brackets = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    brackets += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (text.substr(i).starts_with("{,")) {
      parts.emplace_back("?");
      ++i;
    } else if (c == ',' && brackets == 0)
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

} // namespace

std::vector<OperandForm> read_operand_forms(std::string_view text) {
  std::vector<OperandForm> forms;
  for (std::string_view part : split_operands(text)) {
    if (part.empty())
      continue;
    const bool is_optional = part.front() == '?';
    if (is_optional) { // ?e:b64}
      part.remove_prefix(1);
      part.remove_suffix(1);
    }
    forms.push_back(operand_form(part));
    forms.back().optional = is_optional;
  }
  return forms;
}

} // namespace kerncast::ptx
