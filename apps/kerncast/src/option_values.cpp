#include "option_values.h"

#include <charconv>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "application/geometry.h"
#include "number_text.h"

namespace kerncast::app {
namespace {

bool is_integer(std::string_view text) {
  if (text.starts_with('-'))
    text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string integer_syntax(const std::string& text) {
  return is_integer(text) ? "" : fmt::format("'{}' is not a whole number", text);
}

std::string extent_syntax(const std::string& text) {
  std::size_t count = 0;
  for (std::string_view rest = text;; ++count) {
    const std::size_t comma = rest.find(',');
    if (!is_integer(rest.substr(0, comma)) || count == 3)
      return fmt::format("'{}' is not X, X,Y or X,Y,Z", text);
    if (comma == std::string_view::npos)
      return "";
    rest.remove_prefix(comma + 1);
  }
}

std::string real_syntax(const std::string& text) {
  return parse_number<double>(text) ? "" : fmt::format("'{}' is not a number", text);
}

// Numbers beyond 64 bits are as wrong as the largest one, negative ones as zero.
std::uint64_t clamped(std::string_view digits) {
  if (digits.starts_with('-'))
    return 0;
  std::uint64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return read.ec == std::errc() ? value : UINT64_MAX;
}

// "block.x must be from 1 to 1024, not 0" says "not -1" where that was written.
std::string as_written(std::string message, std::string_view text) {
  constexpr std::string_view clamped_negative = ", not 0";
  const std::size_t axis = message.find('.') + 1;
  if (!message.ends_with(clamped_negative) || axis == 0)
    return message;
  for (char at = message[axis]; at > 'x'; --at)
    text.remove_prefix(text.find(',') + 1);
  message.pop_back();
  return message.append(text.substr(0, text.find(',')));
}

} // namespace

CLI::Option* add_number(CLI::App& command, const std::string& name, std::string& text,
                        const std::string& help) {
  return command.add_option(name, text, help)->check(integer_syntax)->type_name("N");
}

CLI::Option* add_extent(CLI::App& command, const std::string& name, std::string& text,
                        const std::string& help) {
  return command.add_option(name, text, help)->check(extent_syntax)->type_name("X[,Y[,Z]]");
}

CLI::Option* add_entry(CLI::App& command, std::string& text) {
  return command
      .add_option("--entry", text,
                  "which PTX of a program, library or fat binary: its number as check counts, or sm_80")
      ->type_name("WHICH");
}

CLI::Option* add_real(CLI::App& command, const std::string& name, std::string& text,
                      const std::string& help) {
  return command.add_option(name, text, help)->check(real_syntax)->type_name("X");
}

void OptionValues::error(std::string message, std::string note) {
  Diagnostic d;
  d.message = std::move(message);
  d.notes.push_back(std::move(note));
  errors.push_back(std::move(d));
}

std::uint64_t OptionValues::number(const std::string& name, const std::string& text, NumberBounds bounds,
                                   std::uint64_t missing) {
  if (text.empty())
    return missing;
  const std::uint64_t value = clamped(text);
  const bool negative = text.starts_with('-') && text.find_first_not_of("-0") != std::string::npos;
  if (!negative && value >= bounds.least && value <= bounds.most)
    return value;
  const std::string range = bounds.most == UINT64_MAX
                                ? fmt::format("at least {}", bounds.least)
                                : fmt::format("from {} to {}", bounds.least, bounds.most);
  error(fmt::format("{} must be {}, not {}", name, range, text), fmt::format("give {} another value", name));
  return missing;
}

std::optional<std::uint32_t> OptionValues::optional_number(const std::string& name, const std::string& text,
                                                           NumberBounds bounds) {
  const std::size_t before = errors.size();
  const std::uint64_t value = number(name, text, bounds, bounds.least);
  if (text.empty() || errors.size() != before)
    return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

std::optional<double> OptionValues::fraction(const std::string& name, const std::string& text) {
  const std::optional<double> value = text.empty() ? std::nullopt : parse_number<double>(text);
  if (!value || (*value >= 0 && *value <= 1))
    return value;
  error(fmt::format("{} must lie in [0, 1], not {}", name, text),
        "a hit rate is a fraction, not a percentage");
  return std::nullopt;
}

tasklist::Dim3 OptionValues::extent(const std::string& name, const std::string& text,
                                    std::string (*error_of)(const std::uint64_t (&)[3])) {
  std::uint64_t extent[3] = {1, 1, 1};
  std::string_view rest = text;
  for (std::uint64_t& component : extent) {
    const std::size_t comma = rest.find(',');
    component = clamped(rest.substr(0, comma));
    if (comma == std::string_view::npos)
      break;
    rest.remove_prefix(comma + 1);
  }
  const std::string message = as_written(error_of(extent), text);
  if (message.empty())
    return application::to_dim3(extent);
  error(fmt::format("{} {}: {}", name, text, message), fmt::format("write {} X, X,Y or X,Y,Z", name));
  return {};
}

tasklist::Dim3 OptionValues::grid(const std::string& text) {
  return extent("--grid", text, application::grid_error);
}

tasklist::Dim3 OptionValues::cluster(const std::string& text) {
  return extent("--cluster-ctas", text, application::cluster_error);
}

tasklist::Dim3 OptionValues::block(const std::string& text) {
  return extent("--block", text, application::block_error);
}

} // namespace kerncast::app
