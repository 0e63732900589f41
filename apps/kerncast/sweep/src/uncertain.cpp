#include "uncertain.h"

#include <algorithm>

#include <fmt/format.h>

namespace kerncast::sweep {
namespace {

constexpr std::string_view error_forms = "write dram.latency = 0.1 for a tenth more or less, or "
                                         "{ error = 0.1, round = 1 }";

bool is_share(const std::optional<double>& error) { return error && *error > 0 && *error < 1; }

std::optional<Uncertain> read_key(Context& context, const toml::node& node) {
  Uncertain uncertain;
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    const std::optional<double> error = number_of(node);
    if (is_share(error)) {
      uncertain.error = *error;
      return uncertain;
    }
    context.error_at(node, "an error is a number above 0 and below 1", std::string(error_forms));
    return std::nullopt;
  }
  std::optional<double> error;
  const Field fields[] = {{"error", "a number above 0 and below 1",
                           [&](const toml::node& value) { return is_share(error = number_of(value)); }},
                          {"round", "a number above 0", [&](const toml::node& value) {
                             uncertain.round = number_of(value);
                             return uncertain.round && *uncertain.round > 0;
                           }}};
  const std::size_t before = context.errors.size();
  read_fields(context, *table, fields, "an uncertain key");
  if (context.errors.size() != before)
    return std::nullopt;
  uncertain.error = *error;
  return uncertain;
}

void read_keys(Context& context, const toml::table& table, const std::string& prefix, SweepFile& sweep) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const toml::table* inner = node.as_table(); inner != nullptr && !inner->contains("error")) {
      read_keys(context, *inner, name + ".", sweep);
      continue;
    }
    const configs::TomlSpan at = configs::toml_span(key.source());
    if (std::ranges::any_of(sweep.uncertain, [&](const Uncertain& other) { return other.key.text == name; }))
      context.error(at, fmt::format("{} is stated twice", name), "leave one of the two out");
    if (std::optional<Uncertain> uncertain = read_key(context, node)) {
      uncertain->key = {name, at.place, at.length};
      sweep.uncertain.push_back(std::move(*uncertain));
    }
  }
}

} // namespace

void read_uncertain(Context& context, const toml::table& table, SweepFile& sweep) {
  read_keys(context, table, "", sweep);
}

} // namespace kerncast::sweep
