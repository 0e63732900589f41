// "buffers": {"temp": {"bytes": 4194304, "init": {"kind": "random", "type": "f32", "seed": 1}}}
// "variables": {"table": {"bytes": 256, "init": {"kind": "iota"}}}
#include <limits>

#include <fmt/format.h>

#include "application/read.h"
#include "parts.h"

namespace kerncast::application {
namespace {

constexpr double any_real = std::numeric_limits<double>::max();

void read_type(ValueReader& reader, NodeId value, Buffer& into) {
  if (!reader.expect(value, json::Kind::string, "type"))
    return;
  into.contents.type = find_element_type(reader.tree().text(value));
  if (!into.contents.type)
    reader.unknown_name(value, "element type", element_type_names);
}

void read_seed(ValueReader& reader, NodeId value, Buffer& into) {
  into.contents.seed = reader.natural(value, "seed", {}).value_or(0);
}

void read_value(ValueReader& reader, NodeId value, Buffer& into) {
  into.contents.value = reader.real(value, "value", -any_real, any_real).value_or(0);
}

void read_start(ValueReader& reader, NodeId value, Buffer& into) {
  into.contents.start = reader.real(value, "start", -0x1p62, 0x1p62).value_or(0);
}

void read_step(ValueReader& reader, NodeId value, Buffer& into) {
  into.contents.step = reader.real(value, "step", -0x1p62, 0x1p62).value_or(1);
}

void read_least(ValueReader& reader, NodeId value, Buffer& into) {
  into.contents.least = reader.real(value, "min", -any_real, any_real);
}

void read_most(ValueReader& reader, NodeId value, Buffer& into) {
  into.contents.most = reader.real(value, "max", -any_real, any_real);
}

void read_path(ValueReader& reader, NodeId value, Buffer& into) {
  if (const auto path = reader.string(value, "path")) {
    into.contents.path = *path;
    into.init_place = reader.place(value);
  }
}

template <InitKind kind, std::size_t n>
void read_kind(ValueReader& reader, NodeId object, const Field<Buffer> (&fields)[n], Buffer& into) {
  into.contents.kind = kind;
  read_object(reader, object, "init", fields, into);
}

void read_pieces(ValueReader& reader, NodeId list, Buffer& into);

// `kind` has chosen the table.
constexpr Field<Buffer> plain_fields[] = {{"kind", Need::required, json::read_nothing<Buffer>}};
constexpr Field<Buffer> constant_fields[] = {{"kind", Need::required, json::read_nothing<Buffer>},
                                             {"value", Need::required, read_value},
                                             {"type", Need::optional, read_type}};
constexpr Field<Buffer> iota_fields[] = {{"kind", Need::required, json::read_nothing<Buffer>},
                                         {"type", Need::optional, read_type},
                                         {"start", Need::optional, read_start},
                                         {"step", Need::optional, read_step}};
constexpr Field<Buffer> random_fields[] = {{"kind", Need::required, json::read_nothing<Buffer>},
                                           {"type", Need::optional, read_type},
                                           {"seed", Need::optional, read_seed},
                                           {"min", Need::optional, read_least},
                                           {"max", Need::optional, read_most}};
constexpr Field<Buffer> file_fields[] = {{"kind", Need::required, json::read_nothing<Buffer>},
                                         {"path", Need::required, read_path}};
constexpr Field<Buffer> pieces_fields[] = {{"kind", Need::required, json::read_nothing<Buffer>},
                                           {"pieces", Need::required, read_pieces}};

struct KindRow {
  std::string_view name;
  void (*read)(ValueReader& reader, NodeId object, Buffer& into);
};

constexpr KindRow kinds[] = {
    {"zeros", [](ValueReader& r, NodeId o, Buffer& b) { read_kind<InitKind::zeros>(r, o, plain_fields, b); }},
    {"constant",
     [](ValueReader& r, NodeId o, Buffer& b) { read_kind<InitKind::constant>(r, o, constant_fields, b); }},
    {"iota", [](ValueReader& r, NodeId o, Buffer& b) { read_kind<InitKind::iota>(r, o, iota_fields, b); }},
    {"random",
     [](ValueReader& r, NodeId o, Buffer& b) { read_kind<InitKind::random>(r, o, random_fields, b); }},
    {"file", [](ValueReader& r, NodeId o, Buffer& b) { read_kind<InitKind::file>(r, o, file_fields, b); }},
    {"pieces",
     [](ValueReader& r, NodeId o, Buffer& b) { read_kind<InitKind::pieces>(r, o, pieces_fields, b); }},
    {"unknown",
     [](ValueReader& r, NodeId o, Buffer& b) { read_kind<InitKind::unknown>(r, o, plain_fields, b); }},
};

void read_init(ValueReader& reader, NodeId object, Buffer& into) {
  if (const KindRow* row = choose_row(reader, object, "init", "kind", "kind of init", kinds)) {
    row->read(reader, object, into);
    if (const std::string error = contents_error(into.contents); !error.empty())
      reader.error(object, error, {"give values of the elements' type"});
  }
}

// {"at": 4, "bytes": 1028, "copies": 61, "every": 2068, "advance": 256, "init": {"kind": "iota"}}
void read_piece_init(ValueReader& reader, NodeId object, Piece& into) {
  Buffer inner;
  read_init(reader, object, inner);
  const InitKind kind = inner.contents.kind;
  if (kind == InitKind::file || kind == InitKind::pieces || kind == InitKind::unknown)
    reader.error(object, "a piece is zeros, constant, iota or random");
  else
    into.contents = std::move(inner.contents);
}

template <std::uint64_t Piece::*member, std::uint64_t least>
void read_count(ValueReader& reader, NodeId value, Piece& into) {
  into.*member = reader.natural(value, "number", {least, max_bytes}).value_or(least);
}

void read_advance(ValueReader& reader, NodeId value, Piece& into) {
  into.advance = reader.real(value, "advance", -0x1p31, 0x1p31).value_or(0);
}

constexpr Field<Piece> piece_fields[] = {{"at", Need::required, read_count<&Piece::offset, 0>},
                                         {"bytes", Need::required, read_count<&Piece::bytes, 1>},
                                         {"init", Need::required, read_piece_init},
                                         {"copies", Need::optional, read_count<&Piece::copies, 1>},
                                         {"every", Need::optional, read_count<&Piece::every, 1>},
                                         {"advance", Need::optional, read_advance}};

void read_pieces(ValueReader& reader, NodeId list, Buffer& into) {
  if (!reader.expect(list, json::Kind::array, "pieces"))
    return;
  reader.for_each_element(list, [&](NodeId object) {
    Piece piece;
    read_object(reader, object, "piece", piece_fields, piece);
    if (piece.copies > 1 && piece.every < piece.bytes)
      reader.error(object, "copies of a piece overlap", {"let every be at least bytes"});
    into.contents.pieces.push_back(std::move(piece));
  });
}

void read_bytes(ValueReader& reader, NodeId value, Buffer& into) {
  into.bytes = reader.natural(value, "bytes", {1, max_bytes}).value_or(0);
}

constexpr Field<Buffer> buffer_fields[] = {{"bytes", Need::required, read_bytes},
                                           {"init", Need::optional, read_init}};
constexpr Field<Buffer> variable_fields[] = {{"bytes", Need::required, read_bytes},
                                             {"init", Need::required, read_init}};

template <std::size_t n>
Buffer read_named(ValueReader& reader, NodeId key, NodeId value, std::string_view what,
                  const Field<Buffer> (&fields)[n]) {
  Buffer buffer;
  buffer.name = reader.tree().text(key);
  buffer.init_place = reader.place(key);
  if (buffer.name.empty())
    reader.error(key, fmt::format("a {}'s name must not be empty", what));
  read_object(reader, value, what, fields, buffer);
  if (const std::string error = pieces_error(buffer.contents, buffer.bytes); !error.empty())
    reader.error(value, error);
  return buffer;
}

} // namespace

void read_variables(ValueReader& reader, NodeId object, Draft& draft) {
  if (!reader.expect(object, json::Kind::object, "variables"))
    return;
  reader.refuse_repeated_keys(object);
  reader.for_each_member(object, [&](NodeId key, NodeId value) {
    Buffer variable = read_named(reader, key, value, "variable", variable_fields);
    if (variable.contents.kind == InitKind::unknown)
      reader.error(value, "a variable's contents must be known", {"leave it out to keep its initial value"});
    draft.app.variables.push_back(std::move(variable));
  });
}

void read_buffers(ValueReader& reader, NodeId object, Draft& draft) {
  if (!reader.expect(object, json::Kind::object, "buffers"))
    return;
  reader.refuse_repeated_keys(object);
  reader.for_each_member(object, [&](NodeId key, NodeId value) {
    Buffer buffer = read_named(reader, key, value, "buffer", buffer_fields);
    draft.buffer_numbers.emplace(buffer.name, static_cast<std::uint32_t>(draft.app.buffers.size()));
    draft.app.buffers.push_back(std::move(buffer));
  });
}

} // namespace kerncast::application
