// "tensor_maps": {"tiles": {"buffer": "a", "type": "f16", "dims": [4096, 1024], "strides": [8192],
//                           "box": [64, 128], "swizzle": "128b", "fill": "nan"}}
//
// What a host program encodes with cuTensorMapEncodeTiled. Kernels get them as arguments,
// {"tensor_map": "tiles"}, or as members of structures.
#include <algorithm>

#include <fmt/format.h>

#include "application/read.h"
#include "application/struct_layout.h"
#include "parts.h"

namespace kerncast::application {
namespace {

using tasklist::Argument;
using tasklist::TensorMap;

struct Context {
  const Draft& draft;
  TensorMap map;
  Argument buffer;
  std::size_t dims = 0, strides = 0, box = 0, element_strides = 0; // how many are given
  bool is_whole = true;                                            // else an error has been told
};

void read_buffer(ValueReader& reader, NodeId value, Context& into) {
  const auto buffer = find_buffer(reader, value, into.draft);
  into.is_whole = into.is_whole && buffer;
  if (!buffer)
    return;
  into.buffer.kind = Argument::Kind::buffer;
  into.buffer.buffer = *buffer;
  into.buffer.buffer_bytes = into.draft.app.buffers[*buffer].bytes;
}

void read_offset(ValueReader& reader, NodeId value, Context& into) {
  into.buffer.bits = reader.natural(value, "offset", {0, max_bytes}).value_or(0);
}

void read_type(ValueReader& reader, NodeId value, Context& into) {
  const auto type = reader.node(value).kind == json::Kind::string
                        ? tasklist::find_tensor_type(reader.tree().text(value))
                        : std::nullopt;
  into.is_whole = into.is_whole && type;
  if (type)
    into.map.type = static_cast<std::uint8_t>(*type);
  else
    reader.error(value, fmt::format("a tensor's type must be one of {}", tasklist::tensor_type_list()));
}

template <class T>
std::size_t read_numbers(ValueReader& reader, NodeId array, std::string_view what, std::span<T> into,
                         bool& is_whole) {
  std::size_t count = 0;
  is_whole = reader.expect(array, json::Kind::array, what) && is_whole;
  if (!is_whole)
    return 0;
  reader.for_each_element(array, [&](NodeId element) {
    const auto number = reader.natural(element, what, {1, std::numeric_limits<T>::max()});
    is_whole = is_whole && number;
    if (count < into.size())
      into[count] = static_cast<T>(number.value_or(1));
    ++count;
  });
  return count;
}

void read_dims(ValueReader& reader, NodeId value, Context& into) {
  into.dims = read_numbers<std::uint64_t>(reader, value, "dims", into.map.dims, into.is_whole);
}

void read_strides(ValueReader& reader, NodeId value, Context& into) {
  into.strides = read_numbers<std::uint64_t>(reader, value, "strides", into.map.strides, into.is_whole);
}

void read_box(ValueReader& reader, NodeId value, Context& into) {
  into.box = read_numbers<std::uint16_t>(reader, value, "box", into.map.box, into.is_whole);
}

void read_element_strides(ValueReader& reader, NodeId value, Context& into) {
  into.element_strides =
      read_numbers<std::uint8_t>(reader, value, "element_strides", into.map.element_strides, into.is_whole);
}

struct ModeRow {
  std::string_view name;
  std::uint8_t mode;
};

void read_swizzle(ValueReader& reader, NodeId value, Context& into) {
  constexpr ModeRow rows[] = {{"none", 0}, {"32b", 1}, {"64b", 2}, {"128b", 3}};
  if (const ModeRow* row = json::named_row(reader, value, "swizzle", rows))
    into.map.swizzle = row->mode;
}

void read_fill(ValueReader& reader, NodeId value, Context& into) {
  constexpr ModeRow rows[] = {{"zeros", 0}, {"nan", 1}};
  if (const ModeRow* row = json::named_row(reader, value, "fill", rows))
    into.map.fill = row->mode;
}

constexpr Field<Context> tensor_map_fields[] = {{"buffer", Need::required, read_buffer},
                                                {"offset", Need::optional, read_offset},
                                                {"type", Need::required, read_type},
                                                {"dims", Need::required, read_dims},
                                                {"strides", Need::optional, read_strides},
                                                {"box", Need::required, read_box},
                                                {"element_strides", Need::optional, read_element_strides},
                                                {"swizzle", Need::optional, read_swizzle},
                                                {"fill", Need::optional, read_fill}};

// What is wrong with how many numbers there are; empty: nothing.
std::string count_problem(const Context& context) {
  if (context.dims == 0 || context.dims > TensorMap::most_dimensions)
    return fmt::format("a tensor has 1 to {} dimensions, not {}", TensorMap::most_dimensions, context.dims);
  if (context.box != context.dims)
    return fmt::format("the box has {} dimensions, the tensor {}", context.box, context.dims);
  if (context.strides != 0 && context.strides + 1 != context.dims)
    return fmt::format("a tensor of {} dimensions has {} strides, not {}", context.dims, context.dims - 1,
                       context.strides);
  if (context.element_strides != 0 && context.element_strides != context.dims)
    return fmt::format("a tensor of {} dimensions has as many element strides, not {}", context.dims,
                       context.element_strides);
  return {};
}

void finish(ValueReader& reader, NodeId object, Context& context) {
  TensorMap& map = context.map;
  if (std::string problem = count_problem(context); !problem.empty())
    return reader.error(object, std::move(problem));
  map.rank_less_one = static_cast<std::uint8_t>(context.dims - 1);
  if (context.strides == 0)
    make_dense(map);
  if (context.element_strides == 0)
    std::fill_n(map.element_strides.begin(), context.dims, std::uint8_t{1});
  const std::uint64_t room =
      context.buffer.buffer_bytes - std::min(context.buffer.bits, context.buffer.buffer_bytes);
  if (const auto checked = tasklist::check_tensor_map(map, context.buffer.bits, room); !checked)
    reader.error(object, checked.error()[0].message, checked.error()[0].notes);
}

} // namespace

void read_tensor_maps(ValueReader& reader, NodeId object, Draft& draft) {
  if (!reader.expect(object, json::Kind::object, "tensor_maps"))
    return;
  reader.refuse_repeated_keys(object);
  reader.for_each_member(object, [&](NodeId key, NodeId value) {
    Context context{draft, {}, {}};
    read_object(reader, value, "tensor map", tensor_map_fields, context);
    if (context.is_whole && context.dims != 0)
      finish(reader, value, context);
    draft.tensor_maps.emplace(reader.tree().text(key), NamedTensorMap{context.map, context.buffer});
  });
}

} // namespace kerncast::application
