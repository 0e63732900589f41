// Compares two trees list by list. Ranges are compared as they are: equal text gives equal pools.
#include "ptx_parser/difference.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace kerncast::ptx {
namespace {

auto fields(const Range& r) { return std::tuple(r.begin, r.count); }
auto fields(const Register& r) { return std::tuple(r.name, r.type, r.vector_length); }
auto fields(const InitialAddress& a) {
  return std::tuple(a.offset, a.bytes, a.symbol, a.addend, a.is_generic, a.mask);
}
auto fields(const Operand& o) {
  return std::tuple(o.kind, o.negated, o.is_single, o.id, o.value, o.name, o.has_elements);
}
auto fields(const Instruction& i) {
  return std::tuple(i.opcode, i.guard, i.guard_negated, fields(i.modifiers), fields(i.operands), i.source);
}
auto fields(const SourceLine& l) { return std::tuple(l.file, l.line, l.column, l.inlined); }
auto fields(const InlinedPlace& p) {
  return std::tuple(p.function_name, p.function_name_offset, p.has_place, p.file, p.line, p.column);
}
auto fields(const Label& l) { return std::tuple(l.name, l.instruction); }
auto fields(const Pragma& p) { return std::tuple(p.text, p.instruction); }
auto fields(const RegisterDeclaration& r) { return std::tuple(r.name, r.type, r.vector_length, r.count); }
auto fields(const BranchTargets& t) { return std::tuple(t.name, fields(t.labels)); }
auto fields(const CallTargets& t) { return std::tie(t.name, t.functions); }
auto fields(const AbiDirectives& a) {
  return std::tuple(a.is_noreturn, a.preserved_registers, a.preserved_control_registers);
}
auto fields(const Item& i) { return std::tuple(i.kind, i.index, i.instruction); }
auto fields(const SourceFileName& f) { return std::tuple(f.number, f.path, f.time_stamp, f.bytes); }
auto fields(const Alias& a) { return std::tuple(a.name, a.aliasee); }
auto fields(Modifier m) { return std::tuple(m); }
auto fields(std::string_view text) { return std::tuple(text); }

template <class T> bool same(const T& a, const T& b) { return fields(a) == fields(b); }

bool same(const Variable& a, const Variable& b) {
  const auto scalars = [](const Variable& v) {
    return std::tuple(v.name, v.space, v.type, v.vector_length, v.alignment, v.elements, v.is_array,
                      v.is_extern, v.is_pointer, v.pointee, v.pointee_alignment, v.linkage, v.attributes,
                      v.opaque_value);
  };
  return scalars(a) == scalars(b) && a.initial_bytes == b.initial_bytes &&
         std::ranges::equal(a.initial_addresses, b.initial_addresses,
                            [](const auto& x, const auto& y) { return same(x, y); });
}

// What is in the element's list of parameters is compared as a part of it.
bool same(const Prototype& a, const Prototype& b) {
  const auto equal_variables = [](const std::vector<Variable>& x, const std::vector<Variable>& y) {
    return std::ranges::equal(x, y, [](const Variable& v, const Variable& w) { return same(v, w); });
  };
  return a.name == b.name && a.callee == b.callee && same(a.abi, b.abi) &&
         equal_variables(a.results, b.results) && equal_variables(a.parameters, b.parameters);
}

// The first list in which two trees or functions differ.
class Comparison {
public:
  template <class T> Comparison& list(std::string_view what, const T& a, const T& b) {
    if (!found_.empty())
      return *this;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()) && found_.empty(); ++i)
      if (!same(a[i], b[i]))
        found_ = fmt::format("{} {}", what, i);
    if (found_.empty() && a.size() != b.size())
      found_ = fmt::format("number of {}s: {} and {}", what, a.size(), b.size());
    return *this;
  }
  Comparison& fact(std::string_view what, bool same) {
    if (found_.empty() && !same)
      found_ = what;
    return *this;
  }
  const std::string& found() const { return found_; }

private:
  std::string found_;
};

bool same_directives(const Function& a, const Function& b) {
  const auto scalars = [](const Function& f) {
    return std::tuple(f.min_ctas_per_sm, f.max_registers, f.max_cluster_ctas, f.max_ctas_per_sm,
                      f.is_explicit_cluster, f.blocks_are_clusters, f.languages, fields(f.abi));
  };
  return scalars(a) == scalars(b) && std::ranges::equal(a.max_threads, b.max_threads) &&
         std::ranges::equal(a.required_threads, b.required_threads) &&
         std::ranges::equal(a.cluster_ctas, b.cluster_ctas);
}

std::string difference(const Function& a, const Function& b) {
  Comparison c;
  c.fact("signature", std::tuple(a.name, a.linkage, a.is_entry, a.has_body, a.attributes) ==
                          std::tuple(b.name, b.linkage, b.is_entry, b.has_body, b.attributes))
      .fact("directives", same_directives(a, b))
      .list("parameter", a.parameters, b.parameters)
      .list("return parameter", a.return_parameters, b.return_parameters)
      .list("variable", a.variables, b.variables)
      .list("register", a.registers, b.registers)
      .list("label", a.labels, b.labels)
      .list("source line", a.source_lines, b.source_lines)
      .list("inlined place", a.inlined_places, b.inlined_places)
      .list("pragma", a.pragmas, b.pragmas)
      .list("register declaration", a.register_declarations, b.register_declarations)
      .list("branch target list", a.branch_targets, b.branch_targets)
      .list("call target list", a.call_targets, b.call_targets)
      .list("prototype", a.prototypes, b.prototypes)
      .list("operand", a.operand_pool, b.operand_pool)
      .list("modifier", a.modifier_pool, b.modifier_pool)
      .list("instruction", a.instructions, b.instructions)
      .list("item", a.items, b.items);
  return c.found();
}

} // namespace

std::string first_difference(const Module& a, const Module& b) {
  Comparison c;
  c.fact("header",
         std::tuple(a.version_major, a.version_minor, a.target, a.address_bits, a.has_address_size) ==
             std::tuple(b.version_major, b.version_minor, b.target, b.address_bits, b.has_address_size))
      .list("target option", a.target_options, b.target_options)
      .list("global variable", a.globals, b.globals)
      .list("file", a.files, b.files)
      .list("alias", a.aliases, b.aliases)
      .list("module pragma", a.pragmas, b.pragmas)
      .list("verbatim text", a.verbatim, b.verbatim)
      .list("module item", a.items, b.items)
      .fact("number of functions", a.functions.size() == b.functions.size());
  for (std::size_t i = 0; i < a.functions.size() && c.found().empty(); ++i)
    if (const std::string found = difference(a.functions[i], b.functions[i]); !found.empty())
      return fmt::format("function '{}': {}", a.functions[i].name, found);
  return c.found();
}

} // namespace kerncast::ptx
