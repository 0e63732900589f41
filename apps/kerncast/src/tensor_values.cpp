#include "tensor_values.h"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "application/read.h"
#include "number_text.h"

namespace kerncast::app {
namespace {

using tasklist::TensorMap;

template <class T> bool parse_numbers(std::string_view text, std::span<T> into, std::size_t& count) {
  const std::vector<std::string_view> parts = split(text, 'x');
  count = parts.size();
  for (std::size_t d = 0; d < parts.size(); ++d) {
    const auto number = parse_number<T>(parts[d]);
    if (!number || d >= into.size())
      return false;
    into[d] = *number;
  }
  return true;
}

ValueProblem set_option(std::string_view option, TensorMap& into) {
  constexpr std::string_view swizzles[] = {"32b", "64b", "128b"};
  const auto* swizzle = std::find(std::begin(swizzles), std::end(swizzles), option);
  if (swizzle != std::end(swizzles))
    into.swizzle = static_cast<std::uint8_t>(swizzle - std::begin(swizzles) + 1);
  else if (option == "nan")
    into.fill = 1;
  else
    return fmt::format("has the option '{}', which is none of 32b, 64b, 128b, nan", option);
  return {};
}

} // namespace

std::string parse_tensor(std::string_view text, TensorMap& into) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() < 3)
    return "must have a type, extents and a box, such as f16:1024x512:64x128";
  const auto type = tasklist::find_tensor_type(parts[0]);
  if (!type)
    return fmt::format("must have elements of one of the types {}", tasklist::tensor_type_list());
  into.type = static_cast<std::uint8_t>(*type);
  std::size_t dims = 0, box = 0;
  if (!parse_numbers<std::uint64_t>(parts[1], into.dims, dims) ||
      !parse_numbers<std::uint16_t>(parts[2], into.box, box) || dims != box)
    return "must have extents and a box of the same 1 to 5 dimensions, such as 1024x512:64x128";
  into.rank_less_one = static_cast<std::uint8_t>(dims - 1);
  std::fill_n(into.element_strides.begin(), dims, std::uint8_t{1});
  for (const std::string_view option : std::span(parts).subspan(3))
    if (ValueProblem problem = set_option(option, into); !problem.empty())
      return problem;
  tasklist::make_dense(into);
  if (const auto checked = tasklist::check_tensor_map(into, 0, application::max_bytes); !checked)
    return "is no tensor map: " + checked.error()[0].message;
  return {};
}

} // namespace kerncast::app
