#include "argument_values.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "application/read.h"
#include "texture_values.h"

namespace kerncast::app {
namespace {

using tasklist::Argument;

// What is wrong with a value; empty: nothing.
using Problem = std::string;

struct ArgumentValue {
  Argument argument;
  application::Contents contents; // of a buffer
  std::optional<tasklist::Image> texture;
};

template <class T> std::optional<T> parse(std::string_view text) {
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

template <class T, Argument::Kind kind> Problem read_integer(std::string_view text, ArgumentValue& into) {
  const std::optional<T> value = parse<T>(text);
  if (!value)
    return fmt::format("must be a whole number from {} to {}", std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::max());
  into.argument.kind = kind;
  into.argument.bits = static_cast<std::make_unsigned_t<T>>(*value);
  return {};
}

template <class T, class Bits, Argument::Kind kind>
Problem read_float(std::string_view text, ArgumentValue& into) {
  const std::optional<T> value = parse<T>(text);
  if (!value)
    return "must be a number that fits the type";
  into.argument.kind = kind;
  into.argument.bits = std::bit_cast<Bits>(*value);
  return {};
}

struct PatternRow {
  std::string_view name;
  application::InitKind kind;
};
constexpr PatternRow patterns[] = {{"iota", application::InitKind::iota},
                                   {"zeros", application::InitKind::zeros},
                                   {"random", application::InitKind::random},
                                   {"constant", application::InitKind::constant}};

// NAME[:TYPE[:VALUE]], VALUE being the seed of random and the value of constant.
Problem read_pattern(std::string_view text, application::Contents& into) {
  const std::size_t colon = text.find(':');
  const auto* row = std::find_if(std::begin(patterns), std::end(patterns),
                                 [&](const PatternRow& r) { return r.name == text.substr(0, colon); });
  if (row == std::end(patterns))
    return "must have contents iota, zeros, random, constant or @FILE";
  into.kind = row->kind;
  if (colon == std::string_view::npos)
    return {};
  const std::string_view rest = text.substr(colon + 1);
  const std::size_t second = rest.find(':');
  into.type = application::find_element_type(rest.substr(0, second));
  if (!into.type)
    return fmt::format("must have elements of one of the types {}",
                       fmt::join(application::element_type_names, ", "));
  if (second == std::string_view::npos)
    return {};
  const std::string_view value = rest.substr(second + 1);
  const std::optional<double> real = parse<double>(value);
  const std::optional<std::uint64_t> seed = parse<std::uint64_t>(value);
  if (!real || (into.kind == application::InitKind::random && !seed))
    return "must have a number as its value or seed";
  into.value = *real;
  into.seed = seed.value_or(0);
  return application::contents_error(into);
}

Problem read_contents(std::string_view contents, std::uint64_t bytes, application::Contents& into) {
  if (!contents.starts_with('@'))
    return read_pattern(contents, into);
  std::error_code unreadable;
  into.kind = application::InitKind::file;
  into.path = contents.substr(1);
  const std::uintmax_t found = std::filesystem::file_size(into.path, unreadable);
  if (unreadable)
    return fmt::format("cannot read '{}': {}", into.path.string(), unreadable.message());
  return found == bytes ? Problem{}
                        : fmt::format("has {} bytes, the file '{}' {}", bytes, into.path.string(), found);
}

Problem read_buffer(std::string_view text, ArgumentValue& into) {
  const std::size_t equals = text.find('=');
  const std::optional<std::uint64_t> bytes = parse<std::uint64_t>(text.substr(0, equals));
  if (!bytes || *bytes == 0 || *bytes > application::max_bytes)
    return fmt::format("must have a size from 1 to {} bytes", application::max_bytes);
  into.argument.kind = Argument::Kind::buffer;
  into.argument.buffer_bytes = *bytes;
  return equals == std::string_view::npos ? Problem{}
                                          : read_contents(text.substr(equals + 1), *bytes, into.contents);
}

// FORMAT:EXTENT{:OPTION}{=CONTENTS}
Problem read_texture(std::string_view text, ArgumentValue& into) {
  const std::size_t equals = text.find('=');
  tasklist::Image image;
  if (Problem problem = parse_texture(text.substr(0, equals), image); !problem.empty())
    return problem;
  into.argument.kind = Argument::Kind::u64;
  into.texture = image;
  return equals == std::string_view::npos
             ? Problem{}
             : read_contents(text.substr(equals + 1), image.bytes(), into.contents);
}

struct TypeRow {
  std::string_view name;
  Problem (*read)(std::string_view text, ArgumentValue& into);
};

constexpr TypeRow types[] = {{"i32", read_integer<std::int32_t, Argument::Kind::i32>},
                             {"u32", read_integer<std::uint32_t, Argument::Kind::u32>},
                             {"i64", read_integer<std::int64_t, Argument::Kind::i64>},
                             {"u64", read_integer<std::uint64_t, Argument::Kind::u64>},
                             {"f32", read_float<float, std::uint32_t, Argument::Kind::f32>},
                             {"f64", read_float<double, std::uint64_t, Argument::Kind::f64>},
                             {"buf", read_buffer},
                             {"tex", read_texture}};

Problem read_argument(std::string_view text, ArgumentValue& into) {
  const std::size_t colon = text.find(':');
  for (const TypeRow& row : types)
    if (row.name == text.substr(0, colon))
      return row.read(colon == std::string_view::npos ? "" : text.substr(colon + 1), into);
  return "must start with one of the types i32, u32, i64, u64, f32, f64, buf, tex";
}

} // namespace

Expected<ArgumentList> parse_arguments(const std::vector<std::string>& texts) {
  ArgumentList list;
  Diagnostics errors;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ArgumentValue value;
    const Problem problem = read_argument(texts[i], value);
    if (!problem.empty()) {
      Diagnostic d;
      d.message = fmt::format("argument {}: --arg {} {}", i + 1, texts[i], problem);
      d.notes = {"write TYPE:VALUE, for example i32:4096, f32:0.5, buf:67108864 or buf:4096=iota"};
      errors.push_back(std::move(d));
    }
    if (value.argument.kind == Argument::Kind::buffer) {
      value.argument.buffer = static_cast<std::uint32_t>(list.buffers.size());
      list.buffers.push_back(
          {std::to_string(i + 1), value.argument.buffer_bytes, std::move(value.contents), {}});
    }
    if (value.texture) {
      tasklist::Image& texture = *value.texture;
      texture.name = std::to_string(i + 1);
      texture.buffer = static_cast<std::uint32_t>(list.buffers.size());
      value.argument.bits = tasklist::image_handle(static_cast<std::uint32_t>(list.textures.size()));
      list.buffers.push_back({texture.name, texture.bytes(), std::move(value.contents), {}});
      list.textures.push_back(std::move(texture));
    }
    list.arguments.push_back(value.argument);
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return list;
}

} // namespace kerncast::app
