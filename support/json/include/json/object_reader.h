// Objects with known fields: a table says name, whether it must be there, and who reads the value.
// Unknown, repeated and missing fields are errors at their places; so are values of the wrong kind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/tree.h"

namespace kerncast::json {

struct Bounds {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
};

struct ErrorOptions {
  std::string_view hint; // the note of errors that have none of their own; outlives the reader
  std::size_t limit = 0; // 0: all errors are wanted
};

// Reads values of one tree and collects what is wrong with them.
class ValueReader {
public:
  ValueReader(const SourceText& source, const Tree& tree, ErrorOptions options, Diagnostics& errors)
      : source_(source), tree_(tree), options_(options), errors_(errors) {}

  const Tree& tree() const { return tree_; }
  const Node& node(NodeId id) const { return tree_.nodes[id]; }
  Place place(NodeId id) const { return source_.place(node(id).begin); }
  // The key of a member's value.
  const std::string& key(NodeId value) const { return tree_.text(value - 1); }
  // What stands there: a number as it is written, "an object".
  std::string found(NodeId id) const;
  // No more errors are wanted.
  bool full() const { return options_.limit != 0 && errors_.size() >= options_.limit; }

  void error(NodeId id, std::string message, std::vector<std::string> notes = {});
  // "`what` must be ..., not ...".
  bool expect(NodeId id, Kind kind, std::string_view what);
  void missing(NodeId object, std::string_view what, std::string_view field);
  void unknown_name(NodeId id, std::string_view what, std::span<const std::string_view> known);

  std::optional<std::uint64_t> natural(NodeId id, std::string_view what, Bounds bounds);
  std::optional<double> real(NodeId id, std::string_view what, double least, double most);
  std::optional<bool> boolean(NodeId id, std::string_view what);
  std::optional<std::string> string(NodeId id, std::string_view what); // not empty

  // Calls f(value) or f(key, value) for the children.
  template <class F> void for_each_element(NodeId array, F&& f) {
    for (NodeId i = array + 1; i < node(array).after && !full(); i = node(i).after)
      f(i);
  }
  template <class F> void for_each_member(NodeId object, F&& f) {
    for (NodeId i = object + 1; i < node(object).after && !full(); i = node(i + 1).after)
      f(i, NodeId{i + 1});
  }
  void refuse_repeated_keys(NodeId object);

private:
  const SourceText& source_;
  const Tree& tree_;
  ErrorOptions options_;
  Diagnostics& errors_;
};

enum class Need : std::uint8_t { optional, required };
// What becomes of fields that a table does not have.
enum class Others : std::uint8_t { refused, ignored };

// `read` of a field that is known and means nothing here, or that has been read before.
template <class T> void read_nothing(ValueReader&, NodeId, T&) {}

template <class T> struct Field {
  std::string_view name;
  Need need;
  void (*read)(ValueReader& reader, NodeId value, T& into);
};

// The values of the fields, in the table's order; 0 (the document, never a field) where one is absent.
std::vector<NodeId> find_fields(ValueReader& reader, NodeId object, std::string_view what,
                                std::span<const std::string_view> names, std::span<const Need> needs,
                                Others others);

// The values of the table's fields; empty, with an error, if it is no object.
template <class T, std::size_t n>
std::vector<NodeId> find_fields(ValueReader& reader, NodeId object, std::string_view what,
                                const Field<T> (&fields)[n], Others others = Others::refused) {
  if (!reader.expect(object, Kind::object, what))
    return {};
  std::vector<std::string_view> names;
  std::vector<Need> needs;
  for (const Field<T>& field : fields) {
    names.push_back(field.name);
    needs.push_back(field.need);
  }
  return find_fields(reader, object, what, names, needs, others);
}

// Reads an object in the order of its table, whatever the order in the file.
template <class T, std::size_t n>
void read_object(ValueReader& reader, NodeId object, std::string_view what, const Field<T> (&fields)[n],
                 T& into, Others others = Others::refused) {
  const std::vector<NodeId> values = find_fields(reader, object, what, fields, others);
  for (std::size_t i = 0; i < values.size() && !reader.full(); ++i)
    if (values[i] != 0)
      fields[i].read(reader, values[i], into);
}

// The row whose name the value states; null, with an error, if it states none of them.
template <class Row, std::size_t n>
const Row* named_row(ValueReader& reader, NodeId value, std::string_view what, const Row (&rows)[n]) {
  if (!reader.expect(value, Kind::string, what))
    return nullptr;
  for (const Row& row : rows)
    if (row.name == reader.tree().text(value))
      return &row;
  std::vector<std::string_view> names;
  for (const Row& row : rows)
    names.push_back(row.name);
  reader.unknown_name(value, what, names);
  return nullptr;
}

// The row that one field of the object chooses; null, with an error, if it is missing or states none of them.
template <class Row, std::size_t n>
const Row* choose_row(ValueReader& reader, NodeId object, std::string_view object_name,
                      std::string_view field, std::string_view what, const Row (&rows)[n]) {
  if (!reader.expect(object, Kind::object, object_name))
    return nullptr;
  NodeId value = 0;
  reader.for_each_member(object, [&](NodeId key, NodeId member) {
    if (value == 0 && reader.tree().text(key) == field)
      value = member;
  });
  if (value != 0)
    return named_row(reader, value, what, rows);
  reader.missing(object, object_name, field);
  return nullptr;
}

} // namespace kerncast::json
