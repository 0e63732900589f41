// "args": [{"i32": 2}, {"buffer": "temp", "offset": 128}, {"f32": 0.5}]: a kernel's parameters in order.
// {"struct": [{"buffer": "temp"}, {"u8": 1}, {"f64": 2, "at": 24}]}: a structure that is passed by value.
#include <bit>
#include <cfloat>
#include <limits>

#include <fmt/format.h>

#include "application/read.h"
#include "application/struct_layout.h"
#include "parts.h"

namespace kerncast::application {
namespace {

using tasklist::Argument;

struct ArgumentDraft {
  const Draft& draft;
  tasklist::Launch& launch; // gets the members of structures
  bool is_member = false;   // of a structure, else a parameter
  Argument argument;
  std::uint32_t bytes = 0;         // of a member of a structure
  std::optional<std::uint32_t> at; // its offset
  const NamedTensorMap* tensor_map = nullptr;
};

struct IntegerRange {
  std::int64_t least;
  std::uint64_t most;
};

void read_integer(ValueReader& reader, NodeId value, std::string_view type, IntegerRange range,
                  Argument& into) {
  const json::Node& node = reader.node(value);
  const bool fits = (node.kind == json::Kind::natural && node.natural <= range.most) ||
                    (node.kind == json::Kind::negative && node.negative >= range.least);
  if (!fits)
    return reader.error(
        value, fmt::format("{} must be a whole number from {} to {}", type, range.least, range.most));
  // A 32-bit value keeps 32 bits.
  into.bits = node.natural & (range.most > UINT32_MAX ? UINT64_MAX : UINT32_MAX);
}

template <class T> void read_small(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  constexpr bool is_signed = std::numeric_limits<T>::is_signed;
  into.argument.kind = is_signed ? Argument::Kind::i32 : Argument::Kind::u32;
  into.bytes = sizeof(T);
  read_integer(reader, value, is_signed ? (sizeof(T) == 1 ? "i8" : "i16") : (sizeof(T) == 1 ? "u8" : "u16"),
               {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}, into.argument);
}

void read_i32(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  into.argument.kind = Argument::Kind::i32;
  read_integer(reader, value, "i32", {INT32_MIN, INT32_MAX}, into.argument);
}

void read_u32(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  into.argument.kind = Argument::Kind::u32;
  read_integer(reader, value, "u32", {0, UINT32_MAX}, into.argument);
}

void read_i64(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  into.argument.kind = Argument::Kind::i64;
  read_integer(reader, value, "i64", {INT64_MIN, INT64_MAX}, into.argument);
}

void read_u64(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  into.argument.kind = Argument::Kind::u64;
  read_integer(reader, value, "u64", {0, UINT64_MAX}, into.argument);
}

void read_f32(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  into.argument.kind = Argument::Kind::f32;
  if (const auto number = reader.real(value, "f32", -FLT_MAX, FLT_MAX))
    into.argument.bits = std::bit_cast<std::uint32_t>(static_cast<float>(*number));
}

void read_f64(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  into.argument.kind = Argument::Kind::f64;
  if (const auto number = reader.real(value, "f64", -DBL_MAX, DBL_MAX))
    into.argument.bits = std::bit_cast<std::uint64_t>(*number);
}

void read_buffer(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  into.argument.kind = Argument::Kind::buffer;
  if (const auto found = find_buffer(reader, value, into.draft)) {
    into.argument.buffer = *found;
    into.argument.buffer_bytes = into.draft.app.buffers[*found].bytes;
  }
}

// A handle of 64 bits.
void read_texture(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  into.argument.kind = Argument::Kind::u64;
  if (const std::uint32_t* number = find_named(reader, value, "texture", into.draft.texture_numbers))
    into.argument.bits = tasklist::image_handle(*number);
}

void read_tensor_map(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  into.argument.kind = Argument::Kind::structure;
  into.tensor_map = find_named(reader, value, "tensor map", into.draft.tensor_maps);
}

void read_offset(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  if (into.argument.kind != Argument::Kind::buffer)
    return reader.error(value, "only a buffer has an offset");
  const std::uint64_t bytes = into.argument.buffer_bytes;
  into.argument.bits = reader.natural(value, "offset", {0, bytes == 0 ? max_bytes : bytes}).value_or(0);
}

// Of parameters altogether (PTX ISA 8.1, kernel function parameters).
constexpr std::uint32_t max_structure_bytes = 32764;

void read_at(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  if (const auto at = reader.natural(value, "at", {0, max_structure_bytes}))
    into.at = static_cast<std::uint32_t>(*at);
}

void read_structure(ValueReader& reader, NodeId array, ArgumentDraft& into);

// Fields of members of structures only.
template <void (*read)(ValueReader&, NodeId, ArgumentDraft&)>
void read_in_structure(ValueReader& reader, NodeId value, ArgumentDraft& into) {
  if (!into.is_member)
    return reader.error(value, fmt::format("'{}' is for members of structures", reader.key(value)));
  read(reader, value, into);
}

constexpr Field<ArgumentDraft> value_fields[] = {
    {"i8", Need::optional, read_in_structure<read_small<std::int8_t>>},
    {"u8", Need::optional, read_in_structure<read_small<std::uint8_t>>},
    {"i16", Need::optional, read_in_structure<read_small<std::int16_t>>},
    {"u16", Need::optional, read_in_structure<read_small<std::uint16_t>>},
    {"i32", Need::optional, read_i32},
    {"u32", Need::optional, read_u32},
    {"i64", Need::optional, read_i64},
    {"u64", Need::optional, read_u64},
    {"f32", Need::optional, read_f32},
    {"f64", Need::optional, read_f64},
    {"buffer", Need::optional, read_buffer},
    {"offset", Need::optional, read_offset},
    {"texture", Need::optional, read_texture},
    {"tensor_map", Need::optional, read_tensor_map},
    {"struct", Need::optional, read_structure},
    {"at", Need::optional, read_in_structure<read_at>}};

// Members of the object other than those that say where a value lies.
std::size_t values_given(ValueReader& reader, NodeId object) {
  std::size_t count = 0;
  reader.for_each_member(object, [&](NodeId key, NodeId) {
    const std::string_view name = reader.tree().text(key);
    count += name != "offset" && name != "at" ? 1 : 0;
  });
  return count;
}

// Whether there is an argument in `into`.
bool read_value(ValueReader& reader, NodeId element, ArgumentDraft& into) {
  if (reader.node(element).kind == json::Kind::object && values_given(reader, element) != 1) {
    reader.error(element,
                 fmt::format("{} must have exactly one value", into.is_member ? "a member" : "an argument"),
                 {"write {\"i32\": 2} or {\"buffer\": \"name\"}"});
    return false;
  }
  read_object(reader, element, into.is_member ? "member" : "argument", value_fields, into);
  return true;
}

std::uint32_t bytes_of(const ArgumentDraft& member) {
  if (member.bytes != 0)
    return member.bytes;
  const Argument::Kind kind = member.argument.kind;
  return kind == Argument::Kind::i32 || kind == Argument::Kind::u32 || kind == Argument::Kind::f32 ? 4 : 8;
}

void read_structure(ValueReader& reader, NodeId array, ArgumentDraft& into) {
  if (into.is_member)
    return reader.error(array, "a structure inside of a structure",
                        {"list its members in the outer one, the first with \"at\" if C aligns it to more"});
  into.argument.kind = Argument::Kind::structure;
  if (!reader.expect(array, json::Kind::array, "struct"))
    return;
  StructLayout layout(static_cast<std::uint32_t>(into.launch.arguments.size()), into.launch.members);
  reader.for_each_element(array, [&](NodeId element) {
    ArgumentDraft member{into.draft, into.launch, true, {}, 0, {}, nullptr};
    if (!read_value(reader, element, member))
      return;
    if (member.tensor_map != nullptr)
      layout.add_tensor_map(member.tensor_map->map, member.tensor_map->buffer, member.at);
    else
      layout.add(member.argument, bytes_of(member), member.at);
  });
}

} // namespace

void read_arguments(ValueReader& reader, NodeId array, const Draft& draft, tasklist::Launch& into) {
  if (!reader.expect(array, json::Kind::array, "args"))
    return;
  reader.for_each_element(array, [&](NodeId element) {
    ArgumentDraft context{draft, into, false, {}, 0, {}, nullptr};
    if (!read_value(reader, element, context))
      return;
    if (context.tensor_map != nullptr)
      StructLayout(static_cast<std::uint32_t>(into.arguments.size()), into.members)
          .add_tensor_map(context.tensor_map->map, context.tensor_map->buffer, {});
    into.arguments.push_back(context.argument);
  });
}

} // namespace kerncast::application
