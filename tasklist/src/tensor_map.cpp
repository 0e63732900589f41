// The limits are those of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
#include "tasklist/tensor_map.h"

#include <algorithm>

#include <fmt/format.h>

namespace kerncast::tasklist {
namespace {

constexpr std::uint32_t unit_bytes = 16; // of addresses, strides and rows of the box
constexpr std::uint64_t most_stride_bytes = (std::uint64_t{1} << 40) - 1;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 32;
constexpr std::uint32_t most_box = 256, most_element_stride = 8, most_pixels = 1024;
constexpr std::uint64_t most_box_bytes = std::uint64_t{256}
                                         << 10; // L1 and shared memory of an SM together (CC 9.0)

constexpr std::uint8_t bytes_of_type[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};

Expected<void> check_kinds(const TensorMap& map) {
  if (map.mark != TensorMap::known_mark)
    return fail("there is no tensor map", "describe it: \"tensor_maps\" of an application, tensor: of --arg");
  if (map.rank() > TensorMap::most_dimensions)
    return fail(fmt::format("a tensor of {} dimensions", map.rank()), "tensors have 1 to 5 dimensions");
  if (map.type >= std::size(tensor_type_names) || tensor_type_names[map.type].empty())
    return fail(fmt::format("elements of type {} are not supported", map.type),
                "elements of 4 and 6 bits, and those whose subnormals are flushed, are left out");
  if (map.mode > TensorMode::im2col)
    return fail("a tensor map of an unknown mode", "boxes, or pixels between corners");
  if (map.interleave != 0 || map.swizzle > 3 || map.swizzle_atomicity != 0)
    return fail(fmt::format("interleave {}, swizzle {} and swizzle atomicity {} are not supported",
                            map.interleave, map.swizzle, map.swizzle_atomicity),
                "no interleaving, and swizzles 0 to 3 with an atomicity of 16 bytes are");
  if (map.fill > 1 || (map.fill == 1 && !is_float(static_cast<TensorType>(map.type))))
    return fail("elements outside cannot be filled so", "zeros, or not-a-number for floats");
  return {};
}

Expected<void> check_dimension(const TensorMap& map, std::uint32_t d) {
  if (map.dims[d] == 0 || map.dims[d] > most_elements)
    return fail(fmt::format("dimension {} has {} elements", d, map.dims[d]), "1 to 4,294,967,296");
  const bool is_of_box = map.mode == TensorMode::tiled || d == 0;
  if (is_of_box && (map.box[d] == 0 || map.box[d] > most_box))
    return fail(fmt::format("the box has {} elements along dimension {}", map.box[d], d), "1 to 256");
  if (map.element_strides[d] == 0 || map.element_strides[d] > most_element_stride)
    return fail(fmt::format("the element stride of dimension {} is {}", d, map.element_strides[d]), "1 to 8");
  if (d > 0 && (map.strides[d - 1] % unit_bytes != 0 || map.strides[d - 1] > most_stride_bytes))
    return fail(fmt::format("the stride of dimension {} is {} bytes", d, map.strides[d - 1]),
                "multiples of 16 bytes, less than 2^40");
  return {};
}

// Of a map in im2col mode.
Expected<void> check_pixels(const TensorMap& map) {
  if (map.rank() < 3)
    return fail(fmt::format("pixels of a tensor of {} dimensions", map.rank()),
                "channels, one to three dimensions of pixels, and images");
  if (map.box[1] == 0 || map.box[1] > most_pixels)
    return fail(fmt::format("{} pixels", map.box[1]), "1 to 1024");
  constexpr std::int32_t limits[] = {32768, 128, 16}; // by dimensions of pixels
  const std::int32_t limit = limits[map.pixel_dimensions() - 1];
  for (std::uint32_t d = 0; d < map.pixel_dimensions(); ++d) {
    const std::int32_t lower = map.lower_corner[d], upper = map.upper_corner[d];
    if (std::min(lower, upper) < -limit || std::max(lower, upper) >= limit)
      return fail(fmt::format("corners {} and {} of dimension {}", lower, upper, d + 1),
                  fmt::format("{} to {}", -limit, limit - 1));
    if (static_cast<std::int64_t>(map.dims[d + 1]) + upper <= lower)
      return fail(
          fmt::format("no pixel lies between the corners {} and {} of dimension {}", lower, upper, d + 1),
          "the upper one is counted from the last element");
  }
  return {};
}

} // namespace

std::uint32_t TensorMap::element_bytes() const {
  return type < std::size(bytes_of_type) ? bytes_of_type[type] : 1;
}

std::uint32_t TensorMap::box_elements(std::uint32_t dimension) const {
  const std::uint32_t step = dimension == 0 ? 1 : std::max<std::uint32_t>(element_strides[dimension], 1);
  return (box[dimension] + step - 1) / step;
}

std::uint64_t TensorMap::box_bytes() const {
  std::uint64_t product = element_bytes();
  if (mode == TensorMode::im2col)
    return product * box[0] * box[1];
  for (std::uint32_t d = 0; d < rank(); ++d)
    product *= box_elements(d);
  return product;
}

std::uint64_t TensorMap::tensor_bytes() const {
  std::uint64_t last = (dims[0] - 1) * element_bytes();
  for (std::uint32_t d = 1; d < rank(); ++d) {
    const auto span = static_cast<unsigned __int128>(dims[d] - 1) * strides[d - 1];
    if (span > UINT64_MAX / 8)
      return UINT64_MAX;
    last += static_cast<std::uint64_t>(span);
  }
  return last + element_bytes();
}

bool is_float(TensorType type) { return type >= TensorType::f16; }

std::optional<TensorType> find_tensor_type(std::string_view name) {
  const auto* found = std::find(std::begin(tensor_type_names), std::end(tensor_type_names), name);
  return name.empty() || found == std::end(tensor_type_names)
             ? std::nullopt
             : std::optional(static_cast<TensorType>(found - std::begin(tensor_type_names)));
}

void make_dense(TensorMap& map) {
  std::uint64_t bytes = map.dims[0] * map.element_bytes();
  for (std::uint32_t d = 1; d < map.rank(); ++d) {
    map.strides[d - 1] = bytes;
    bytes *= map.dims[d];
  }
}

Expected<void> check_tensor_map(const TensorMap& map) {
  if (auto kinds = check_kinds(map); !kinds)
    return kinds;
  for (std::uint32_t d = 0; d < map.rank(); ++d)
    if (auto dimension = check_dimension(map, d); !dimension)
      return dimension;
  if (map.mode == TensorMode::im2col)
    if (auto pixels = check_pixels(map); !pixels)
      return pixels;
  const std::uint32_t row_bytes = map.box[0] * map.element_bytes();
  if (row_bytes % unit_bytes != 0)
    return fail(fmt::format("a row of the box has {} bytes", row_bytes), "multiples of 16 bytes");
  if (map.swizzle != 0 && row_bytes > map.swizzle_bytes())
    return fail(fmt::format("a row of the box has {} bytes, more than its swizzle of {} bytes", row_bytes,
                            map.swizzle_bytes()),
                "swizzle over more bytes, or take a narrower box");
  if (map.box_bytes() > most_box_bytes)
    return fail(fmt::format("the box has {} bytes", map.box_bytes()), "it must fit into shared memory");
  if (map.address % unit_bytes != 0)
    return fail(fmt::format("the tensor begins at {:#x}", map.address), "multiples of 16 bytes");
  return {};
}

Expected<void> check_tensor_map(const TensorMap& map, std::uint64_t offset, std::uint64_t room) {
  TensorMap placed = map;
  placed.address = offset;
  if (auto checked = check_tensor_map(placed); !checked)
    return checked;
  if (map.tensor_bytes() > room)
    return fail(fmt::format("the tensor has {} bytes, the buffer {} from byte {} on", map.tensor_bytes(),
                            room, offset),
                "give a larger buffer, or fewer elements or shorter strides");
  return {};
}

std::string tensor_type_list() {
  std::string list;
  for (const std::string_view name : tensor_type_names)
    if (!name.empty())
      list.append(list.empty() ? "" : ", ").append(name);
  return list;
}

} // namespace kerncast::tasklist
