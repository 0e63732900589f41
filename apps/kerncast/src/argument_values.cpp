#include "argument_values.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "application/read.h"
#include "application/struct_layout.h"
#include "number_text.h"
#include "tensor_values.h"
#include "texture_values.h"

namespace kerncast::app {
namespace {

using tasklist::Argument;

// What is wrong with a value; empty: nothing.

struct ArgumentValue {
  Argument argument;
  std::uint32_t bytes = 0;        // of a member of a structure
  application::Contents contents; // of a buffer
  std::optional<tasklist::Image> texture;
  std::optional<tasklist::TensorMap> tensor;
};

template <class T, Argument::Kind kind>
ValueProblem read_integer(std::string_view text, ArgumentValue& into) {
  const std::optional<T> value = parse_number<T>(text);
  if (!value)
    return fmt::format("must be a whole number from {} to {}", std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::max());
  into.argument.kind = kind;
  into.argument.bits = static_cast<std::make_unsigned_t<T>>(*value);
  into.bytes = sizeof(T);
  return {};
}

template <class T, class Bits, Argument::Kind kind>
ValueProblem read_float(std::string_view text, ArgumentValue& into) {
  const std::optional<T> value = parse_number<T>(text);
  if (!value)
    return "must be a number that fits the type";
  into.argument.kind = kind;
  into.argument.bits = std::bit_cast<Bits>(*value);
  into.bytes = sizeof(T);
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
ValueProblem read_pattern(std::string_view text, application::Contents& into) {
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
  const std::optional<double> real = parse_number<double>(value);
  const std::optional<std::uint64_t> seed = parse_number<std::uint64_t>(value);
  if (!real || (into.kind == application::InitKind::random && !seed))
    return "must have a number as its value or seed";
  into.value = *real;
  into.seed = seed.value_or(0);
  return application::contents_error(into);
}

ValueProblem read_contents(std::string_view contents, std::uint64_t bytes, application::Contents& into) {
  if (!contents.starts_with('@'))
    return read_pattern(contents, into);
  std::error_code unreadable;
  into.kind = application::InitKind::file;
  into.path = contents.substr(1);
  const std::uintmax_t found = std::filesystem::file_size(into.path, unreadable);
  if (unreadable)
    return fmt::format("cannot read '{}': {}", into.path.string(), unreadable.message());
  return found == bytes ? ValueProblem{}
                        : fmt::format("has {} bytes, the file '{}' {}", bytes, into.path.string(), found);
}

// Behind the description of a buffer with so many bytes.
ValueProblem read_contents_behind(std::string_view text, std::size_t equals, std::uint64_t bytes,
                                  application::Contents& into) {
  return equals == std::string_view::npos ? ValueProblem{}
                                          : read_contents(text.substr(equals + 1), bytes, into);
}

ValueProblem read_buffer(std::string_view text, ArgumentValue& into) {
  const std::size_t equals = text.find('=');
  const std::optional<std::uint64_t> bytes = parse_number<std::uint64_t>(text.substr(0, equals));
  if (!bytes || *bytes == 0 || *bytes > application::max_bytes)
    return fmt::format("must have a size from 1 to {} bytes", application::max_bytes);
  into.argument.kind = Argument::Kind::buffer;
  into.argument.buffer_bytes = *bytes;
  into.bytes = sizeof(std::uint64_t);
  return read_contents_behind(text, equals, *bytes, into.contents);
}

// FORMAT:EXTENT{:OPTION}{=CONTENTS}
ValueProblem read_texture(std::string_view text, ArgumentValue& into) {
  const std::size_t equals = text.find('=');
  into.texture.emplace();
  if (ValueProblem problem = parse_texture(text.substr(0, equals), *into.texture); !problem.empty())
    return problem;
  into.argument.kind = Argument::Kind::u64;
  into.bytes = sizeof(std::uint64_t);
  return read_contents_behind(text, equals, into.texture->bytes(), into.contents);
}

// TYPE:EXTENTS:BOX{:OPTION}{=CONTENTS}
ValueProblem read_tensor(std::string_view text, ArgumentValue& into) {
  const std::size_t equals = text.find('=');
  into.tensor.emplace();
  if (ValueProblem problem = parse_tensor(text.substr(0, equals), *into.tensor); !problem.empty())
    return problem;
  into.argument.kind = Argument::Kind::buffer; // where its tensor lies
  into.argument.buffer_bytes = into.tensor->tensor_bytes();
  return read_contents_behind(text, equals, into.argument.buffer_bytes, into.contents);
}

struct TypeRow {
  std::string_view name;
  ValueProblem (*read)(std::string_view text, ArgumentValue& into);
};

constexpr TypeRow types[] = {{"i32", read_integer<std::int32_t, Argument::Kind::i32>},
                             {"u32", read_integer<std::uint32_t, Argument::Kind::u32>},
                             {"i64", read_integer<std::int64_t, Argument::Kind::i64>},
                             {"u64", read_integer<std::uint64_t, Argument::Kind::u64>},
                             {"f32", read_float<float, std::uint32_t, Argument::Kind::f32>},
                             {"f64", read_float<double, std::uint64_t, Argument::Kind::f64>},
                             {"buf", read_buffer},
                             {"tex", read_texture},
                             {"tensor", read_tensor}};
// Of members of structures only.
constexpr TypeRow small_types[] = {{"i8", read_integer<std::int8_t, Argument::Kind::i32>},
                                   {"u8", read_integer<std::uint8_t, Argument::Kind::u32>},
                                   {"i16", read_integer<std::int16_t, Argument::Kind::i32>},
                                   {"u16", read_integer<std::uint16_t, Argument::Kind::u32>}};

ValueProblem read_one_of(std::span<const TypeRow> rows, std::string_view text, ArgumentValue& into,
                         bool& found) {
  const std::size_t colon = text.find(':');
  for (const TypeRow& row : rows)
    if (row.name == text.substr(0, colon)) {
      found = true;
      return row.read(colon == std::string_view::npos ? "" : text.substr(colon + 1), into);
    }
  return {};
}

class ListReader {
public:
  Expected<ArgumentList> read(const std::vector<std::string>& texts) {
    Diagnostics errors;
    for (const std::string& text : texts) {
      if (const ValueProblem problem = read_argument(text); !problem.empty()) {
        Diagnostic d;
        d.message = fmt::format("argument {}: --arg {} {}", number(), text, problem);
        d.notes = {"write TYPE:VALUE, for example i32:4096, f32:0.5, buf:67108864 or buf:4096=iota"};
        errors.push_back(std::move(d));
      }
      list_.arguments.push_back(argument_);
    }
    if (!errors.empty())
      return tl::unexpected(std::move(errors));
    return std::move(list_);
  }

private:
  static Argument structure_argument() { return {Argument::Kind::structure, 0, 0, 0}; }
  application::StructLayout layout_of_argument() {
    return {static_cast<std::uint32_t>(list_.arguments.size()), list_.members};
  }
  std::size_t number() const { return list_.arguments.size() + 1; }

  ValueProblem read_argument(std::string_view text) {
    constexpr std::string_view structure = "struct:";
    argument_ = {};
    if (text.starts_with(structure))
      return read_structure(text.substr(structure.size()));
    ArgumentValue value;
    bool found = false;
    const ValueProblem problem = read_one_of(types, text, value, found);
    if (!found)
      return "must start with one of the types i32, u32, i64, u64, f32, f64, buf, tex, tensor, struct";
    if (!problem.empty())
      return problem;
    const auto tensor = value.tensor;
    argument_ = add(std::move(value), std::to_string(number()));
    if (tensor) {
      layout_of_argument().add_tensor_map(*tensor, argument_, {});
      argument_ = structure_argument();
    }
    return {};
  }

  // MEMBER{,MEMBER}, each TYPE:VALUE or @OFFSET:TYPE:VALUE.
  ValueProblem read_structure(std::string_view text) {
    argument_ = structure_argument();
    application::StructLayout layout = layout_of_argument();
    for (std::size_t m = 1; m == 1 || !text.empty(); ++m) {
      const std::size_t comma = text.find(',');
      if (const ValueProblem problem = read_member(text.substr(0, comma), m, layout); !problem.empty())
        return fmt::format("member {}: {}", m, problem);
      if (comma + 1 == text.size())
        return "ends with a comma";
      text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    return {};
  }

  ValueProblem read_member(std::string_view text, std::size_t member, application::StructLayout& layout) {
    constexpr std::uint32_t max_structure_bytes = 32764; // of parameters (PTX ISA 8.1)
    std::optional<std::uint32_t> at;
    if (text.starts_with('@')) {
      const std::size_t colon = std::min(text.find(':'), text.size());
      at = parse_number<std::uint32_t>(text.substr(1, colon - 1));
      if (!at || *at > max_structure_bytes)
        return fmt::format("must have an offset from 0 to {} behind '@'", max_structure_bytes);
      text.remove_prefix(std::min(colon + 1, text.size()));
    }
    ArgumentValue value;
    bool found = false;
    ValueProblem problem = read_one_of(types, text, value, found);
    if (!found)
      problem = read_one_of(small_types, text, value, found);
    if (!found)
      return "must start with one of the types i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, buf, tex, "
             "tensor";
    if (!problem.empty())
      return problem;
    const std::uint32_t bytes = value.bytes;
    const auto tensor = value.tensor;
    const Argument argument = add(std::move(value), fmt::format("{}.{}", number(), member));
    if (tensor)
      layout.add_tensor_map(*tensor, argument, at);
    else
      layout.add(argument, bytes, at);
    return {};
  }

  // Its buffer or texture becomes known by this name.
  Argument add(ArgumentValue&& value, const std::string& name) {
    if (value.argument.kind == Argument::Kind::buffer) {
      value.argument.buffer = static_cast<std::uint32_t>(list_.buffers.size());
      list_.buffers.push_back({name, value.argument.buffer_bytes, std::move(value.contents), {}});
    }
    if (value.texture) {
      tasklist::Image& texture = *value.texture;
      texture.name = name;
      texture.buffer = static_cast<std::uint32_t>(list_.buffers.size());
      value.argument.bits = tasklist::image_handle(static_cast<std::uint32_t>(list_.textures.size()));
      list_.buffers.push_back({name, texture.bytes(), std::move(value.contents), {}});
      list_.textures.push_back(std::move(texture));
    }
    return value.argument;
  }

  ArgumentList list_;
  Argument argument_; // the one at hand
};

} // namespace

Expected<ArgumentList> parse_arguments(const std::vector<std::string>& texts) {
  return ListReader().read(texts);
}

} // namespace kerncast::app
