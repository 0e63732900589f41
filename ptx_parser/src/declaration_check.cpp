#include "declaration_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "operands.h"

namespace kerncast::ptx {
namespace {

constexpr std::uint32_t widest_vector_bytes = 16;
constexpr std::uint32_t largest_parameter_alignment = 128;

bool is_too_wide(Type type, std::uint32_t vector_length) {
  return vector_length > 4 || size_bytes(type) * vector_length > widest_vector_bytes;
}

// Why a variable of this type cannot stand here, empty if it can.
std::string_view misplaced_type(const VariableContext& context, const Variable& v) {
  if (v.space == Space::reg)
    return {};
  if (v.type == Type::pred)
    return "a predicate must be a register";
  if (is_opaque(v.type) && (context.in_body || (!context.is_parameter && v.space == Space::shared)))
    return "textures, samplers and surfaces are .global variables of the module or kernel parameters";
  return {};
}

// May a variable of this space be declared outside functions?
bool is_module_space(Space space) {
  return space == Space::global || space == Space::constant || space == Space::shared ||
         space == Space::texture;
}

bool has_no_size(const VariableContext& context, const Variable& v) {
  return !context.is_parameter && !v.is_extern && v.is_array && v.elements.value_or(0) == 0;
}

bool is_same_parameter(const Variable& a, const Variable& b) {
  return a.type == b.type && a.space == b.space && a.vector_length == b.vector_length &&
         a.is_array == b.is_array && a.elements == b.elements && alignment_of(a) == alignment_of(b);
}

bool are_same_parameters(const std::vector<Variable>& a, const std::vector<Variable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same_parameter);
}

} // namespace

std::uint32_t alignment_of(const Variable& v) {
  return std::max({v.alignment, size_bytes(v.type) * v.vector_length, 1U});
}

bool check_variable(State& s, const VariableContext& context, const Variable& v) {
  const auto fail = [&](std::string message, std::string note) {
    return s.error(v.place, v.name.size(), std::move(message), {std::move(note)});
  };
  if (!context.in_body && !context.is_parameter && !is_module_space(v.space))
    return fail(fmt::format("'{}' cannot be declared outside functions", v.name),
                "outside functions variables lie in .global, .const or .shared");
  if (v.space != Space::global && !v.attributes.empty())
    return fail(fmt::format("'{}' cannot have attributes", v.name), "only .global variables can");
  if (context.linkage == Linkage::common && v.space != Space::global)
    return fail(fmt::format("'{}' cannot be .common", v.name), "only .global variables can");
  if (const std::string_view why = misplaced_type(context, v); !why.empty())
    return fail(fmt::format("'{}' cannot be of type .{} here", v.name, name(v.type)), std::string(why));
  if (is_too_wide(v.type, v.vector_length))
    return fail(fmt::format("vector '{}' is wider than 128 bits", v.name), "declare an array of vectors");
  if (has_no_size(context, v))
    return fail(fmt::format("array '{}' has no size", v.name),
                "write its length, or .extern for one whose size another module or the launch gives");
  if (context.in_body && v.space == Space::param && v.alignment > largest_parameter_alignment)
    return fail(fmt::format("parameter '{}' is aligned to {} bytes", v.name, v.alignment),
                "parameters of functions are aligned to at most 128 bytes");
  return true;
}

bool check_register_type(State& s, Place at, Type type, std::uint32_t vector_length) {
  if (is_opaque(type))
    return s.error(at, 1, fmt::format("a register cannot be of type .{}", name(type)),
                   {"a .b64 register holds a texture's, sampler's or surface's handle"});
  return !is_too_wide(type, vector_length) ||
         s.error(at, 1, "a vector register is wider than 128 bits", {"declare two registers"});
}

