// A module's text: header, then its items in their order.
#include "ptx_parser/printer.h"

#include <cassert>
#include <iterator>

#include <fmt/format.h>

#include "print.h"

namespace kerncast::ptx {
namespace {

void print_header(const Module& m, std::string& out) {
  fmt::format_to(std::back_inserter(out), ".version {}.{}\n.target {}", m.version_major, m.version_minor,
                 m.target);
  std::string_view separator = m.target.empty() ? "" : ", ";
  for (const std::string_view option : m.target_options) {
    fmt::format_to(std::back_inserter(out), "{}{}", separator, option);
    separator = ", ";
  }
  out += '\n';
  if (m.has_address_size)
    fmt::format_to(std::back_inserter(out), ".address_size {}\n", m.address_bits);
}

void print_item(const Module& m, const Item& item, std::string& out) {
  switch (item.kind) {
  case ItemKind::variable:
    print_variable(m.globals[item.index], out);
    out += ";\n";
    return;
  case ItemKind::function:
    print_function(m, m.functions[item.index], out);
    return;
  case ItemKind::alias:
    fmt::format_to(std::back_inserter(out), ".alias {}, {};\n", m.aliases[item.index].name,
                   m.aliases[item.index].aliasee);
    return;
  case ItemKind::file:
    print_file(m.files[item.index], out);
    return;
  case ItemKind::verbatim:
    fmt::format_to(std::back_inserter(out), "{}\n", m.verbatim[item.index]);
    return;
  case ItemKind::pragma:
    print_pragma(m.pragmas[item.index], out);
    return;
  default:
    assert(false && "an item of a body outside functions");
  }
}

} // namespace

void print_linkage(Linkage linkage, std::string& out) {
  constexpr std::string_view texts[] = {"", ".visible ", ".extern ", ".weak ", ".common "};
  out += texts[static_cast<std::size_t>(linkage)];
}

void print_pragma(const Pragma& pragma, std::string& out) {
  fmt::format_to(std::back_inserter(out), ".pragma \"{}\";\n", pragma.text);
}

void print_file(const SourceFileName& file, std::string& out) {
  fmt::format_to(std::back_inserter(out), ".file {} \"{}\"", file.number, file.path);
  for (const std::string_view number : {file.time_stamp, file.bytes})
    if (!number.empty())
      fmt::format_to(std::back_inserter(out), ", {}", number);
  out += '\n';
}

std::string print(const Module& module) {
  std::string out;
  print_header(module, out);
  for (const Item& item : module.items)
    print_item(module, item, out);
  return out;
}

} // namespace kerncast::ptx
