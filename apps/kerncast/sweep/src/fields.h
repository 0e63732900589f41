// Tables of a sweep file by tables of the fields they may have: what else stands in them is an error.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "configs/toml_text.h"
#include "sweep/sweep_file.h"

namespace kerncast::sweep {

struct Field {
  std::string_view name;
  std::string_view form;                       // "a text", "a list of texts", as messages say it
  std::function<bool(const toml::node&)> read; // whether the node has that form
};

// What the readers of one file share.
struct Context {
  std::shared_ptr<const SourceText> source;
  Diagnostics errors;

  void error(const configs::TomlSpan& at, std::string message, std::string note);
  void error_at(const toml::node& node, std::string message, std::string note);
};

void read_fields(Context& context, const toml::table& table, std::span<const Field> fields,
                 std::string_view what);

// A text with the place of its first character, behind the quote.
std::optional<Text> text_of(const toml::node& node);
std::optional<double> number_of(const toml::node& node);
// A whole number from 0 on.
std::optional<std::uint64_t> count_of(const toml::node& node);
// A value of a list as --set would state it.
std::optional<Text> value_of(const toml::node& node);
// All of the texts of a list; nothing if it is no list of texts.
std::optional<std::vector<Text>> texts_of(const toml::node& node);

} // namespace kerncast::sweep