bool check_overlap(State& s, std::string_view name, Place at) {
  const std::uint32_t scope = s.local_symbols.depth();
  const auto twice = [&](std::string note) {
    return s.error(at, name.size(), fmt::format("'{}' is declared twice in this scope", name),
                   {std::move(note)});
  };
  if (const std::uint32_t label = s.labels.find_in_scope(name); label != no_id)
    return twice(fmt::format("it is a label in line {}", s.function->labels[label].place.line));
  const Symbol* range = find_register_range(s, name);
  if (range != nullptr && range->scope == scope)
    return twice(
        fmt::format("it is one of the {} registers declared in line {}", range->count, range->place.line));
  s.has_hidden_numbers = s.has_hidden_numbers || range != nullptr;
  s.numbered_names.add(name, scope, at);
  return true;
}

bool check_overlap(State& s, std::string_view stem, std::uint32_t count, Place at) {
  const NumberedNames::Lowest* earlier = s.numbered_names.find(stem);
  if (earlier == nullptr || earlier->scope != s.local_symbols.depth() || earlier->number >= count)
    return true;
  return s.error(at, stem.size(),
                 fmt::format("a register of '{}<{}>' is declared twice in this scope", stem, count),
                 {fmt::format("the first declaration is in line {}", earlier->place.line)});
}

bool may_redeclare(const Variable& earlier, const Variable& later) {
  const bool same_length = earlier.elements == later.elements || !earlier.elements || !later.elements;
  // What was announced from elsewhere cannot be the module's own.
  return (earlier.is_extern || later.is_extern) && later.linkage != Linkage::internal &&
         earlier.space == later.space && earlier.type == later.type &&
         earlier.vector_length == later.vector_length && earlier.is_array == later.is_array && same_length;
}

bool check_entry_parameters(State& s, const Function& entry) {
  for (const Variable& v : entry.parameters) {
    if (v.space != Space::param)
      return s.error(v.place, v.name.size(),
                     fmt::format("parameter '{}' of a kernel must lie in .param", v.name),
                     {"write .param instead of .reg"});
    if (v.is_array && v.elements.value_or(0) == 0)
      return s.error(v.place, v.name.size(), fmt::format("array '{}' has no size", v.name),
                     {"a kernel's parameters have fixed sizes"});
  }
  return true;
}

namespace {

// A definition may leave out how it is linked, but for one that was announced from elsewhere.
bool is_same_linkage(Linkage earlier, Linkage later) {
  return later == earlier || (later == Linkage::internal && earlier != Linkage::external);
}

bool declared_again(State& s, const Function& earlier, const Function& later, std::string_view how) {
  return s.error(later.place, later.name.size(), fmt::format("'{}' is declared again {}", later.name, how),
                 {fmt::format("the first declaration is in line {}", earlier.place.line)});
}

} // namespace

bool have_same_signature(const Function& a, const Function& b) {
  return are_same_parameters(a.parameters, b.parameters) &&
         are_same_parameters(a.return_parameters, b.return_parameters);
}

bool check_redeclaration(State& s, const Function& earlier, const Function& later) {
  const char* what = nullptr;
  if (earlier.is_entry != later.is_entry)
    what = "as a kernel and as a function";
  else if (!are_same_parameters(earlier.parameters, later.parameters))
    what = "with other parameters";
  else if (!are_same_parameters(earlier.return_parameters, later.return_parameters))
    what = "with other return values";
  else if (!is_same_linkage(earlier.linkage, later.linkage))
    what = "with another linkage";
  return what == nullptr || declared_again(s, earlier, later, what);
}

bool check_whole_redeclaration(State& s, const Function& later, bool is_definition) {
  const Symbol* symbol = s.module_symbols.find(later.name);
  if (symbol == nullptr || symbol->kind != SymbolKind::function)
    return true;
  const Function& earlier = s.module.functions[symbol->index];
  if (earlier.abi.is_noreturn != later.abi.is_noreturn)
    return declared_again(s, earlier, later, later.abi.is_noreturn ? "with .noreturn" : "without .noreturn");
  return is_definition || s.bodies.find(later.name) == no_id ||
         declared_again(s, earlier, later, "behind its definition");
}

} // namespace kerncast::ptx
