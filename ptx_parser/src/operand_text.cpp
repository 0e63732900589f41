#include "operand_text.h"

#include <fmt/format.h>

#include "special_registers.h"

namespace kerncast::ptx {

std::string wanted(const OperandForm& form) {
  const std::string type = form.type == Type::none ? "" : fmt::format(" of type .{}", name(form.type));
  if (form.max_length != 0)
    return form.min_length == form.max_length
               ? fmt::format("a vector of {}{}", form.min_length, type)
               : fmt::format("a vector of {} to {}{}", form.min_length, form.max_length, type);
  switch (form.kind) {
  case FormKind::destination:
  case FormKind::video_destination:
    return form.pair == Pair::required ? fmt::format("a destination register{} with |predicate", type)
                                       : fmt::format("a destination register{}", type);
  case FormKind::register_only:
    return fmt::format("a register{}", type);
  case FormKind::integer_only:
    return "an integer constant";
  case FormKind::sink_only:
    return "'_'";
  case FormKind::address:
    return "an address in brackets, [a]";
  case FormKind::address_with_coordinates:
    return "an address with coordinates, [a, {...}]";
  default:
    return fmt::format("a register{}{}", form.exact ? "" : " or constant", type);
  }
}

namespace {

// ".f32" or ".v4 .f32"
std::string type_text(const Register& r) {
  return fmt::format("{}.{}", r.vector_length > 1 ? fmt::format(".v{} ", r.vector_length) : "", name(r.type));
}

std::string special_found(Opcode opcode, const Operand& o) {
  const SpecialRegister special = special_register(o.name);
  if (special.is_vector())
    return fmt::format("special register {}, a vector of {} of type .{}", o.name, special.components,
                       name(special.type));
  if (opcode == Opcode::mov)
    return fmt::format("special register {} of type .{}", o.name, name(special.type));
  if (opcode == Opcode::cvt)
    return fmt::format("special register {} of type .{}, which cvt makes other integers of", o.name,
                       name(special.type));
  return fmt::format("special register {}, which only mov and cvt read", o.name);
}

} // namespace

std::string found(const Function& function, Opcode opcode, const Operand& o) {
  switch (o.kind) {
  case OperandKind::reg: {
    const Register& r = function.registers[o.id];
    return fmt::format("{}{}{} of type {}", o.negated ? "negated " : "", r.name, o.name, type_text(r));
  }
  case OperandKind::integer:
    return fmt::format("the integer {}", o.value);
  case OperandKind::real:
    return "a floating-point number";
  case OperandKind::symbol:
    return fmt::format("the address of {}", o.name);
  case OperandKind::special:
    return special_found(opcode, o);
  case OperandKind::address:
    return o.id == no_id ? "an address"
                         : fmt::format("an address with base {} of type {}", function.registers[o.id].name,
                                       type_text(function.registers[o.id]));
  case OperandKind::vector:
    return fmt::format("a vector of {}", o.elements().count);
  case OperandKind::destination_pair:
    return "a pair of destinations";
  case OperandKind::sink:
    return "'_'";
  case OperandKind::label:
    return "a label";
  }
  return "something else";
}

} // namespace kerncast::ptx
