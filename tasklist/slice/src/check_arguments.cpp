// Arguments against the parameters that the kernel declares.
#include <algorithm>

#include <fmt/format.h>

#include "slice/execute.h"

namespace kerncast::slice {
namespace {

using tasklist::Argument;
using tasklist::Parameter;
using Kind = Argument::Kind;

struct KindFacts {
  std::string_view name;
  std::uint32_t bytes; // 0: any
  bool is_float;
};

KindFacts facts_of(Kind kind) {
  switch (kind) {
  case Kind::i32:
    return {"i32", 4, false};
  case Kind::u32:
    return {"u32", 4, false};
  case Kind::i64:
    return {"i64", 8, false};
  case Kind::u64:
    return {"u64", 8, false};
  case Kind::f32:
    return {"f32", 4, true};
  case Kind::f64:
    return {"f64", 8, true};
  case Kind::buffer:
    return {"buffer", 0, false};
  case Kind::unknown:
    return {"unknown", 0, false};
  case Kind::structure:
    return {"a structure", 0, false};
  }
  return {"unknown", 0, false};
}

std::string expected_kinds(const Parameter& p) {
  switch (p.bytes) {
  case 1:
  case 2:
    return "i32 or u32";
  case 4:
    return p.is_float ? "f32" : p.is_pointer ? "buffer, i32 or u32" : "i32 or u32";
  case 8:
    return p.is_float ? "f64" : p.is_pointer ? "buffer, i64 or u64" : "i64, u64 or buffer";
  default:
    return fmt::format("a structure of {} bytes", p.bytes);
  }
}

bool fits(const Argument& a, const Parameter& p) {
  if (a.kind == Kind::unknown || a.kind == Kind::structure) // members are looked at by themselves
    return true;
  if (a.kind == Kind::buffer)
    return !p.is_float && (p.bytes == 8 || (p.bytes == 4 && p.is_pointer));
  const KindFacts kind = facts_of(a.kind);
  if (p.bytes < 4) // char, short and bool parameters take the value's low bytes
    return kind.bytes == 4 && !kind.is_float;
  return kind.bytes == p.bytes && kind.is_float == p.is_float;
}

Diagnostic error(const tasklist::Tasklist& list, std::string message, std::string note) {
  Diagnostic d;
  d.file = list.source_name;
  d.message = std::move(message);
  d.notes.push_back(std::move(note));
  return d;
}

Diagnostic wrong_number(const tasklist::Tasklist& list, std::size_t given) {
  std::string wanted;
  for (const Parameter& p : list.parameters)
    wanted += fmt::format("{}{} ({})", wanted.empty() ? "" : ", ", p.name, expected_kinds(p));
  return error(
      list, fmt::format("kernel {} takes {} arguments, not {}", list.kernel, list.parameters.size(), given),
      wanted.empty() ? "give no arguments" : "its parameters: " + wanted);
}

Diagnostic wrong_type(const tasklist::Tasklist& list, std::size_t number, Kind given) {
  const Parameter& p = list.parameters[number];
  const std::string_view what = p.is_float ? " and is a float" : p.bytes == 4 ? " and is an integer" : "";
  return error(list,
               fmt::format("argument {} of kernel {} is {}, but parameter {} has {} bytes{}", number + 1,
                           list.kernel, facts_of(given).name, p.name, p.bytes, what),
               "give " + expected_kinds(p));
}

// Members lie inside of their parameter and do not overlap.
void check_members(const tasklist::Tasklist& list, const tasklist::Launch& launch, Diagnostics& errors) {
  const auto end = [](const tasklist::StructMember& m) { return std::uint64_t{m.offset} + m.bytes; };
  std::vector<tasklist::StructMember> members = launch.members;
  std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) {
    return std::pair(a.argument, a.offset) < std::pair(b.argument, b.offset);
  });
  for (std::size_t i = 0; i < members.size(); ++i) {
    const tasklist::StructMember& m = members[i];
    if (m.argument >= list.parameters.size())
      continue;
    const Parameter& p = list.parameters[m.argument];
    const std::string where =
        fmt::format("argument {} of kernel {}: the member at byte {}", m.argument + 1, list.kernel, m.offset);
    if (end(m) > p.bytes)
      errors.push_back(error(
          list,
          fmt::format("{} ends at byte {}, but parameter {} has {} bytes", where, end(m), p.name, p.bytes),
          "give the members of the structure in order, or their offsets"));
    if (i > 0 && members[i - 1].argument == m.argument && end(members[i - 1]) > m.offset)
      errors.push_back(error(list,
                             fmt::format("{} overlaps the one at byte {}", where, members[i - 1].offset),
                             "each byte of a structure has one value"));
  }
}

} // namespace

Expected<void> check_arguments(const tasklist::Tasklist& list, const tasklist::Launch& launch) {
  const auto& arguments = launch.arguments;
  if (arguments.empty())
    return {};
  if (arguments.size() != list.parameters.size())
    return fail(wrong_number(list, arguments.size()));
  Diagnostics errors;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!fits(arguments[i], list.parameters[i]))
      errors.push_back(wrong_type(list, i, arguments[i].kind));
  check_members(list, launch, errors);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return {};
}

} // namespace kerncast::slice
