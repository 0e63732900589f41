// One conversion after the other: %[flags][width][.precision][size]type.
#include "print_format.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace kerncast::functional {
namespace {

constexpr std::string_view integers = "diouxXc", floats = "aAeEfFgG";

struct Conversion {
  std::string flags;
  std::optional<std::uint64_t> width, precision;
  bool width_is_argument = false, precision_is_argument = false;
  std::string_view size;
  char type = 0;
  std::size_t length = 0; // of its text
};

// Walks over the text of one conversion.
class Cursor {
public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  char take() { return at_ < text_.size() ? text_[at_++] : '\0'; }
  bool take(char wanted) {
    const bool found = at_ < text_.size() && text_[at_] == wanted;
    at_ += found ? 1 : 0;
    return found;
  }
  std::string_view take_any(std::string_view wanted) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && wanted.find(text_[at_]) != std::string_view::npos)
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::uint64_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char digit : digits)
    number = std::min<std::uint64_t>(number * 10 + static_cast<std::uint64_t>(digit - '0'), most_printed);
  return number;
}

// A width or precision; nothing if neither digits nor a star stand there.
std::optional<std::uint64_t> read_number(Cursor& cursor, bool& is_argument) {
  is_argument = cursor.take('*');
  const std::string_view digits = is_argument ? std::string_view{} : cursor.take_any("0123456789");
  return digits.empty() ? std::nullopt : std::optional(number_of(digits));
}

// Of text that begins with %; nothing if it is none.
std::optional<Conversion> read_conversion(std::string_view text) {
  Conversion c;
  Cursor cursor(text);
  cursor.take();
  c.flags = cursor.take_any("#0- +");
  c.width = read_number(cursor, c.width_is_argument);
  if (cursor.take('.')) {
    c.precision = read_number(cursor, c.precision_is_argument);
    if (!c.precision_is_argument)
      c.precision = c.precision.value_or(0);
  }
  c.size = cursor.take_any("hlLjzt");
  c.type = cursor.take();
  c.length = cursor.at();
  constexpr std::string_view sizes[] = {"", "h", "hh", "l", "ll", "L", "j", "z", "t"};
  const bool is_known = integers.find(c.type) != std::string_view::npos ||
                        floats.find(c.type) != std::string_view::npos || c.type == 's' || c.type == 'p' ||
                        c.type == '%';
  return c.type != 0 && is_known && std::ranges::find(sizes, c.size) != std::end(sizes) ? std::optional(c)
                                                                                        : std::nullopt;
}

// `form` is whole, but for the value.
template <class T> std::string write(const std::string& form, T value) {
  const int length = std::snprintf(nullptr, 0, form.c_str(), value);
  std::string text(static_cast<std::size_t>(std::max(length, 0)) + 1, '\0');
  std::snprintf(text.data(), text.size(), form.c_str(), value);
  text.pop_back();
  return text;
}

class Printer {
public:
  Printer(std::string_view format, const PrintSource& source) : format_(format), source_(source) {}

  std::optional<PrintedText> run() {
    while (at_ < format_.size() && printed_.text.size() < most_printed)
      if (!step())
        return std::nullopt;
    if (printed_.text.size() > most_printed)
      printed_.text.resize(most_printed);
    return std::move(printed_);
  }

private:
  // Plain text, or one conversion.
  bool step() {
    const std::size_t percent = std::min(format_.find('%', at_), format_.size());
    printed_.text.append(format_.substr(at_, percent - at_));
    at_ = percent;
    if (at_ == format_.size())
      return true;
    auto conversion = read_conversion(format_.substr(at_));
    if (!conversion || arguments_of(*conversion) > most_print_arguments - printed_.arguments) {
      printed_.text.push_back('%');
      ++at_;
      return true;
    }
    at_ += conversion->length;
    return convert(*conversion);
  }

  static std::uint32_t arguments_of(const Conversion& c) {
    return (c.width_is_argument ? 1U : 0U) + (c.precision_is_argument ? 1U : 0U) + (c.type == '%' ? 0U : 1U);
  }

  std::optional<std::uint64_t> next(std::uint32_t bytes) {
    ++printed_.arguments;
    return source_.next(bytes);
  }

  bool convert(Conversion& c) {
    if (!take_stars(c))
      return false;
    if (c.type == '%') {
      printed_.text.push_back('%');
      return true;
    }
    const auto value = next(bytes_of(c));
    return value && (c.type == 's' ? add_text(c, *value) : add_value(c, *value));
  }

  // A negative width is one with the flag -, a negative precision is none.
  bool take_stars(Conversion& c) {
    if (c.width_is_argument) {
      const auto width = next(4);
      if (!width)
        return false;
      const std::int64_t number = static_cast<std::int32_t>(*width);
      c.flags += number < 0 ? "-" : "";
      c.width =
          std::min<std::uint64_t>(static_cast<std::uint64_t>(number < 0 ? -number : number), most_printed);
    }
    if (c.precision_is_argument) {
      const auto precision = next(4);
      if (!precision)
        return false;
      const auto number = static_cast<std::int32_t>(*precision);
      if (number >= 0)
        c.precision = std::min<std::uint64_t>(static_cast<std::uint64_t>(number), most_printed);
    }
    return true;
  }

  // Integers shorter than 4 bytes and floats of 4 are passed wider.
  std::uint32_t bytes_of(const Conversion& c) const {
    if (c.type == 's' || c.type == 'p')
      return source_.address_bytes;
    if (floats.find(c.type) != std::string_view::npos || c.size == "ll" || c.size == "j" || c.size == "L")
      return 8;
    return c.size.empty() || c.size[0] == 'h' ? 4 : source_.address_bytes;
  }

  // "%-8.3", to which size and type come.
  static std::string form_of(const Conversion& c) {
    std::string form = "%" + c.flags;
    if (c.width)
      form += std::to_string(*c.width);
    if (c.precision)
      form += "." + std::to_string(*c.precision);
    return form;
  }

  bool add_text(const Conversion& c, std::uint64_t address) {
    const std::size_t most = c.precision.value_or(most_printed);
    const auto text = address == 0 ? std::optional<std::string>("(null)") : source_.text(address, most);
    if (text)
      printed_.text += write(form_of(c) + "s", text->c_str());
    return text.has_value();
  }

  bool add_value(const Conversion& c, std::uint64_t value) {
    const std::string form = form_of(c);
    if (floats.find(c.type) != std::string_view::npos)
      printed_.text += write(form + c.type, std::bit_cast<double>(value));
    else if (c.type == 'p')
      printed_.text +=
          value == 0 ? write(form + "s", "(nil)")
                     : write(form + "s", write("%#llx", static_cast<unsigned long long>(value)).c_str());
    else if (c.type == 'c')
      printed_.text += write(form + "c", static_cast<int>(value));
    else if (bytes_of(c) == 4)
      printed_.text += write(form + std::string(c.size == "h" || c.size == "hh" ? c.size : "") + c.type,
                             static_cast<unsigned>(value));
    else
      printed_.text += write(form + "ll" + c.type, static_cast<unsigned long long>(value));
    return true;
  }

  std::string_view format_;
  const PrintSource& source_;
  std::size_t at_ = 0;
  PrintedText printed_;
};

} // namespace

std::optional<PrintedText> format_printed(std::string_view format, const PrintSource& source) {
  return Printer(format, source).run();
}

} // namespace kerncast::functional
