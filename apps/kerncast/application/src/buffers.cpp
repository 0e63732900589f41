// "buffers": {"temp": {"bytes": 4194304, "init": {"kind": "random", "type": "f32", "seed": 1}}}
#include <algorithm>
#include <array>
#include <limits>

#include "application/read.h"
#include "parts.h"

namespace kerncast::application {
namespace {

constexpr double any_real = std::numeric_limits<double>::max();
constexpr std::array<std::string_view, 10> element_types = {"f32", "f64", "i8",  "i16", "i32",
                                                            "i64", "u8",  "u16", "u32", "u64"};

void read_type(ValueReader& reader, NodeId value, Buffer&) {
  if (!reader.expect(value, json::Kind::string, "type"))
    return;
  if (std::find(element_types.begin(), element_types.end(), reader.tree().text(value)) == element_types.end())
    reader.unknown_name(value, "element type", element_types);
}

void read_seed(ValueReader& reader, NodeId value, Buffer&) { reader.natural(value, "seed", {}); }

void read_value(ValueReader& reader, NodeId value, Buffer&) {
  reader.real(value, "value", -any_real, any_real);
}

void read_path(ValueReader& reader, NodeId value, Buffer& into) {
  if (const auto path = reader.string(value, "path")) {
    into.init_file = *path;
    into.init_place = reader.place(value);
  }
}

template <InitKind kind, std::size_t n>
void read_kind(ValueReader& reader, NodeId object, const Field<Buffer> (&fields)[n], Buffer& into) {
  into.init = kind;
  read_object(reader, object, "init", fields, into);
}

// `kind` has chosen the table.
constexpr Field<Buffer> plain_fields[] = {{"kind", Need::required, json::read_nothing<Buffer>}};
constexpr Field<Buffer> constant_fields[] = {{"kind", Need::required, json::read_nothing<Buffer>},
                                             {"value", Need::required, read_value},
                                             {"type", Need::optional, read_type}};
constexpr Field<Buffer> iota_fields[] = {{"kind", Need::required, json::read_nothing<Buffer>},
                                         {"type", Need::optional, read_type}};
constexpr Field<Buffer> random_fields[] = {{"kind", Need::required, json::read_nothing<Buffer>},
                                           {"type", Need::optional, read_type},
                                           {"seed", Need::optional, read_seed}};
constexpr Field<Buffer> file_fields[] = {{"kind", Need::required, json::read_nothing<Buffer>},
                                         {"path", Need::required, read_path}};

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
    {"unknown",
     [](ValueReader& r, NodeId o, Buffer& b) { read_kind<InitKind::unknown>(r, o, plain_fields, b); }},
};

void read_init(ValueReader& reader, NodeId object, Buffer& into) {
  if (const KindRow* row = choose_row(reader, object, "init", "kind", "kind of init", kinds))
    row->read(reader, object, into);
}

void read_bytes(ValueReader& reader, NodeId value, Buffer& into) {
  into.bytes = reader.natural(value, "bytes", {1, max_bytes}).value_or(0);
}

constexpr Field<Buffer> buffer_fields[] = {{"bytes", Need::required, read_bytes},
                                           {"init", Need::optional, read_init}};

} // namespace

void read_buffers(ValueReader& reader, NodeId object, Draft& draft) {
  if (!reader.expect(object, json::Kind::object, "buffers"))
    return;
  reader.refuse_repeated_keys(object);
  reader.for_each_member(object, [&](NodeId key, NodeId value) {
    Buffer buffer;
    buffer.name = reader.tree().text(key);
    if (buffer.name.empty())
      reader.error(key, "a buffer's name must not be empty");
    read_object(reader, value, "buffer", buffer_fields, buffer);
    draft.buffer_numbers.emplace(buffer.name, static_cast<std::uint32_t>(draft.app.buffers.size()));
    draft.app.buffers.push_back(std::move(buffer));
  });
}

} // namespace kerncast::application
