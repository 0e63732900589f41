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

struct Context {
  const Draft& draft;
  tasklist::Launch& launch; // gets the members of structures
  Argument argument;
  std::uint32_t bytes = 0;         // of a member of a structure
  std::optional<std::uint32_t> at; // its offset
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

// Integers of 8 and 16 bits are members of structures only.
template <class T> void read_small(ValueReader& reader, NodeId value, Context& into) {
  constexpr bool is_signed = std::numeric_limits<T>::is_signed;
  into.argument.kind = is_signed ? Argument::Kind::i32 : Argument::Kind::u32;
  into.bytes = sizeof(T);
  read_integer(reader, value, is_signed ? (sizeof(T) == 1 ? "i8" : "i16") : (sizeof(T) == 1 ? "u8" : "u16"),
               {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}, into.argument);
}

void read_i32(ValueReader& reader, NodeId value, Context& into) {
  into.argument.kind = Argument::Kind::i32;
  read_integer(reader, value, "i32", {INT32_MIN, INT32_MAX}, into.argument);
}

void read_u32(ValueReader& reader, NodeId value, Context& into) {
  into.argument.kind = Argument::Kind::u32;
  read_integer(reader, value, "u32", {0, UINT32_MAX}, into.argument);
}

void read_i64(ValueReader& reader, NodeId value, Context& into) {
  into.argument.kind = Argument::Kind::i64;
  read_integer(reader, value, "i64", {INT64_MIN, INT64_MAX}, into.argument);
}

void read_u64(ValueReader& reader, NodeId value, Context& into) {
  into.argument.kind = Argument::Kind::u64;
  read_integer(reader, value, "u64", {0, UINT64_MAX}, into.argument);
}

void read_f32(ValueReader& reader, NodeId value, Context& into) {
  into.argument.kind = Argument::Kind::f32;
  if (const auto number = reader.real(value, "f32", -FLT_MAX, FLT_MAX))
    into.argument.bits = std::bit_cast<std::uint32_t>(static_cast<float>(*number));
}

void read_f64(ValueReader& reader, NodeId value, Context& into) {
  into.argument.kind = Argument::Kind::f64;
  if (const auto number = reader.real(value, "f64", -DBL_MAX, DBL_MAX))
    into.argument.bits = std::bit_cast<std::uint64_t>(*number);
}

void read_buffer(ValueReader& reader, NodeId value, Context& into) {
  into.argument.kind = Argument::Kind::buffer;
  if (const auto found = find_buffer(reader, value, into.draft)) {
    into.argument.buffer = *found;
    into.argument.buffer_bytes = into.draft.app.buffers[*found].bytes;
  }
}

// A handle of 64 bits.
void read_texture(ValueReader& reader, NodeId value, Context& into) {
  into.argument.kind = Argument::Kind::u64;
  if (!reader.expect(value, json::Kind::string, "texture"))
    return;
  const auto found = into.draft.texture_numbers.find(reader.tree().text(value));
  if (found != into.draft.texture_numbers.end()) {
    into.argument.bits = tasklist::image_handle(found->second);
    return;
  }
  std::vector<std::string_view> known;
  for (const auto& [name, number] : into.draft.texture_numbers)
    known.push_back(name);
  reader.unknown_name(value, "texture", known);
}

void read_offset(ValueReader& reader, NodeId value, Context& into) {
  if (into.argument.kind != Argument::Kind::buffer)
    return reader.error(value, "only a buffer has an offset");
  const std::uint64_t bytes = into.argument.buffer_bytes;
  into.argument.bits = reader.natural(value, "offset", {0, bytes == 0 ? max_bytes : bytes}).value_or(0);
}

// Of parameters altogether (PTX ISA 8.1, kernel function parameters).
constexpr std::uint32_t max_structure_bytes = 32764;

void read_at(ValueReader& reader, NodeId value, Context& into) {
  if (const auto at = reader.natural(value, "at", {0, max_structure_bytes}))
    into.at = static_cast<std::uint32_t>(*at);
}

void read_structure(ValueReader& reader, NodeId array, Context& into);

constexpr Field<Context> argument_fields[] = {
    {"i32", Need::optional, read_i32},         {"u32", Need::optional, read_u32},
    {"i64", Need::optional, read_i64},         {"u64", Need::optional, read_u64},
    {"f32", Need::optional, read_f32},         {"f64", Need::optional, read_f64},
    {"buffer", Need::optional, read_buffer},   {"offset", Need::optional, read_offset},
    {"texture", Need::optional, read_texture}, {"struct", Need::optional, read_structure}};

constexpr Field<Context> member_fields[] = {{"i8", Need::optional, read_small<std::int8_t>},
                                            {"u8", Need::optional, read_small<std::uint8_t>},
                                            {"i16", Need::optional, read_small<std::int16_t>},
                                            {"u16", Need::optional, read_small<std::uint16_t>},
                                            {"i32", Need::optional, read_i32},
                                            {"u32", Need::optional, read_u32},
                                            {"i64", Need::optional, read_i64},
                                            {"u64", Need::optional, read_u64},
                                            {"f32", Need::optional, read_f32},
                                            {"f64", Need::optional, read_f64},
                                            {"buffer", Need::optional, read_buffer},
                                            {"offset", Need::optional, read_offset},
                                            {"texture", Need::optional, read_texture},
                                            {"at", Need::optional, read_at}};

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
template <std::size_t n>
bool read_value(ValueReader& reader, NodeId element, std::string_view what, const Field<Context> (&fields)[n],
                Context& into) {
  if (reader.node(element).kind == json::Kind::object && values_given(reader, element) != 1) {
    reader.error(element, fmt::format("{} must have exactly one value", what),
                 {"write {\"i32\": 2} or {\"buffer\": \"name\"}"});
    return false;
  }
  read_object(reader, element, what == "an argument" ? "argument" : "member", fields, into);
  return true;
}

std::uint32_t bytes_of(const Context& member) {
  if (member.bytes != 0)
    return member.bytes;
  const Argument::Kind kind = member.argument.kind;
  return kind == Argument::Kind::i32 || kind == Argument::Kind::u32 || kind == Argument::Kind::f32 ? 4 : 8;
}

void read_structure(ValueReader& reader, NodeId array, Context& into) {
  into.argument.kind = Argument::Kind::structure;
  if (!reader.expect(array, json::Kind::array, "struct"))
    return;
  StructLayout layout(static_cast<std::uint32_t>(into.launch.arguments.size()), into.launch.members);
  reader.for_each_element(array, [&](NodeId element) {
    Context member{into.draft, into.launch, {}, 0, {}};
    if (read_value(reader, element, "a member", member_fields, member))
      layout.add(member.argument, bytes_of(member), member.at);
  });
}

} // namespace

void read_arguments(ValueReader& reader, NodeId array, const Draft& draft, tasklist::Launch& into) {
  if (!reader.expect(array, json::Kind::array, "args"))
    return;
  reader.for_each_element(array, [&](NodeId element) {
    Context context{draft, into, {}, 0, {}};
    if (read_value(reader, element, "an argument", argument_fields, context))
      into.arguments.push_back(context.argument);
  });
}

} // namespace kerncast::application
