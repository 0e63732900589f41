#include "argument_values.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "application/read.h"

namespace kerncast::app {
namespace {

using tasklist::Argument;

// What is wrong with a value; empty: nothing.
using Problem = std::string;

template <class T> std::optional<T> parse(std::string_view text) {
  T value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

template <class T, Argument::Kind kind> Problem read_integer(std::string_view text, Argument& into) {
  const std::optional<T> value = parse<T>(text);
  if (!value)
    return fmt::format("must be a whole number from {} to {}", std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::max());
  into.kind = kind;
  into.bits = static_cast<std::make_unsigned_t<T>>(*value);
  return {};
}

template <class T, class Bits, Argument::Kind kind>
Problem read_float(std::string_view text, Argument& into) {
  const std::optional<T> value = parse<T>(text);
  if (!value)
    return "must be a number that fits the type";
  into.kind = kind;
  into.bits = std::bit_cast<Bits>(*value);
  return {};
}

// Known patterns of a buffer's contents; @file is checked apart.
constexpr std::string_view patterns[] = {"iota", "zeros", "random"};

Problem check_contents(std::string_view contents, std::uint64_t bytes) {
  if (!contents.starts_with('@')) {
    const bool known = std::find(std::begin(patterns), std::end(patterns), contents) != std::end(patterns);
    return known ? Problem{} : "must have contents iota, zeros, random or @FILE";
  }
  std::error_code unreadable;
  const std::filesystem::path path(contents.substr(1));
  const std::uintmax_t found = std::filesystem::file_size(path, unreadable);
  if (unreadable)
    return fmt::format("cannot read '{}': {}", path.string(), unreadable.message());
  return found == bytes ? Problem{}
                        : fmt::format("has {} bytes, the file '{}' {}", bytes, path.string(), found);
}

Problem read_buffer(std::string_view text, Argument& into) {
  const std::size_t equals = text.find('=');
  const std::optional<std::uint64_t> bytes = parse<std::uint64_t>(text.substr(0, equals));
  if (!bytes || *bytes == 0 || *bytes > application::max_bytes)
    return fmt::format("must have a size from 1 to {} bytes", application::max_bytes);
  into.kind = Argument::Kind::buffer;
  into.buffer_bytes = *bytes;
  return equals == std::string_view::npos ? Problem{} : check_contents(text.substr(equals + 1), *bytes);
}

struct TypeRow {
  std::string_view name;
  Problem (*read)(std::string_view text, Argument& into);
};

constexpr TypeRow types[] = {{"i32", read_integer<std::int32_t, Argument::Kind::i32>},
                             {"u32", read_integer<std::uint32_t, Argument::Kind::u32>},
                             {"i64", read_integer<std::int64_t, Argument::Kind::i64>},
                             {"u64", read_integer<std::uint64_t, Argument::Kind::u64>},
                             {"f32", read_float<float, std::uint32_t, Argument::Kind::f32>},
                             {"f64", read_float<double, std::uint64_t, Argument::Kind::f64>},
                             {"buf", read_buffer}};

Problem read_argument(std::string_view text, Argument& into) {
  const std::size_t colon = text.find(':');
  for (const TypeRow& row : types)
    if (row.name == text.substr(0, colon))
      return row.read(colon == std::string_view::npos ? "" : text.substr(colon + 1), into);
  return "must start with one of the types i32, u32, i64, u64, f32, f64, buf";
}

} // namespace

Expected<std::vector<Argument>> parse_arguments(const std::vector<std::string>& texts) {
  std::vector<Argument> arguments;
  Diagnostics errors;
  std::uint32_t buffers = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Argument argument;
    const Problem problem = read_argument(texts[i], argument);
    if (!problem.empty()) {
      Diagnostic d;
      d.message = fmt::format("argument {}: --arg {} {}", i + 1, texts[i], problem);
      d.notes = {"write TYPE:VALUE, for example i32:4096, f32:0.5, buf:67108864 or buf:4096=iota"};
      errors.push_back(std::move(d));
    }
    if (argument.kind == Argument::Kind::buffer)
      argument.buffer = buffers++;
    arguments.push_back(argument);
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return arguments;
}

} // namespace kerncast::app
