#include "axes.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "support/suggest.h"

namespace kerncast::sweep {
namespace {

using Span = configs::TomlSpan;

constexpr std::string_view axis_forms =
    "write [1, 2, 3], { from = 1, to = 8, steps = 4 } or { expression = \"2 * sms\" }";
constexpr std::string_view words[] = {"from", "to",     "steps",      "scale",
                                      "with", "values", "expression", "round"};

// One line of the table.
struct Line {
  AxisKey axis_key;
  std::size_t steps = 0;
  std::optional<Text> with;
};

bool is_leaf(const toml::node& node) {
  const toml::table* table = node.as_table();
  return table == nullptr || table->empty() ||
         std::any_of(table->begin(), table->end(), [](const auto& entry) {
           return std::find(std::begin(words), std::end(words), entry.first.str()) != std::end(words);
         });
}

class AxisReader {
public:
  AxisReader(Context& context, SweepFile& sweep) : context_(context), sweep_(sweep) {}

  void add(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      if (!is_leaf(node)) {
        add(*node.as_table(), name + ".");
        continue;
      }
      const Span at = configs::toml_span(key.source());
      if (lines_.contains(name)) {
        context_.error(at, fmt::format("{} is stated twice", name), "leave one of the two out");
        continue;
      }
      Line line;
      line.axis_key.key = {name, at.place, at.length};
      if (read_line(node, line))
        lines_.emplace(name, std::move(line));
    }
  }

  void finish() {
    std::map<std::string, std::size_t> axis_of;
    for (auto& [name, line] : lines_) {
      if (line.axis_key.expression) {
        sweep_.computed.push_back(std::move(line.axis_key));
      } else if (!line.with) {
        axis_of[name] = sweep_.axes.size();
        const bool continuous = line.axis_key.range.has_value();
        sweep_.axes.push_back({{std::move(line.axis_key)}, line.steps, continuous});
      }
    }
    for (auto& [name, line] : lines_)
      if (line.with)
        link(line, axis_of);
  }

private:
  bool read_line(const toml::node& node, Line& line) {
    if (const toml::array* list = node.as_array())
      return read_values(*list, line);
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      context_.error_at(node, fmt::format("{} is no axis", line.axis_key.key.text), std::string(axis_forms));
      return false;
    }
    return read_table(*table, line);
  }

  bool read_values(const toml::array& list, Line& line) {
    for (const toml::node& element : list) {
      std::optional<Text> value = value_of(element);
      if (!value) {
        context_.error_at(element, "no value of a key", "write numbers, true, false or texts in quotes");
        return false;
      }
      for (const Text& other : line.axis_key.values)
        if (other.text == value->text && !line.with) {
          context_.error_at(element, fmt::format("the value {} is stated twice", value->text),
                            "leave one of the two out");
          return false;
        }
      line.axis_key.values.push_back(std::move(*value));
    }
    line.steps = line.axis_key.values.size();
    if (line.steps == 0)
      context_.error_at(list, "an axis without values", std::string(axis_forms));
    return line.steps != 0;
  }

  bool read_table(const toml::table& table, Line& line) {
    AxisKey& key = line.axis_key;
    std::optional<double> from, to;
    std::optional<Text> scale, expression;
    const toml::array* values = nullptr;
    const auto number = [](std::optional<double>& out) {
      return [&out](const toml::node& node) { return (out = number_of(node)).has_value(); };
    };
    const auto text = [](std::optional<Text>& out) {
      return [&out](const toml::node& node) { return (out = text_of(node)).has_value(); };
    };
    const Field fields[] = {
        {"from", "a number", number(from)},
        {"to", "a number", number(to)},
        {"steps", "a whole number from 2 to 1000000",
         [&](const toml::node& node) {
           line.steps = count_of(node).value_or(0);
           return line.steps >= 2 && line.steps <= most_points;
         }},
        {"scale", "\"linear\" or \"geometric\"",
         [&](const toml::node& node) {
           scale = text_of(node);
           return scale && (scale->text == "linear" || scale->text == "geometric");
         }},
        {"round", "a number above 0",
         [&](const toml::node& node) {
           key.round = number_of(node);
           return key.round && *key.round > 0;
         }},
        {"with", "a text, the key of another axis", text(line.with)},
        {"values", "a list", [&](const toml::node& node) { return (values = node.as_array()) != nullptr; }},
        {"expression", "a text", text(expression)}};
    const std::size_t before = context_.errors.size();
    read_fields(context_, table, fields, "an axis");
    if (context_.errors.size() != before)
      return false;
    if ((values != nullptr) + expression.has_value() + (from || to) != 1) {
      context_.error_at(table, "an axis is a list, a range or an expression", std::string(axis_forms));
      return false;
    }
    if (values != nullptr)
      return read_values(*values, line);
    return expression ? read_expression(table, *expression, line) : read_range(table, from, to, scale, line);
  }

