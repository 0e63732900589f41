// "textures": {"image": {"buffer": "pixels", "format": "u8", "channels": 4, "width": 640, "height": 480,
//                        "read": "unit_range", "filter": "linear", "address": "wrap", "coordinates":
//                        "normalized"}}
//
// Textures and surfaces alike. Kernels get them as arguments, {"texture": "image"}, or by the name of a
// .texref or .surfref variable.
#include <algorithm>

#include <fmt/format.h>

#include "application/read.h"
#include "parts.h"

namespace kerncast::application {
namespace {

using tasklist::Image;
using tasklist::Sampler;

struct TextureDraft {
  const Draft& draft;
  Image image;
  bool has_pitch = false;
  bool has_buffer = false, has_format = false, has_width = false; // else an error has been told
};

// Number of a name in a list; an error if it is none of them.
template <std::size_t n>
std::optional<std::size_t> read_choice(ValueReader& reader, NodeId value, std::string_view what,
                                       const std::string_view (&names)[n]) {
  if (!reader.expect(value, json::Kind::string, what))
    return std::nullopt;
  const auto* found = std::find(std::begin(names), std::end(names), reader.tree().text(value));
  if (found != std::end(names))
    return static_cast<std::size_t>(found - std::begin(names));
  reader.unknown_name(value, what, names);
  return std::nullopt;
}

void read_buffer(ValueReader& reader, NodeId value, TextureDraft& into) {
  if (const auto buffer = find_buffer(reader, value, into.draft))
    into.image.buffer = *buffer;
  into.has_buffer = into.image.buffer < into.draft.app.buffers.size();
}

void read_offset(ValueReader& reader, NodeId value, TextureDraft& into) {
  into.image.offset = reader.natural(value, "offset", {0, max_bytes}).value_or(0);
}

void read_format(ValueReader& reader, NodeId value, TextureDraft& into) {
  if (const auto row = read_choice(reader, value, "texel format", tasklist::texel_format_names))
    into.image.format = static_cast<tasklist::TexelFormat>(*row);
  into.has_format = true;
}

void read_channels(ValueReader& reader, NodeId value, TextureDraft& into) {
  into.image.channels = static_cast<std::uint32_t>(reader.natural(value, "channels", {1, 4}).value_or(1));
}

template <std::uint32_t Image::*extent>
void read_extent(ValueReader& reader, NodeId value, TextureDraft& into) {
  const auto texels = reader.natural(value, "a texture's extent", {1, Image::max_extent});
  into.image.*extent = static_cast<std::uint32_t>(texels.value_or(1));
  into.has_width = into.has_width || extent == &Image::width;
}

void read_pitch(ValueReader& reader, NodeId value, TextureDraft& into) {
  into.image.pitch_bytes = reader.natural(value, "pitch_bytes", {1, max_bytes}).value_or(1);
  into.has_pitch = true;
}

void read_reading(ValueReader& reader, NodeId value, TextureDraft& into) {
  constexpr std::string_view names[] = {"element", "unit_range"};
  into.image.reads_unit_range = read_choice(reader, value, "way to read", names) == std::size_t{1};
}

void read_filter(ValueReader& reader, NodeId value, TextureDraft& into) {
  if (const auto row = read_choice(reader, value, "filter", tasklist::sampler_filter_names))
    into.image.sampler.filter = static_cast<Sampler::Filter>(*row);
}

void read_address(ValueReader& reader, NodeId value, TextureDraft& into) {
  if (const auto row = read_choice(reader, value, "address mode", tasklist::sampler_address_names))
    into.image.sampler.address.fill(static_cast<Sampler::Address>(*row));
}

void read_coordinates(ValueReader& reader, NodeId value, TextureDraft& into) {
  constexpr std::string_view names[] = {"texels", "normalized"};
  into.image.sampler.is_normalized =
      read_choice(reader, value, "kind of coordinates", names) == std::size_t{1};
}

constexpr Field<TextureDraft> texture_fields[] = {{"buffer", Need::required, read_buffer},
                                                  {"offset", Need::optional, read_offset},
                                                  {"format", Need::required, read_format},
                                                  {"channels", Need::optional, read_channels},
                                                  {"width", Need::required, read_extent<&Image::width>},
                                                  {"height", Need::optional, read_extent<&Image::height>},
                                                  {"depth", Need::optional, read_extent<&Image::depth>},
                                                  {"layers", Need::optional, read_extent<&Image::layers>},
                                                  {"pitch_bytes", Need::optional, read_pitch},
                                                  {"read", Need::optional, read_reading},
                                                  {"filter", Need::optional, read_filter},
                                                  {"address", Need::optional, read_address},
                                                  {"coordinates", Need::optional, read_coordinates}};

} // namespace

std::optional<std::uint32_t> find_buffer(ValueReader& reader, NodeId value, const Draft& draft) {
  const std::uint32_t* number = find_named(reader, value, "buffer", draft.buffer_numbers);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

void read_textures(ValueReader& reader, NodeId object, Draft& draft) {
  if (!reader.expect(object, json::Kind::object, "textures"))
    return;
  reader.refuse_repeated_keys(object);
  reader.for_each_member(object, [&](NodeId key, NodeId value) {
    TextureDraft context{draft, {}};
    context.image.name = reader.tree().text(key);
    read_object(reader, value, "texture", texture_fields, context);
    Image& image = context.image;
    if (!context.has_pitch)
      image.pitch_bytes = std::uint64_t{image.width} * image.texel_bytes();
    if (context.has_buffer && context.has_format && context.has_width)
      if (const auto problem = problem_of(image, draft.app.buffers[image.buffer].bytes))
        reader.error(value, problem->message, {problem->note});
    draft.texture_numbers.emplace(image.name, static_cast<std::uint32_t>(draft.app.textures.size()));
    draft.app.textures.push_back(std::move(image));
  });
}

} // namespace kerncast::application
