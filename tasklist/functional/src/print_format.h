// What a kernel's printf makes of its format and arguments, as the host's C library writes them (CUDA C++
// programming guide, formatted output).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kerncast::functional {

struct PrintSource {
  std::uint32_t address_bytes = 8; // and those of a long
  // The next argument of so many bytes, 4 or 8; nothing if it cannot be read.
  std::function<std::optional<std::uint64_t>(std::uint32_t bytes)> next;
  // The text at an address, up to so many bytes; nothing if it cannot be read.
  std::function<std::optional<std::string>(std::uint64_t address, std::size_t most)> text;
};

struct PrintedText {
  std::string text;
  std::uint32_t arguments = 0;
};

// At most, in bytes; what a device keeps of the texts of a launch. Widths and precisions are cut to it.
inline constexpr std::size_t most_printed = std::size_t{1} << 20;
// The driver takes no more; conversions behind them are printed as they stand.
inline constexpr std::uint32_t most_print_arguments = 32;

// Nothing if a source has nothing. What is no conversion is printed as it stands.
std::optional<PrintedText> format_printed(std::string_view format, const PrintSource& source);

} // namespace kerncast::functional
