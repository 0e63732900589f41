// Fetches: the texels around a place, weighted. Weighted sums are taken in double and rounded once.
#include "image_unit.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "host_bytes.h"
#include "warp/matrix_op.h"

namespace kerncast::functional {
namespace {

using tasklist::Image;
using tasklist::Sampler;
using tasklist::TexelFormat;
using warp::ImageOp;
using warp::LaneFile;
using warp::LaneMask;
using warp::Pool;
using Geometry = ImageOp::Geometry;
using ImageKind = ImageOp::Kind;

constexpr std::uint32_t faces_per_cube = 6;

double coordinate_of(const ImageOp& op, std::uint32_t dimension, std::uint32_t lane, LaneFile& file) {
  const auto bits = static_cast<std::uint32_t>(lane_value(file, op.coordinates[dimension], lane));
  return op.has_float_coordinates ? static_cast<double>(std::bit_cast<float>(bits))
                                  : static_cast<double>(static_cast<std::int32_t>(bits));
}

std::int32_t offset_in_texels(const ImageOp& op, std::uint32_t dimension, std::uint32_t lane,
                              LaneFile& file) {
  return op.offsets[dimension].pool == Pool::none
             ? 0
             : static_cast<std::int32_t>(lane_value(file, op.offsets[dimension], lane));
}

// PTX ISA, section 5.3.2, channel data types and orders of OpenCL.
std::uint32_t channel_type(const Image& image) {
  constexpr std::uint32_t as_they_are[] = {0x10da, 0x10db, 0x10dc, 0x10d7, 0x10d8, 0x10d9, 0x10dd, 0x10de};
  constexpr std::uint32_t unit_range[] = {0x10d2, 0x10d3, 0, 0x10d0, 0x10d1};
  const auto format = static_cast<std::size_t>(image.format);
  return image.reads_unit_range ? unit_range[format] : as_they_are[format];
}

std::uint32_t channel_order(const Image& image) {
  return image.channels == 1 ? 0x10b0 : image.channels == 2 ? 0x10b2 : 0x10b5;
}

std::uint32_t answer(const Image& image, ImageOp::Query query) {
  switch (query) {
  case ImageOp::Query::width:
    return image.width;
  case ImageOp::Query::height:
    return image.height;
  case ImageOp::Query::depth:
    return image.depth;
  case ImageOp::Query::channel_type:
    return channel_type(image);
  case ImageOp::Query::channel_order:
    return channel_order(image);
  case ImageOp::Query::is_normalized:
    return image.sampler.is_normalized ? 1 : 0;
  case ImageOp::Query::array_size:
    return image.layers;
  case ImageOp::Query::levels:
  case ImageOp::Query::is_linear:
    return 1;
  }
  return 0;
}

// What an image must be like for a geometry.
bool fits(const Image& image, Geometry geometry) {
  switch (geometry) {
  case Geometry::d1:
    return image.height == 1 && image.depth == 1 && image.layers == 0;
  case Geometry::d2:
    return image.depth == 1 && image.layers == 0;
  case Geometry::d3:
    return image.layers == 0;
  case Geometry::a1d:
    return image.layers != 0 && image.height == 1;
  case Geometry::a2d:
    return image.layers != 0;
  case Geometry::cube:
    return image.layers == faces_per_cube && image.width == image.height;
  case Geometry::acube:
    return image.layers != 0 && image.layers % faces_per_cube == 0 && image.width == image.height;
  }
  return false;
}

} // namespace

bool ImageUnit::fail(std::string message, std::uint32_t lane, std::string note) {
  fault_ = {std::move(message), std::move(note), 0, warp_, lane};
  return false;
}

bool ImageUnit::select_sampler(const ImageOp& op, std::uint32_t lane, LaneFile& file) {
  sampler_ = image_->sampler;
  if (!op.sampler)
    return true;
  const std::uint64_t handle = lane_address(file, *op.sampler, lane);
  const auto sampler = space_.sampler(handle);
  if (!sampler)
    return fail(fmt::format("there is no sampler with the handle {:#x}, or its fields are not known", handle),
                lane, "give the .samplerref variable its filter_mode and addr_modes");
  sampler_ = *sampler;
  sampler_.is_normalized = sampler->is_normalized && image_->sampler.is_normalized;
  return true;
}

bool ImageUnit::select(const ImageOp& op, std::uint32_t lane, LaneFile& file) {
  const std::uint64_t handle = lane_address(file, op.handle, lane);
  image_ = space_.image(handle);
  if (image_ == nullptr)
    return fail(
        fmt::format("there is no texture or surface with the handle {:#x}{}", handle, space_.name_at(handle)),
        lane, "describe it: \"textures\" of an application, tex: of --arg");
  return select_sampler(op, lane, file);
}

bool ImageUnit::check_geometry(const ImageOp& op, std::uint32_t lane) {
  if (fits(*image_, op.geometry))
    return true;
  return fail(fmt::format("texture '{}' of {} x {} x {} texels and {} layers does not have the geometry that "
                          "the instruction names",
                          image_->name, image_->width, image_->height, image_->depth, image_->layers),
              lane, "describe it with the height, depth and layers that the kernel expects");
}

bool ImageUnit::check_result(const ImageOp& op, std::uint32_t lane) {
  const bool wants_floats =
      op.type == ptx::Type::f32 || op.type == ptx::Type::f16 || op.type == ptx::Type::f16x2;
  if (wants_floats != reads_floats(*image_))
    return fail(fmt::format("the fetch wants {}, but texture '{}' of {} gives {}",
                            wants_floats ? "floats" : "integers", image_->name,
                            tasklist::texel_format_names[static_cast<std::size_t>(image_->format)],
                            wants_floats ? "integers" : "floats"),
                lane, "describe it with another format, or say how its integers are read");
  if (sampler_.filter == Sampler::Filter::linear && !reads_floats(*image_))
    return fail(fmt::format("integers of texture '{}' cannot be filtered", image_->name), lane);
  return true;
}

// An index beyond the last layer is the last one.
std::int64_t ImageUnit::layer_of(const ImageOp& op, std::uint32_t lane, LaneFile& file) const {
  if (!op.is_array())
    return 0;
  const std::uint32_t count = op.is_cube() ? image_->layers / faces_per_cube : image_->layers;
  const auto layer = static_cast<std::uint32_t>(lane_value(file, op.layer, lane));
  return std::min(layer, count - 1);
}

ImageUnit::Axes ImageUnit::axes_of(const ImageOp& op, std::uint32_t lane, LaneFile& file) const {
  const bool filters = op.kind == ImageKind::gather ||
                       (sampler_.filter == Sampler::Filter::linear && op.has_float_coordinates);
  const std::uint32_t extents[] = {image_->width, image_->height, image_->depth};
  const std::int64_t layer = layer_of(op, lane, file);
  Axes axes;
  if (op.is_cube()) {
    const CubePlace place = cube_place(coordinate_of(op, 0, lane, file), coordinate_of(op, 1, lane, file),
                                       coordinate_of(op, 2, lane, file));
    const AxisRules rules{image_->width, Sampler::Address::clamp, filters};
    const std::int64_t slice = layer * faces_per_cube + place.face;
    axes[0] = axis_of(place.s * image_->width, 0, rules);
    axes[1] = axis_of(place.t * image_->height, 0, rules);
    axes[2].texels = {slice, slice};
    return axes;
  }
  axes[2].texels = {layer, layer};
  const bool is_normalized = sampler_.is_normalized && op.has_float_coordinates;
  for (std::uint32_t d = 0; d < op.dimensions(); ++d) {
    const double scale = is_normalized ? extents[d] : 1;
    axes[d] = axis_of(coordinate_of(op, d, lane, file) * scale, offset_in_texels(op, d, lane, file),
                      {extents[d], sampler_.address[d], filters});
  }
  return axes;
}

std::uint64_t ImageUnit::offset_of(std::int64_t x, std::int64_t y, std::int64_t slice) const {
  return static_cast<std::uint64_t>(slice) * image_->slice_bytes() +
         static_cast<std::uint64_t>(y) * image_->pitch_bytes +
         static_cast<std::uint64_t>(x) * image_->texel_bytes();
}

// In the host's memory; null with a fault if nobody wrote what is read. Images lie inside their buffers.
std::uint8_t* ImageUnit::bytes_at(std::uint64_t offset, std::uint32_t bytes, std::uint32_t lane, bool reads,
                                  bool writes) {
  const std::uint64_t address = space_.image_address(*image_) + offset;
  const Window window = space_.find(address, ptx::Space::global);
  const std::uint64_t at = address - window.base;
  assert(at < window.bytes && window.bytes - at >= bytes && "images are checked against their buffers");
  for (std::uint64_t i = at; window.written != nullptr && i < at + bytes; ++i) {
    if (reads && read<std::uint8_t>(window.written + i) == 0) {
      fail(fmt::format("fetch of {} bytes of '{}' whose contents are unknown, at {}", bytes, image_->name,
                       space_.describe(address)),
           lane, "give the buffer's contents");
      return nullptr;
    }
    if (writes)
      write<std::uint8_t>(window.written + i, 1);
  }
  return window.data + at;
}

// Bit d of `corner` chooses the second texel along dimension d.
bool ImageUnit::read_corner(const Axes& axes, std::uint32_t corner, std::uint32_t lane, Texel& texel) {
  const std::int64_t x = axes[0].texels[corner & 1], y = axes[1].texels[corner >> 1 & 1],
                     slice = axes[2].texels[corner >> 2 & 1];
  texel = border_texel();
  if (x == Axis::outside || y == Axis::outside || slice == Axis::outside)
    return true;
  std::uint8_t* at = bytes_at(offset_of(x, y, slice), image_->texel_bytes(), lane, true, false);
  if (at != nullptr)
    texel = read_texel(*image_, at);
  return at != nullptr;
}

bool ImageUnit::sample(const ImageOp& op, std::uint32_t lane, LaneFile& file) {
  const Axes axes = axes_of(op, lane, file);
  constexpr std::uint32_t corners = 8;
  constexpr double whole = 1.0 / (Axis::whole * Axis::whole * Axis::whole);
  Texel sum{{0, 0, 0, 0}, {}}, texel;
  for (std::uint32_t corner = 0; corner < corners; ++corner) {
    std::uint32_t weight = 1;
    for (std::uint32_t d = 0; d < axes.size(); ++d)
      weight *= (corner >> d & 1) != 0 ? axes[d].weight : Axis::whole - axes[d].weight;
    if (weight == 0)
      continue;
    if (!read_corner(axes, corner, lane, texel))
      return false;
    sum.integers = texel.integers;
    for (std::uint32_t c = 0; c < sum.reals.size(); ++c)
      sum.reals[c] += texel.reals[c] * (weight * whole);
  }
  set_result(op, sum, lane, file);
  return true;
}

// Counter-clockwise from the lower left (PTX ISA, section 9.7.10.4): rows grow downwards.
bool ImageUnit::gather(const ImageOp& op, std::uint32_t lane, LaneFile& file) {
  const Axes axes = axes_of(op, lane, file);
  constexpr std::uint32_t corners[] = {2, 3, 1, 0};
  Texel result, texel;
  for (std::uint32_t k = 0; k < std::size(corners); ++k) {
    if (!read_corner(axes, corners[k], lane, texel))
      return false;
    result.reals[k] = texel.reals[op.component];
    result.integers[k] = texel.integers[op.component];
  }
  set_result(op, result, lane, file);
  return true;
}

void ImageUnit::set_result(const ImageOp& op, const Texel& texel, std::uint32_t lane, LaneFile& file) {
  const auto half = [&](std::uint32_t c) { return warp::encode_element(texel.reals[c], warp::Element::f16); };
  for (std::uint32_t e = 0; e < op.elements; ++e) {
    std::uint64_t bits = texel.integers[e];
    if (op.type == ptx::Type::f16x2)
      bits = half(2 * e) | half(2 * e + 1) << 16;
    else if (op.type == ptx::Type::f16)
      bits = half(e);
    else if (op.type == ptx::Type::f32)
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(texel.reals[e]));
    set_lane_value(file, op.data[e], lane, bits);
  }
}

