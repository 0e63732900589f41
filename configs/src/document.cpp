#include "document.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "toml_text.h"

namespace kerncast::configs {
namespace {

Value value_of_node(const toml::node& node) {
  if (const auto* boolean = node.as_boolean())
    return boolean->get();
  if (const auto* integer = node.as_integer())
    return static_cast<double>(integer->get());
  if (const auto* number = node.as_floating_point())
    return number->get();
  if (const auto* text = node.as_string())
    return text->get();
  if (node.is_array())
    return Unsupported{"an array"};
  return Unsupported{node.is_table() ? "a table" : "a date or time"};
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

class Flattener {
public:
  explicit Flattener(std::shared_ptr<const SourceText> source) { document_.source = std::move(source); }

  void add_table(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      const toml::table* inner = node.as_table();
      if (inner != nullptr && !inner->empty())
        add_table(*inner, name + ".");
      else
        add_value(name, key, node);
    }
  }

  Document finish() {
    std::stable_sort(document_.entries.begin(), document_.entries.end(), [](const Entry& a, const Entry& b) {
      const Place &p = a.origin.key.place, &q = b.origin.key.place;
      return std::pair(p.line, p.column) < std::pair(q.line, q.column);
    });
    return std::move(document_);
  }

private:
  void add_value(const std::string& name, const toml::key& key, const toml::node& node) {
    const toml::source_region& region = node.source();
    const Place end{static_cast<std::uint32_t>(region.end.line),
                    static_cast<std::uint32_t>(region.end.column)};
    Entry entry{name,
                value_of_node(node),
                {document_.source, span_of(key.source()), span_of(region)},
                basis_in_comment(*document_.source, end)};
    if (name == "inherits")
      document_.inherits = std::move(entry);
    else
      document_.entries.push_back(std::move(entry));
  }

  Document document_;
};

} // namespace

Basis basis_in_comment(const SourceText& source, Place end_of_value) {
  constexpr std::pair<std::string_view, Evidence> marks[] = {
      {"specified:", Evidence::specified}, {"measured:", Evidence::measured}, {"guess:", Evidence::guess}};
  std::string_view line = source.line(end_of_value.line);
  line.remove_prefix(std::min<std::size_t>(line.size(), std::max(1U, end_of_value.column) - 1));
  const std::size_t hash = line.find('#');
  if (hash == std::string_view::npos)
    return {};
  const std::string_view comment = trimmed(line.substr(hash + 1));
  for (const auto& [mark, evidence] : marks)
    if (comment.starts_with(mark))
      return {evidence, std::string(trimmed(comment.substr(mark.size())))};
  return {Evidence::stated, std::string(comment)};
}

Expected<Document> read_document(const std::filesystem::path& path) {
  return read_toml(path).map([](const TomlText& text) {
    Flattener flattener(text.source);
    flattener.add_table(text.table, "");
    return flattener.finish();
  });
}

} // namespace kerncast::configs
