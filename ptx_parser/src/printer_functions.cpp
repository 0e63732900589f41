// Functions: signature, directives, and the body's items and instructions in their order.
#include <algorithm>
#include <cassert>
#include <iterator>

#include <fmt/format.h>

#include "print.h"

namespace kerncast::ptx {
namespace {

void print_extent(std::string_view directive, const std::uint32_t (&extent)[3], std::string& out) {
  if (extent[0] != 0 || extent[1] != 0 || extent[2] != 0)
    fmt::format_to(std::back_inserter(out), "{} {}, {}, {}\n", directive, extent[0], extent[1], extent[2]);
}

void print_number(std::string_view directive, std::uint32_t number, std::string& out) {
  if (number != 0)
    fmt::format_to(std::back_inserter(out), "{} {}\n", directive, number);
}

void print_flag(std::string_view directive, bool is_set, std::string& out) {
  if (is_set)
    fmt::format_to(std::back_inserter(out), "{}\n", directive);
}

// The pragmas that no item of the body names stand in front of it.
std::size_t signature_pragmas(const Function& f) {
  const auto first = std::find_if(f.items.begin(), f.items.end(),
                                  [](const Item& item) { return item.kind == ItemKind::pragma; });
  return first == f.items.end() ? f.pragmas.size() : first->index;
}

void print_directives(const Function& f, std::string& out) {
  print_extent(".maxntid", f.max_threads, out);
  print_extent(".reqntid", f.required_threads, out);
  print_number(".minnctapersm", f.min_ctas_per_sm, out);
  print_number(".maxnctapersm", f.max_ctas_per_sm, out);
  print_number(".maxnreg", f.max_registers, out);
  print_extent(".reqnctapercluster", f.cluster_ctas, out);
  print_number(".maxclusterrank", f.max_cluster_ctas, out);
  print_flag(".explicitcluster", f.is_explicit_cluster, out);
  print_flag(".blocksareclusters", f.blocks_are_clusters, out);
  print_abi(f.abi, out);
  for (const std::string_view languages : f.languages)
    fmt::format_to(std::back_inserter(out), ".language {}\n", languages);
  for (std::size_t i = 0; i < signature_pragmas(f); ++i)
    print_pragma(f.pragmas[i], out);
}

void print_registers(const RegisterDeclaration& r, std::string& out) {
  out += ".reg";
  if (r.vector_length > 1)
    fmt::format_to(std::back_inserter(out), " .v{}", r.vector_length);
  fmt::format_to(std::back_inserter(out), " .{} {}", name(r.type), r.name);
  if (r.count != no_id)
    fmt::format_to(std::back_inserter(out), "<{}>", r.count);
  out += ";\n";
}

void print_loc(const Function& f, const SourceLine& line, std::string& out) {
  fmt::format_to(std::back_inserter(out), ".loc {} {} {}", line.file, line.line, line.column);
  if (line.inlined != no_id) {
    const InlinedPlace& place = f.inlined_places[line.inlined];
    if (!place.function_name.empty())
      fmt::format_to(std::back_inserter(out), ", function_name {}", place.function_name);
    if (place.function_name_offset != 0)
      fmt::format_to(std::back_inserter(out), "+{}", place.function_name_offset);
    if (place.has_place)
      fmt::format_to(std::back_inserter(out), ", inlined_at {} {} {}", place.file, place.line, place.column);
  }
  out += '\n';
}

void print_branch_targets(const Function& f, const BranchTargets& list, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}: .branchtargets ", list.name);
  for (std::uint32_t i = 0; i < list.labels.count; ++i) {
    const Operand& label = f.operand_pool[list.labels.begin + i];
    fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ", ", f.labels[label.id].name);
  }
  out += ";\n";
}

void print_prototype(const Prototype& p, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}: .callprototype ", p.name);
  if (!p.results.empty())
    print_parameters(p.results, out);
  fmt::format_to(std::back_inserter(out), " {} ", p.callee);
  print_parameters(p.parameters, out);
  out += '\n';
  print_abi(p.abi, out);
  out += ";\n";
}

// Module-wide lists are the module's: .file and .section inside a body.
void print_item(const Module& m, const Function& f, const Item& item, std::string& out) {
  switch (item.kind) {
  case ItemKind::open_scope:
    out += "{\n";
    return;
  case ItemKind::close_scope:
    out += "}\n";
    return;
  case ItemKind::label:
    fmt::format_to(std::back_inserter(out), "{}:\n", f.labels[item.index].name);
    return;
  case ItemKind::loc:
    return print_loc(f, f.source_lines[item.index], out);
  case ItemKind::pragma:
    return print_pragma(f.pragmas[item.index], out);
  case ItemKind::registers:
    return print_registers(f.register_declarations[item.index], out);
  case ItemKind::variable:
    print_variable(f.variables[item.index], out);
    out += ";\n";
    return;
  case ItemKind::branch_targets:
    return print_branch_targets(f, f.branch_targets[item.index], out);
  case ItemKind::call_targets:
    fmt::format_to(std::back_inserter(out), "{}: .calltargets {};\n", f.call_targets[item.index].name,
                   fmt::join(f.call_targets[item.index].functions, ", "));
    return;
  case ItemKind::prototype:
    return print_prototype(f.prototypes[item.index], out);
  case ItemKind::file:
    return print_file(m.files[item.index], out);
  case ItemKind::verbatim:
    fmt::format_to(std::back_inserter(out), "{}\n", m.verbatim[item.index]);
    return;
  case ItemKind::function:
  case ItemKind::alias:
    assert(false && "an item of a module in a body");
  }
}

void print_body(const Module& m, const Function& f, std::string& out) {
  out += "{\n";
  std::uint32_t next = 0;
  for (const Item& item : f.items) {
    for (; next < item.instruction; ++next)
      print_instruction(f, f.instructions[next], out);
    print_item(m, f, item, out);
  }
  for (; next < f.instructions.size(); ++next)
    print_instruction(f, f.instructions[next], out);
  out += "}\n";
}

} // namespace

void print_abi(const AbiDirectives& abi, std::string& out) {
  print_flag(".noreturn", abi.is_noreturn, out);
  if (abi.preserved_registers != no_id)
    fmt::format_to(std::back_inserter(out), ".abi_preserve {}\n", abi.preserved_registers);
  if (abi.preserved_control_registers != no_id)
    fmt::format_to(std::back_inserter(out), ".abi_preserve_control {}\n", abi.preserved_control_registers);
}

void print_function(const Module& m, const Function& f, std::string& out) {
  print_linkage(f.linkage, out);
  out += f.is_entry ? ".entry " : ".func ";
  if (!f.attributes.empty())
    fmt::format_to(std::back_inserter(out), ".attribute({}) ", f.attributes);
  if (!f.return_parameters.empty()) {
    print_parameters(f.return_parameters, out);
    out += ' ';
  }
  out += f.name;
  print_parameters(f.parameters, out);
  out += '\n';
  print_directives(f, out);
  if (f.has_body)
    print_body(m, f, out);
  else
    out += ";\n";
}

} // namespace kerncast::ptx
