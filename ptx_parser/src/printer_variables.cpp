// Declarations of variables with their initial values, which are printed without their inner dimensions.
#include <algorithm>
#include <bit>
#include <iterator>

#include <fmt/format.h>

#include "print.h"

namespace kerncast::ptx {
namespace {

std::string_view space_name(Space space) {
  constexpr std::string_view names[] = {"",       ".reg",   ".global", ".shared", ".local",
                                        ".param", ".const", ".tex",    ""};
  return names[static_cast<std::size_t>(space)];
}

// Walks the elements of an initial value; the elements of a vector stand in braces of their own.
class InitialValuePrinter {
public:
  InitialValuePrinter(const Variable& variable, std::string& out)
      : variable_(variable), out_(out), bytes_(size_bytes(variable.type)) {}

  void print() {
    out_ += " = ";
    if (variable_.is_array)
      out_ += '{';
    for (std::size_t i = 0; i < count(); ++i)
      element(i);
    if (variable_.vector_length > 1 && count() % variable_.vector_length != 0)
      out_ += '}';
    if (variable_.is_array)
      out_ += '}';
  }

private:
  // Types without a size have addresses only.
  std::size_t count() const {
    return bytes_ == 0 ? variable_.initial_addresses.size() : variable_.initial_bytes.size() / bytes_;
  }

  void element(std::size_t i) {
    const std::uint32_t length = variable_.vector_length;
    if (i != 0)
      out_ += ", ";
    if (length > 1 && i % length == 0)
      out_ += '{';
    const std::vector<InitialAddress>& addresses = variable_.initial_addresses;
    if (next_address_ < addresses.size() && addresses[next_address_].offset == i * bytes_)
      address(addresses[next_address_++]);
    else
      number(i * bytes_);
    if (length > 1 && i % length == length - 1)
      out_ += '}';
  }

  void address(const InitialAddress& a) {
    std::string text(a.symbol);
    if (a.is_generic)
      text = fmt::format("generic({})", text);
    if (a.addend != 0)
      text += fmt::format("+{}", a.addend);
    // The addend stands inside the parentheses of a mask.
    out_ += a.mask == 0 ? text : fmt::format("{:#x}({})", a.mask, text);
  }

  void number(std::size_t offset) {
    std::uint64_t bits = 0;
    const std::uint32_t used = std::min(bytes_, 8U);
    for (std::uint32_t i = 0; i < used; ++i)
      bits |= std::uint64_t{variable_.initial_bytes[offset + i]} << (8 * i);
    if (variable_.type == Type::f32)
      fmt::format_to(std::back_inserter(out_), "0f{:08X}", bits);
    else if (variable_.type == Type::f64)
      fmt::format_to(std::back_inserter(out_), "0d{:016X}", bits);
    else if (is_signed(variable_.type))
      fmt::format_to(std::back_inserter(out_), "{}",
                     static_cast<std::int64_t>(bits << (64 - 8 * used)) >> (64 - 8 * used));
    else
      fmt::format_to(std::back_inserter(out_), "{}", bits);
  }

  const Variable& variable_;
  std::string& out_;
  std::uint32_t bytes_; // of one element, a vector's elements counted alone
  std::size_t next_address_ = 0;
};

void print_pointer(const Variable& v, std::string& out) {
  out += " .ptr";
  if (v.pointee != Space::generic)
    fmt::format_to(std::back_inserter(out), " {}", space_name(v.pointee));
  if (v.pointee_alignment != 0)
    fmt::format_to(std::back_inserter(out), " .align {}", v.pointee_alignment);
}

void print_array(const Variable& v, std::string& out) {
  if (!v.is_array)
    return;
  if (v.elements)
    fmt::format_to(std::back_inserter(out), "[{}]", *v.elements);
  else
    out += "[]";
}

void print_initial_value(const Variable& v, std::string& out) {
  if (!v.opaque_value.empty())
    fmt::format_to(std::back_inserter(out), " = {}", v.opaque_value);
  else if (!v.initial_bytes.empty() || !v.initial_addresses.empty())
    InitialValuePrinter(v, out).print();
}

} // namespace

void print_variable(const Variable& v, std::string& out) {
  print_linkage(v.linkage, out);
  out += space_name(v.space);
  if (v.alignment != 0)
    fmt::format_to(std::back_inserter(out), " .align {}", v.alignment);
  if (!v.attributes.empty())
    fmt::format_to(std::back_inserter(out), " .attribute({})", v.attributes);
  if (v.vector_length > 1)
    fmt::format_to(std::back_inserter(out), " .v{}", v.vector_length);
  fmt::format_to(std::back_inserter(out), " .{}", name(v.type));
  if (v.is_pointer)
    print_pointer(v, out);
  fmt::format_to(std::back_inserter(out), " {}", v.name);
  print_array(v, out);
  print_initial_value(v, out);
}

void print_parameters(const std::vector<Variable>& parameters, std::string& out) {
  out += '(';
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    out += i == 0 ? "" : ", ";
    print_variable(parameters[i], out);
  }
  out += ')';
}

} // namespace kerncast::ptx