  bool read_expression(const toml::table& table, const Text& text, Line& line) {
    if (line.with || line.steps != 0) {
      context_.error_at(table, "an expression follows from other keys by itself", "leave out with and steps");
      return false;
    }
    Expected<Expression> expression = parse_expression(*context_.source, text.place, text.text);
    if (!expression) {
      context_.errors.insert(context_.errors.end(), expression.error().begin(), expression.error().end());
      return false;
    }
    if (expression->is_condition) {
      context_.error({text.place, text.length}, "a condition, where a key needs a number",
                     "conditions belong to [constraints]");
      return false;
    }
    line.axis_key.expression = std::move(*expression);
    return true;
  }

  bool read_range(const toml::table& table, std::optional<double> from, std::optional<double> to,
                  const std::optional<Text>& scale, Line& line) {
    const bool geometric = scale && scale->text == "geometric";
    if (!from || !to) {
      context_.error_at(table, "a range needs from and to", std::string(axis_forms));
      return false;
    }
    if (*from == *to || (geometric && (*from <= 0 || *to <= 0))) {
      context_.error_at(table,
                        *from == *to ? "a range of one value" : "a geometric range from or to 0 or below",
                        *from == *to ? "leave the key out of [axes], or write a list of one value"
                                     : "write scale = \"linear\", or begin above 0");
      return false;
    }
    line.axis_key.range = Range{*from, *to, geometric};
    return true;
  }

  void link(Line& line, const std::map<std::string, std::size_t>& axis_of) {
    const auto found = axis_of.find(line.with->text);
    if (found == axis_of.end()) {
      std::vector<std::string> names;
      for (const auto& [name, index] : axis_of)
        names.push_back(name);
      const std::string near = nearest(line.with->text, names);
      context_.error({line.with->place, line.with->length}, fmt::format("no axis '{}'", line.with->text),
                     near.empty() ? "name a key of [axes] that has values of its own"
                                  : fmt::format("did you mean '{}'?", near));
      return;
    }
    Axis& axis = sweep_.axes[found->second];
    const bool range = line.axis_key.range.has_value();
    if (range != axis.continuous || (line.steps != axis.steps && !(range && line.steps == 0))) {
      const Text& key = line.axis_key.key;
      context_.error({key.place, key.length},
                     fmt::format("{} has {}, but {} has {}", key.text, told(line.steps, range),
                                 line.with->text, told(axis.steps, axis.continuous)),
                     "axes that move together are both lists of as many values, or both ranges");
      return;
    }
    axis.keys.push_back(std::move(line.axis_key));
  }

  static std::string told(std::size_t steps, bool range) {
    return range ? (steps == 0 ? "a range" : fmt::format("a range of {} steps", steps))
                 : fmt::format("{} values", steps);
  }

  Context& context_;
  SweepFile& sweep_;
  std::map<std::string, Line> lines_; // by key
};

} // namespace

void read_axes(Context& context, const toml::table& table, SweepFile& sweep) {
  AxisReader reader(context, sweep);
  reader.add(table, "");
  reader.finish();
}

} // namespace kerncast::sweep
