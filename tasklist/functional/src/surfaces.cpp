// Loads, stores and reductions on surfaces (PTX ISA, section 9.7.11).
#include <algorithm>

#include <fmt/format.h>

#include "atomics.h"
#include "host_bytes.h"
#include "image_unit.h"

namespace kerncast::functional {
namespace {

using ptx::Type;
using warp::ImageOp;
using warp::LaneFile;
using OutOfRange = ImageOp::OutOfRange;

// The nearest multiple of `step` from 0 on below `end`, of which there is one.
std::int64_t nearest(std::int64_t place, std::int64_t end, std::int64_t step) {
  return std::clamp<std::int64_t>(place, 0, (end / step - 1) * step);
}

using Place3 = std::array<std::int64_t, 3>;

// Byte, row, and slice or layer that the coordinates name.
Place3 named_place(const ImageOp& op, const tasklist::Image& image, std::uint32_t lane, LaneFile& file) {
  Place3 at{};
  for (std::uint32_t d = 0; d < op.dimensions(); ++d)
    at[d] = static_cast<std::int32_t>(lane_value(file, op.coordinates[d], lane));
  if (op.is_array())
    at[2] = static_cast<std::uint32_t>(lane_value(file, op.layer, lane));
  at[0] *= op.counts_texels ? image.texel_bytes() : 1;
  return at;
}

bool is_within(const Place3& at, const Place3& ends, const Place3& steps) {
  bool within = true;
  for (std::size_t d = 0; d < at.size(); ++d)
    within = within && at[d] >= 0 && at[d] <= ends[d] - steps[d];
  return within;
}

// `at` null: zeros are loaded, nothing is stored.
void move_elements(const ImageOp& op, std::uint8_t* at, std::uint32_t lane, LaneFile& file) {
  const std::uint32_t bytes = ptx::size_bytes(op.type);
  for (std::uint32_t e = 0; e < op.elements; ++e) {
    if (op.kind == ImageOp::Kind::load)
      set_lane_value(file, op.data[e], lane, at == nullptr ? 0 : read_bytes(at + e * bytes, bytes));
    else if (at != nullptr)
      write_bytes(at + e * bytes, bytes, lane_value(file, op.data[e], lane));
  }
}

} // namespace

// Along the first dimension bytes count, or texels, but places are in bytes.
bool ImageUnit::place_on_surface(const ImageOp& op, std::uint32_t bytes, std::uint32_t lane, LaneFile& file,
                                 SurfacePlace& place) {
  const std::int64_t row_bytes = std::int64_t{image_->width} * image_->texel_bytes();
  const Place3 ends = {row_bytes, image_->height, op.is_array() ? image_->layers : image_->depth};
  const Place3 steps = {bytes, 1, 1};
  Place3 at = named_place(op, *image_, lane, file);
  place.is_inside = is_within(at, ends, steps);
  if (!place.is_inside && (op.out_of_range == OutOfRange::trap || bytes > row_bytes))
    return fail(
        fmt::format("access of {} bytes outside of surface '{}', at byte {}, row {}, slice {} ({} bytes "
                    "by {} rows by {} slices)",
                    bytes, image_->name, at[0], at[1], at[2], ends[0], ends[1], ends[2]),
        lane, "check the kernel's bounds and the surface's size");
  for (std::size_t d = 0; !place.is_inside && d < at.size(); ++d)
    at[d] = nearest(at[d], ends[d], steps[d]);
  place.is_inside = place.is_inside || op.out_of_range == OutOfRange::clamp;
  place.offset = static_cast<std::uint64_t>(at[2]) * image_->slice_bytes() +
                 static_cast<std::uint64_t>(at[1]) * image_->pitch_bytes + static_cast<std::uint64_t>(at[0]);
  if ((space_.image_address(*image_) + place.offset) % bytes != 0)
    return fail(fmt::format("access of {} bytes on surface '{}' at byte {} of row {}, which is not aligned",
                            bytes, image_->name, at[0], at[1]),
                lane, "the first coordinate counts bytes and is a multiple of the access's size");
  return true;
}

// sust.p: a texel from 32-bit values. Those that the texel has no channel for are left out; channels without
// a value, of which the manual says nothing, become zeros.
bool ImageUnit::store_texel(const ImageOp& op, SurfacePlace place, std::uint32_t lane, LaneFile& file) {
  std::uint8_t* to = bytes_at(place.offset, image_->texel_bytes(), lane, false, true);
  const std::uint32_t bytes = image_->channel_bytes();
  for (std::uint32_t c = 0; c < image_->channels; ++c) {
    const auto value = c < op.elements ? static_cast<std::uint32_t>(lane_value(file, op.data[c], lane)) : 0U;
    write_bytes(to + c * bytes, bytes, encode_channel(*image_, value));
  }
  return true;
}

// sured.p takes the type from the surface.
bool ImageUnit::reduce(const ImageOp& op, SurfacePlace place, std::uint32_t lane, LaneFile& file) {
  const std::uint32_t bytes = ptx::size_bytes(op.type);
  Type type = op.type;
  if (op.counts_texels) {
    if (image_->texel_bytes() != bytes || image_->is_float())
      return fail(
          fmt::format("a reduction of {} bytes on surface '{}', whose texels are no integers of this size",
                      bytes, image_->name),
          lane, "describe the surface with the format that the kernel expects");
    const bool is_signed = image_->is_signed();
    type = bytes == 8 ? (is_signed ? Type::s64 : Type::u64) : (is_signed ? Type::s32 : Type::u32);
  }
  std::uint8_t* at = bytes_at(place.offset, bytes, lane, true, true);
  if (at == nullptr)
    return false;
  atomic_function(op.function, type)(at, lane_value(file, op.data[0], lane), 0);
  return true;
}

bool ImageUnit::access_surface(const ImageOp& op, std::uint32_t lane, LaneFile& file) {
  const std::uint32_t element_bytes = ptx::size_bytes(op.type);
  const std::uint32_t bytes = op.counts_texels ? image_->texel_bytes() : op.elements * element_bytes;
  const bool loads = op.kind == ImageOp::Kind::load;
  SurfacePlace place;
  if (!place_on_surface(op, bytes, lane, file, place))
    return false;
  if (op.kind == ImageOp::Kind::reduce)
    return !place.is_inside || reduce(op, place, lane, file);
  if (op.counts_texels)
    return !place.is_inside || store_texel(op, place, lane, file);
  std::uint8_t* at = place.is_inside ? bytes_at(place.offset, bytes, lane, loads, !loads) : nullptr;
  if (at == nullptr && place.is_inside)
    return false;
  move_elements(op, at, lane, file);
  return true;
}

} // namespace kerncast::functional
