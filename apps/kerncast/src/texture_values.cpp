#include "texture_values.h"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "application/read.h"
#include "number_text.h"

namespace kerncast::app {
namespace {

using tasklist::Image;
using tasklist::Sampler;

bool read_number(std::string_view text, std::uint32_t& into) {
  const std::optional<std::uint32_t> value = parse_number<std::uint32_t>(text);
  into = value.value_or(into);
  return value.has_value();
}

ValueProblem parse_format(std::string_view text, Image& into) {
  const std::vector<std::string_view> parts = split(text, 'x');
  const auto* format =
      std::find(std::begin(tasklist::texel_format_names), std::end(tasklist::texel_format_names), parts[0]);
  const bool has_channels = parts.size() == 1 || (parts.size() == 2 && read_number(parts[1], into.channels));
  if (format == std::end(tasklist::texel_format_names) || !has_channels)
    return fmt::format("must have a format like u8x4, with one of the types {}",
                       fmt::join(tasklist::texel_format_names, ", "));
  into.format = static_cast<tasklist::TexelFormat>(format - std::begin(tasklist::texel_format_names));
  return {};
}

ValueProblem parse_extent(std::string_view text, Image& into) {
  const std::vector<std::string_view> parts = split(text, 'x');
  std::uint32_t* const extents[] = {&into.width, &into.height, &into.depth};
  for (std::size_t d = 0; d < parts.size(); ++d)
    if (d == std::size(extents) || !read_number(parts[d], *extents[d]))
      return "must have an extent of WIDTH, WIDTHxHEIGHT or WIDTHxHEIGHTxDEPTH texels";
  return {};
}

struct OptionRow {
  std::string_view name;
  void (*apply)(Image& image);
};
template <Sampler::Address address> void set_address(Image& image) { image.sampler.address.fill(address); }
constexpr OptionRow option_rows[] = {
    {"nearest", [](Image& image) { image.sampler.filter = Sampler::Filter::nearest; }},
    {"linear", [](Image& image) { image.sampler.filter = Sampler::Filter::linear; }},
    {"clamp", set_address<Sampler::Address::clamp>},
    {"border", set_address<Sampler::Address::border>},
    {"wrap", set_address<Sampler::Address::wrap>},
    {"mirror", set_address<Sampler::Address::mirror>},
    {"normalized", [](Image& image) { image.sampler.is_normalized = true; }},
    {"unit_range", [](Image& image) { image.reads_unit_range = true; }},
    {"layered", [](Image& image) {
       image.layers = image.depth;
       image.depth = 1;
     }}};

ValueProblem parse_option(std::string_view text, Image& into) {
  for (const OptionRow& row : option_rows)
    if (row.name == text) {
      row.apply(into);
      return {};
    }
  std::vector<std::string_view> names;
  for (const OptionRow& row : option_rows)
    names.push_back(row.name);
  return fmt::format("has an unknown option '{}', which must be one of {}", text, fmt::join(names, ", "));
}

} // namespace

std::string parse_texture(std::string_view text, Image& into) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() < 2)
    return "must have a format and an extent, for example tex:u8x4:640x480";
  if (ValueProblem problem = parse_format(parts[0], into); !problem.empty())
    return problem;
  if (ValueProblem problem = parse_extent(parts[1], into); !problem.empty())
    return problem;
  for (const std::string_view option : std::span(parts).subspan(2))
    if (ValueProblem problem = parse_option(option, into); !problem.empty())
      return problem;
  into.pitch_bytes = std::uint64_t{into.width} * into.texel_bytes();
  const auto problem = tasklist::problem_of(into, application::max_bytes);
  return problem ? fmt::format("is no texture: {}; {}", problem->message, problem->note) : ValueProblem{};
}

} // namespace kerncast::app
