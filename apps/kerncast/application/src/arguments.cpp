// "args": [{"i32": 2}, {"buffer": "temp", "offset": 128}, {"f32": 0.5}]: a kernel's parameters in order.
#include <bit>
#include <cfloat>

#include <fmt/format.h>

#include "application/read.h"
#include "parts.h"

namespace kerncast::application {
namespace {

using tasklist::Argument;

struct Context {
  const Draft& draft;
  Argument argument;
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

constexpr Field<Context> argument_fields[] = {
    {"i32", Need::optional, read_i32},        {"u32", Need::optional, read_u32},
    {"i64", Need::optional, read_i64},        {"u64", Need::optional, read_u64},
    {"f32", Need::optional, read_f32},        {"f64", Need::optional, read_f64},
    {"buffer", Need::optional, read_buffer},  {"offset", Need::optional, read_offset},
    {"texture", Need::optional, read_texture}};

// Members of the object other than "offset".
std::size_t values_given(ValueReader& reader, NodeId object) {
  std::size_t count = 0;
  reader.for_each_member(object,
                         [&](NodeId key, NodeId) { count += reader.tree().text(key) != "offset" ? 1 : 0; });
  return count;
}

} // namespace

void read_arguments(ValueReader& reader, NodeId array, const Draft& draft,
                    std::vector<tasklist::Argument>& into) {
  if (!reader.expect(array, json::Kind::array, "args"))
    return;
  reader.for_each_element(array, [&](NodeId element) {
    Context context{draft, {}};
    if (reader.node(element).kind == json::Kind::object && values_given(reader, element) != 1)
      return reader.error(element, "an argument must have exactly one value",
                          {"write {\"i32\": 2} or {\"buffer\": \"name\"}"});
    read_object(reader, element, "argument", argument_fields, context);
    into.push_back(context.argument);
  });
}

} // namespace kerncast::application
