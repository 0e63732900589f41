#include "document.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "toml_text.h"
#include "trimmed.h"

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

// A quoted key may be a dotted one: "l2.mib" and l2.mib, which TOML takes for two.
Diagnostics repeated_keys(const Document& document) {
  Diagnostics errors;
  std::map<std::string_view, const Entry*> seen;
  for (const Entry& entry : document.entries)
    if (const auto [first, is_new] = seen.emplace(entry.key, &entry); !is_new)
      errors.push_back(
          error_at_key(entry.origin, fmt::format("{} is stated twice", entry.key),
                       {fmt::format("{} = {} is stated at {}", entry.key, to_text(first->second->value),
                                    describe(first->second->origin)),
                        "leave one of the two out"}));
  return errors;
}

bool is_same_letter(char a, char b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return lower(a) == lower(b);
}

bool begins_with(std::string_view text, std::string_view mark) {
  return text.size() >= mark.size() && std::equal(mark.begin(), mark.end(), text.begin(), is_same_letter);
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// Of "+-33 %", 0.33.
std::optional<double> error_share(std::string_view text) {
  if (!text.starts_with("+-") || !text.ends_with('%'))
    return std::nullopt;
  const std::string_view number = trimmed(text.substr(2, text.size() - 3));
  double percent = 0;
  const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), percent);
  if (failure != std::errc{} || end != number.data() + number.size() || !(percent >= 0 && percent < 100))
    return std::nullopt;
  return percent / 100;
}

// Opening a pipe would wait for its writer.
Expected<void> check_kind(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error || !std::filesystem::exists(status) || std::filesystem::is_regular_file(status) ||
      std::filesystem::is_directory(status))
    return {}; // what cannot be read is said by who reads it
  Diagnostic d;
  d.file = path.string();
  d.message = "a pipe or a device, not a file";
  d.notes = {"write the description into a file"};
  return fail(std::move(d));
}

} // namespace

Basis basis_in_comment(const SourceText& source, Place end_of_value) {
  constexpr std::pair<std::string_view, Evidence> marks[] = {
      {"specified", Evidence::specified}, {"measured", Evidence::measured}, {"guess", Evidence::guess}};
  std::string_view line = source.line(end_of_value.line);
  line.remove_prefix(std::min<std::size_t>(line.size(), std::max(1U, end_of_value.column) - 1));
  const std::size_t hash = line.find('#');
  if (hash == std::string_view::npos)
    return {};
  const std::string_view comment = trimmed(line.substr(hash + 1));
  const std::size_t colon = comment.find(':');
  for (const auto& [mark, evidence] : marks)
    if (colon != std::string_view::npos && begins_with(comment, mark)) {
      const std::string_view error = trimmed(comment.substr(mark.size(), colon - mark.size()));
      if (error.empty() || !is_letter(error.front()))
        return {evidence, std::string(trimmed(comment.substr(colon + 1))), error_share(error)};
    }
  return {Evidence::stated, std::string(comment)};
}

Expected<Document> read_document(const std::filesystem::path& path) {
  if (auto checked = check_kind(path); !checked)
    return tl::unexpected(std::move(checked.error()));
  return read_toml(path).and_then([](const TomlText& text) -> Expected<Document> {
    Flattener flattener(text.source);
    flattener.add_table(text.table, "");
    Document document = flattener.finish();
    if (Diagnostics errors = repeated_keys(document); !errors.empty())
      return tl::unexpected(std::move(errors));
    return document;
  });
}

} // namespace kerncast::configs
