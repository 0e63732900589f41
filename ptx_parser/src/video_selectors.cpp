#include "video_selectors.h"

#include <algorithm>
#include <functional>

namespace kerncast::ptx {
namespace {

// How many parts of a register the instruction works on at once: 2 for vadd2, 4 for vadd4, else 1.
std::size_t parts_of(Opcode opcode) {
  const char last = name(opcode).back();
  return last == '2' || last == '4' ? static_cast<std::size_t>(last - '0') : 1;
}

// The digits behind `.b` or `.h`; empty if one of them is not below `count`.
std::string_view digits_of(std::string_view selector, char letter, std::size_t count) {
  if (selector.size() < 3 || selector[1] != letter)
    return {};
  const std::string_view digits = selector.substr(2);
  const auto is_good = [&](char c) { return c >= '0' && static_cast<std::size_t>(c - '0') < count; };
  return std::all_of(digits.begin(), digits.end(), is_good) ? digits : std::string_view{};
}

bool selects_one(std::string_view selector) {
  return digits_of(selector, 'b', 4).size() == 1 || digits_of(selector, 'h', 2).size() == 1;
}

char letter_of(std::size_t parts) { return parts == 4 ? 'b' : 'h'; }

} // namespace

bool works_on_parts(Opcode opcode) { return parts_of(opcode) > 1; }

bool selects_source(Opcode opcode, std::string_view selector) {
  const std::size_t parts = parts_of(opcode);
  return parts == 1 ? selects_one(selector)
                    : digits_of(selector, letter_of(parts), 2 * parts).size() == parts;
}

bool selects_destination(Opcode opcode, std::string_view selector) {
  const std::size_t parts = parts_of(opcode);
  if (parts == 1)
    return selects_one(selector);
  // A mask: each part at most once, the highest first.
  const std::string_view digits = digits_of(selector, letter_of(parts), parts);
  return !digits.empty() &&
         std::adjacent_find(digits.begin(), digits.end(), std::less_equal<>()) == digits.end();
}

} // namespace kerncast::ptx
