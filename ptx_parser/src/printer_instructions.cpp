// Instructions and their operands.
#include <iterator>

#include <fmt/format.h>

#include "print.h"

namespace kerncast::ptx {
namespace {

void print_operand(const Function& f, const Operand& o, std::string& out);

void print_elements(const Function& f, const Operand& o, std::string_view separator, std::string& out) {
  for (std::uint32_t i = 0; i < o.elements().count; ++i) {
    out += i == 0 ? std::string_view{} : separator;
    print_operand(f, f.elements(o)[i], out);
  }
}

void print_real(const Operand& o, std::string& out) {
  if (o.is_single)
    fmt::format_to(std::back_inserter(out), "0f{:08X}", static_cast<std::uint32_t>(o.value));
  else
    fmt::format_to(std::back_inserter(out), "0d{:016X}", static_cast<std::uint64_t>(o.value));
}

void print_address(const Function& f, const Operand& o, std::string& out) {
  out += '[';
  const bool has_base = o.id != no_id || !o.name.empty();
  if (o.id != no_id)
    out += f.registers[o.id].name; // the name is a selector then
  out += o.name;
  if (!has_base || o.offset() != 0)
    fmt::format_to(std::back_inserter(out), "{}{}", has_base ? "+" : "", o.offset());
  if (o.elements().count != 0) {
    out += ", ";
    print_elements(f, o, ", ", out);
  }
  out += o.negated ? "].unified" : "]";
}

void print_register(const Function& f, const Operand& o, std::string& out) {
  if (o.negated)
    out += f.registers[o.id].type == Type::pred ? '!' : '-';
  out += f.registers[o.id].name;
  out += o.name;
}

void print_name(const Operand& o, std::string& out) {
  // Of special registers only a predicate may be negated.
  if (o.negated)
    out += o.kind == OperandKind::special ? '!' : '-';
  out += o.name;
  if (o.value != 0)
    fmt::format_to(std::back_inserter(out), "+{}", o.value);
}

void print_operand(const Function& f, const Operand& o, std::string& out) {
  switch (o.kind) {
  case OperandKind::reg:
    return print_register(f, o, out);
  case OperandKind::integer:
    fmt::format_to(std::back_inserter(out), "{}", o.value);
    return;
  case OperandKind::real:
    return print_real(o, out);
  case OperandKind::symbol:
  case OperandKind::special:
    return print_name(o, out);
  case OperandKind::address:
    return print_address(f, o, out);
  case OperandKind::vector:
    out += '{';
    print_elements(f, o, ", ", out);
    out += '}';
    return;
  case OperandKind::label:
    out += f.labels[o.id].name;
    return;
  case OperandKind::sink:
    out += '_';
    return;
  case OperandKind::destination_pair:
    return print_elements(f, o, "|", out);
  }
}

// `(r), f, (a, b), prototype`; parentheses around nothing are left out.
void print_call(const Function& f, const Instruction& i, std::string& out) {
  const auto operands = f.operands(i);
  const auto list = [&](const Operand& o) {
    out += '(';
    print_elements(f, o, ", ", out);
    out += ')';
  };
  if (operands[0].elements().count != 0) {
    list(operands[0]);
    out += ", ";
  }
  print_operand(f, operands[1], out);
  if (operands[2].elements().count != 0) {
    out += ", ";
    list(operands[2]);
  }
  if (operands.size() > 3) {
    out += ", ";
    print_operand(f, operands[3], out);
  }
}

} // namespace

void print_instruction(const Function& f, const Instruction& i, std::string& out) {
  out += '\t';
  if (i.guard != no_id)
    fmt::format_to(std::back_inserter(out), "@{}{} ", i.guard_negated ? "!" : "", f.registers[i.guard].name);
  out += name(i.opcode);
  for (const Modifier m : f.modifiers(i)) {
    out += '.';
    out += name(m);
  }
  const auto operands = f.operands(i);
  if (!operands.empty())
    out += ' ';
  if (i.opcode == Opcode::call)
    print_call(f, i, out);
  else
    for (std::size_t o = 0; o < operands.size(); ++o) {
      out += o == 0 ? "" : ", ";
      if (i.opcode == Opcode::brx && o == 1)
        out += operands[o].name; // the list's
      else
        print_operand(f, operands[o], out);
    }
  out += ";\n";
}

} // namespace kerncast::ptx