void ImageUnit::query(const ImageOp& op, std::uint32_t lane, LaneFile& file) const {
  set_lane_value(file, op.data[0], lane, answer(*image_, op.query));
}

bool ImageUnit::execute_lane(const ImageOp& op, std::uint32_t lane, LaneFile& file) {
  if (!select(op, lane, file))
    return false;
  if (op.kind == ImageKind::query) {
    query(op, lane, file);
    return true;
  }
  if (!check_geometry(op, lane))
    return false;
  if (op.kind != ImageKind::sample && op.kind != ImageKind::gather)
    return access_surface(op, lane, file);
  if (!check_result(op, lane))
    return false;
  return op.kind == ImageKind::sample ? sample(op, lane, file) : gather(op, lane, file);
}

bool ImageUnit::execute(const ImageOp& op, LaneMask lanes, LaneFile& file, std::uint32_t warp) {
  warp_ = warp;
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    if (!execute_lane(op, static_cast<std::uint32_t>(std::countr_zero(left)), file))
      return false;
  if (op.is_resident.pool == Pool::predicate)
    file.predicate(op.is_resident.index) |= lanes;
  return true;
}

bool ImageUnit::find_addresses(const ImageOp& op, LaneMask lanes, LaneFile& file,
                               warp::Lanes<std::uint64_t>& addresses) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (op.kind == ImageKind::query || !select(op, lane, file) || !check_geometry(op, lane))
      return false;
    std::uint64_t offset = 0;
    if (op.kind == ImageKind::sample || op.kind == ImageKind::gather) {
      const Axes axes = axes_of(op, lane, file);
      const auto inside = [](const Axis& axis) { return std::max<std::int64_t>(axis.texels[0], 0); };
      offset = offset_of(inside(axes[0]), inside(axes[1]), inside(axes[2]));
    } else {
      SurfacePlace place;
      const std::uint32_t bytes =
          op.counts_texels ? image_->texel_bytes() : op.elements * ptx::size_bytes(op.type);
      if (!place_on_surface(op, bytes, lane, file, place))
        return false;
      offset = place.offset;
    }
    addresses[lane] = space_.image_address(*image_) + offset;
  }
  return true;
}

} // namespace kerncast::functional
