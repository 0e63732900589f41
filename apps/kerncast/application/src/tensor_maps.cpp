// "tensor_maps": {"tiles": {"buffer": "a", "type": "f16", "dims": [4096, 1024], "strides": [8192],
//                           "box": [64, 128], "swizzle": "128b", "fill": "nan"}}
//
// What a host program encodes with cuTensorMapEncodeTiled, or with "channels", "pixels", "lower_corner" and
// "upper_corner" instead of "box", cuTensorMapEncodeIm2col. Kernels get them as arguments,
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

struct TensorMapDraft {
  const Draft& draft;
  TensorMap map;
  Argument buffer;
  std::size_t dims = 0, strides = 0, box = 0, element_strides = 0; // how many are given
  std::size_t lower_corner = 0, upper_corner = 0;
  bool is_whole = true; // else an error has been told
};

void read_buffer(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  const auto buffer = find_buffer(reader, value, into.draft);
  into.is_whole = into.is_whole && buffer;
  if (!buffer)
    return;
  into.buffer.kind = Argument::Kind::buffer;
  into.buffer.buffer = *buffer;
  into.buffer.buffer_bytes = into.draft.app.buffers[*buffer].bytes;
}

void read_offset(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  into.buffer.bits = reader.natural(value, "offset", {0, max_bytes}).value_or(0);
}

void read_type(ValueReader& reader, NodeId value, TensorMapDraft& into) {
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

void read_dims(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  into.dims = read_numbers<std::uint64_t>(reader, value, "dims", into.map.dims, into.is_whole);
}

void read_strides(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  into.strides = read_numbers<std::uint64_t>(reader, value, "strides", into.map.strides, into.is_whole);
}

void read_box(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  into.box = read_numbers<std::uint16_t>(reader, value, "box", into.map.box, into.is_whole);
}

void read_element_strides(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  into.element_strides =
      read_numbers<std::uint8_t>(reader, value, "element_strides", into.map.element_strides, into.is_whole);
}

void read_channels(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  into.map.mode = tasklist::TensorMode::im2col;
  into.map.box[0] = static_cast<std::uint16_t>(reader.natural(value, "channels", {1, 256}).value_or(1));
}

void read_pixels(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  into.map.mode = tasklist::TensorMode::im2col;
  into.map.box[1] = static_cast<std::uint16_t>(reader.natural(value, "pixels", {1, 1024}).value_or(1));
}

std::size_t read_corner(ValueReader& reader, NodeId array, std::string_view what, TensorMapDraft& context,
                        std::array<std::int16_t, TensorMap::most_pixel_dimensions>& into) {
  std::size_t count = 0;
  context.map.mode = tasklist::TensorMode::im2col;
  context.is_whole = reader.expect(array, json::Kind::array, what) && context.is_whole;
  if (!context.is_whole)
    return 0;
  reader.for_each_element(array, [&](NodeId element) {
    const json::Node& node = reader.node(element);
    const bool fits = (node.kind == json::Kind::natural && node.natural <= INT16_MAX) ||
                      (node.kind == json::Kind::negative && node.negative >= INT16_MIN);
    if (!fits)
      reader.error(element,
                   fmt::format("{} must be whole numbers from {} to {}", what, INT16_MIN, INT16_MAX));
    context.is_whole = context.is_whole && fits;
    if (fits && count < into.size())
      into[count] = static_cast<std::int16_t>(
          node.kind == json::Kind::negative ? node.negative : static_cast<std::int64_t>(node.natural));
    ++count;
  });
  return count;
}

void read_lower_corner(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  into.lower_corner = read_corner(reader, value, "lower_corner", into, into.map.lower_corner);
}

void read_upper_corner(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  into.upper_corner = read_corner(reader, value, "upper_corner", into, into.map.upper_corner);
}

struct ModeRow {
  std::string_view name;
  std::uint8_t mode;
};

void read_swizzle(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  constexpr ModeRow rows[] = {{"none", 0}, {"32b", 1}, {"64b", 2}, {"128b", 3}};
  if (const ModeRow* row = json::named_row(reader, value, "swizzle", rows))
    into.map.swizzle = row->mode;
}

void read_fill(ValueReader& reader, NodeId value, TensorMapDraft& into) {
  constexpr ModeRow rows[] = {{"zeros", 0}, {"nan", 1}};
  if (const ModeRow* row = json::named_row(reader, value, "fill", rows))
    into.map.fill = row->mode;
}

constexpr Field<TensorMapDraft> tensor_map_fields[] = {
    {"buffer", Need::required, read_buffer},
    {"offset", Need::optional, read_offset},
    {"type", Need::required, read_type},
    {"dims", Need::required, read_dims},
    {"strides", Need::optional, read_strides},
    {"box", Need::optional, read_box},
    {"channels", Need::optional, read_channels},
    {"pixels", Need::optional, read_pixels},
    {"lower_corner", Need::optional, read_lower_corner},
    {"upper_corner", Need::optional, read_upper_corner},
    {"element_strides", Need::optional, read_element_strides},
    {"swizzle", Need::optional, read_swizzle},
    {"fill", Need::optional, read_fill}};

// Of strides; likewise.
std::string stride_problem(const TensorMapDraft& context) {
  if (context.strides != 0 && context.strides + 1 != context.dims)
    return fmt::format("a tensor of {} dimensions has {} strides, not {}", context.dims, context.dims - 1,
                       context.strides);
  if (context.element_strides != 0 && context.element_strides != context.dims)
    return fmt::format("a tensor of {} dimensions has as many element strides, not {}", context.dims,
                       context.element_strides);
  return {};
}

std::string pixel_problem(const TensorMapDraft& context) {
  if (context.box != 0)
    return "a tensor map has a box, or channels and pixels between corners";
  if (context.map.box[0] == 0 || context.map.box[1] == 0)
    return "pixels need \"channels\", how many of each, and \"pixels\", how many of them";
  if (context.dims < 3 || context.lower_corner != context.dims - 2 ||
      context.upper_corner != context.dims - 2)
    return fmt::format(
        "a tensor of {} dimensions, of which the first are channels and the last images, has corners "
        "of two numbers less, not of {} and {}",
        context.dims, context.lower_corner, context.upper_corner);
  return stride_problem(context);
}

// What is wrong with how many numbers there are; empty: nothing.
std::string count_problem(const TensorMapDraft& context) {
  if (context.dims == 0 || context.dims > TensorMap::most_dimensions)
    return fmt::format("a tensor has 1 to {} dimensions, not {}", TensorMap::most_dimensions, context.dims);
  if (context.map.mode == tasklist::TensorMode::im2col)
    return pixel_problem(context);
  if (context.box != context.dims)
    return fmt::format("the box has {} dimensions, the tensor {}", context.box, context.dims);
  return stride_problem(context);
}

void finish(ValueReader& reader, NodeId object, TensorMapDraft& context) {
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
    TensorMapDraft context{draft, {}, {}};
    read_object(reader, value, "tensor map", tensor_map_fields, context);
    if (context.is_whole && context.dims != 0)
      finish(reader, value, context);
    draft.tensor_maps.emplace(reader.tree().text(key), NamedTensorMap{context.map, context.buffer});
  });
}

} // namespace kerncast::application
