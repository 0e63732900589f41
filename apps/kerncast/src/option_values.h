// Values of options. That a number is written as one is a matter of usage (CLI11 asks the validators below,
// exit code 2); that it lies within its bounds is a matter of input (exit code 1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli.h"
#include "support/diagnostics.h"
#include "tasklist/launch.h"

namespace kerncast::app {

// An option with a whole number; the text is kept so that its bounds are checked with the others.
CLI::Option* add_number(CLI::App& command, const std::string& name, std::string& text,
                        const std::string& help);
// X, X,Y or X,Y,Z.
CLI::Option* add_extent(CLI::App& command, const std::string& name, std::string& text,
                        const std::string& help);
// --entry: which PTX of a program, library, fat binary or cubin.
CLI::Option* add_entry(CLI::App& command, std::string& text);
CLI::Option* add_real(CLI::App& command, const std::string& name, std::string& text, const std::string& help);

struct NumberBounds {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
};

// Of --threads; 0, all, if the option was not given.
inline constexpr NumberBounds thread_bounds{1, 1024};

// Collects what is wrong with the values of one command.
class OptionValues {
public:
  // The value, `missing` if the option was not given or is wrong.
  std::uint64_t number(const std::string& name, const std::string& text, NumberBounds bounds,
                       std::uint64_t missing);
  std::optional<std::uint32_t> optional_number(const std::string& name, const std::string& text,
                                               NumberBounds bounds);
  std::optional<double> fraction(const std::string& name, const std::string& text);
  tasklist::Dim3 grid(const std::string& text);
  tasklist::Dim3 block(const std::string& text);
  tasklist::Dim3 cluster(const std::string& text);
  void error(std::string message, std::string note);

  Diagnostics errors;

private:
  tasklist::Dim3 extent(const std::string& name, const std::string& text,
                        std::string (*error_of)(const std::uint64_t (&)[3]));
};

} // namespace kerncast::app
