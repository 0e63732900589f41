#include "mapping.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/files.h"
#include "json/object_reader.h"

namespace kerncast::app {
namespace {

using json::NodeId;
using json::ValueReader;

template <std::string Mapping::*member> void read_text(ValueReader& reader, NodeId value, Mapping& into) {
  into.*member = reader.string(value, reader.key(value)).value_or("");
}

// The strings of a member whose value is an array.
std::vector<std::string> texts(ValueReader& reader, NodeId value) {
  std::vector<std::string> all;
  if (reader.expect(value, json::Kind::array, reader.key(value)))
    reader.for_each_element(value, [&](NodeId one) {
      if (auto text = reader.string(one, reader.key(value)))
        all.push_back(std::move(*text));
    });
  return all;
}

template <std::vector<std::string> Mapping::*member>
void read_texts(ValueReader& reader, NodeId value, Mapping& into) {
  into.*member = texts(reader, value);
}

// The same for all kernels, or those of each.
void read_arguments(ValueReader& reader, NodeId value, Mapping& into) {
  if (reader.node(value).kind != json::Kind::object) {
    into.arguments = texts(reader, value);
    return;
  }
  reader.for_each_member(value, [&](NodeId key, NodeId list) {
    into.arguments_of[reader.tree().text(key)] = texts(reader, list);
  });
}

void read_gpus(ValueReader& reader, NodeId value, Mapping& into) {
  if (reader.expect(value, json::Kind::object, "gpus"))
    reader.for_each_member(value, [&](NodeId key, NodeId gpu) {
      if (auto name = reader.string(gpu, "a GPU's name"))
        into.gpus[reader.tree().text(key)] = std::move(*name);
    });
}

std::optional<Condition> condition(const std::string& text) {
  const std::size_t at = text.find_first_of("<>");
  if (at == 0 || at == std::string::npos || text.substr(at + 1, 1) != "=")
    return {};
  const std::optional<double> value = csv::number(std::string_view(text).substr(at + 2));
  return value ? std::optional(Condition{text.substr(0, at), text[at] == '<', *value}) : std::nullopt;
}

void read_where(ValueReader& reader, NodeId value, Mapping& into) {
  if (!reader.expect(value, json::Kind::array, "where"))
    return;
  reader.for_each_element(value, [&](NodeId one) {
    const std::optional<std::string> text = reader.string(one, "a condition");
    if (!text)
      return;
    if (const std::optional<Condition> found = condition(*text))
      into.where.push_back(*found);
    else
      reader.error(one, fmt::format("'{}' is no condition", *text),
                   {"write it like \"core_clock_mhz<=2000\""});
  });
}

void read_main(ValueReader& reader, NodeId value, Mapping& into) {
  const std::optional<std::string> text = reader.string(value, "main");
  if (!text)
    return;
  if (*text == name(MainQuantity::cycles))
    into.main = MainQuantity::cycles;
  else if (*text != name(MainQuantity::time))
    reader.error(value, fmt::format("'{}' cannot be the main quantity", *text),
                 {"write \"time\" or \"cycles\""});
}

constexpr json::Field<Mapping> fields[] = {
    {"gpus", json::Need::optional, read_gpus},
    {"ptx", json::Need::optional, read_text<&Mapping::ptx>},
    {"kernel", json::Need::optional, read_text<&Mapping::kernel>},
    {"arguments", json::Need::optional, read_arguments},
    {"branches", json::Need::optional, read_texts<&Mapping::branches>},
    {"registers", json::Need::optional, read_text<&Mapping::registers>},
    {"spill_store_bytes", json::Need::optional, read_text<&Mapping::spill_stores>},
    {"divisions", json::Need::optional, read_text<&Mapping::divisions>},
    {"repeat", json::Need::optional, read_text<&Mapping::repeat>},
    {"l1_hit", json::Need::optional, read_text<&Mapping::l1_hit>},
    {"l2_hit", json::Need::optional, read_text<&Mapping::l2_hit>},
    {"set", json::Need::optional, read_texts<&Mapping::settings>},
    {"where", json::Need::optional, read_where},
    {"main", json::Need::optional, read_main},
};

// Members of the object that a cell holds.
bool add_members(const std::string& text, Facts& facts) {
  if (text.empty())
    return true;
  const nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object())
    return false;
  for (const auto& [key, value] : object.items())
    facts[key] = value.is_string() ? value.get<std::string>() : value.dump();
  return true;
}

} // namespace

std::string_view name(MainQuantity quantity) { return quantity == MainQuantity::time ? "time" : "cycles"; }

Expected<Mapping> read_mapping(const std::string& file) {
  const Expected<SourceText> source = read_source(file);
  if (!source)
    return tl::unexpected(source.error());
  const Expected<json::Tree> tree = json::parse(*source, 0, source->text().size());
  if (!tree)
    return tl::unexpected(tree.error());
  Mapping mapping;
  Diagnostics errors;
  ValueReader reader(*source, *tree, {.hint = "docs/accuracy.md lists the fields"}, errors);
  json::read_object(reader, 0, "a mapping", fields, mapping);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  mapping.folder = std::filesystem::path(file).parent_path().string();
  return mapping;
}

Expected<Facts> facts_of(const csv::Table& table, std::size_t row) {
  Facts facts;
  facts["row"] = fmt::format("{}", row + 1);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const csv::Cell& cell = table.rows[row][c];
    const std::string& name = table.columns[c].text;
    facts[name] = cell.text;
    if ((name == "config" || name == "counters") && !add_members(cell.text, facts))
      return fail(table.error(cell, fmt::format("{} is not a JSON object", name)));
  }
  return facts;
}

Expected<std::string> expand(const std::string& text, const Facts& facts) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', at)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos)
      return fail(fmt::format("'{}' has a brace that is not closed", text), "write {NAME}");
    const std::string name = text.substr(open + 1, close - open - 1);
    const auto fact = facts.find(name);
    if (fact == facts.end())
      return fail(fmt::format("'{}': the row says nothing of '{}'", text, name),
                  "name a column, or a member of config or counters");
    out += text.substr(at, open - at) + fact->second;
    at = close + 1;
  }
  return out + text.substr(at);
}

std::optional<double> number_of(const Facts& facts, std::string_view name) {
  const auto fact = facts.find(name);
  return fact == facts.end() ? std::nullopt : csv::number(fact->second);
}

} // namespace kerncast::app
