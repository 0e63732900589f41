#include "call_check.h"

#include <fmt/format.h>

#include "declaration_check.h"
#include "type_fit.h"

namespace kerncast::ptx {
namespace {

// What a call must fit: a function or a prototype.
struct Callable {
  std::string_view name;
  std::uint32_t line = 0; // of the declaration
  const std::vector<Variable>& results;
  const std::vector<Variable>& parameters;
};

bool has_variable_arguments(const Callable& f) {
  return !f.parameters.empty() && f.parameters.back().is_array && !f.parameters.back().elements;
}

std::string declared(const Callable& f) { return fmt::format("'{}' is declared in line {}", f.name, f.line); }

// A .param variable of the caller, copied byte by byte.
std::string_view mismatch(const Variable& formal, const Variable& given) {
  if (given.is_array != formal.is_array || given.vector_length != formal.vector_length)
    return "is of another type";
  const bool same_type =
      formal.is_array ? given.bytes() == formal.bytes() : register_fits(given.type, formal.type, false);
  if (!same_type)
    return "is of another type or size";
  return alignment_of(given) == alignment_of(formal) ? "" : "is aligned otherwise";
}

std::string_view symbol_mismatch(const State& s, const Variable& formal, const Operand& o) {
  const Symbol* symbol = s.find_symbol(o.name);
  if (symbol == nullptr)
    return {};
  if (symbol->kind == SymbolKind::parameter || symbol->kind == SymbolKind::returned)
    return "is a parameter of the calling function, not a variable of its body";
  if (symbol->kind != SymbolKind::local || symbol->space != Space::param)
    return "does not lie in .param";
  return mismatch(formal, s.function->variables[symbol->index]);
}

// Why an argument cannot be passed for a parameter, empty if it can.
std::string_view mismatch(const State& s, const Variable& formal, const Operand& o, bool is_result) {
  if (o.negated)
    return "is negated";
  switch (o.kind) {
  case OperandKind::symbol:
    return symbol_mismatch(s, formal, o);
  case OperandKind::reg:
    return !formal.is_array && register_fits(s.function->registers[o.id].type, formal.type, false)
               ? ""
               : "is of another type";
  case OperandKind::sink:
    return is_result ? "" : "is nothing";
  case OperandKind::integer:
  case OperandKind::real: {
    if (is_result)
      return "is a constant";
    const bool is_real = o.kind == OperandKind::real;
    return is_untyped(formal.type) || is_float(formal.type) == is_real ? "" : "is of another type";
  }
  default:
    return {};
  }
}

bool check_values(State& s, const Callable& f, const std::vector<Variable>& formals, const Operand& values,
                  bool are_results) {
  const auto given = s.function->elements(values);
  for (std::size_t i = 0; i < std::min(formals.size(), given.size()); ++i) {
    const bool is_unsized = formals[i].is_array && !formals[i].elements;
    const std::string_view why = is_unsized ? "" : mismatch(s, formals[i], given[i], are_results);
    if (!why.empty())
      return s.error(given[i].place, std::max<std::size_t>(1, given[i].name.size()),
                     fmt::format("{} {} of the call of '{}' {}", are_results ? "result" : "argument", i + 1,
                                 f.name, why),
                     {declared(f)});
  }
  return true;
}

bool check_against(State& s, const Callable& f, const Operand& callee, const Operand& results,
                   const Operand& arguments) {
  if (arguments.elements().count != f.parameters.size() && !has_variable_arguments(f))
    return s.error(callee.place, std::max<std::size_t>(1, callee.name.size()),
                   fmt::format("'{}' takes {} arguments, but {} are given", f.name, f.parameters.size(),
                               arguments.elements().count),
                   {declared(f)});
  if (results.elements().count != f.results.size())
    return s.error(callee.place, std::max<std::size_t>(1, callee.name.size()),
                   fmt::format("'{}' returns {} values, but {} are taken", f.name, f.results.size(),
                               results.elements().count),
                   {declared(f)});
  return check_values(s, f, f.results, results, true) && check_values(s, f, f.parameters, arguments, false);
}

} // namespace

bool check_call(State& s, const Operand& callee, const Operand& results, const Operand& arguments,
                const Operand& prototype) {
  if (callee.kind == OperandKind::symbol) {
    const Function& f = s.module.functions[s.find_symbol(callee.name)->index];
    if (!check_against(s, {f.name, f.place.line, f.return_parameters, f.parameters}, callee, results,
                       arguments))
      return false;
  }
  if (prototype.kind != OperandKind::symbol)
    return true;
  const Symbol& symbol = *s.find_symbol(prototype.name);
  if (symbol.index == no_id) // a list of call targets
    return true;
  const Prototype& p = s.function->prototypes[symbol.index];
  return check_against(s, {p.name, symbol.place.line, p.results, p.parameters}, callee, results, arguments);
}

} // namespace kerncast::ptx
