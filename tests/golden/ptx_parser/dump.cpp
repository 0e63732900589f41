#include "dump.h"

#include <fmt/format.h>

namespace kerncast::ptx {
namespace {

constexpr std::string_view space_names[] = {"-",     "reg",   "global",  "shared", "local",
                                            "param", "const", "texture", "generic"};
constexpr std::string_view linkage_names[] = {"", " visible", " extern", " weak", " common"};

std::string at(Place place) { return fmt::format("{}:{}", place.line, place.column); }

std::string dump_variable(const Variable& v, std::string_view indent) {
  std::string out = fmt::format("{}{} .{} .{} {}", indent, at(v.place),
                                space_names[static_cast<int>(v.space)], name(v.type), v.name);
  if (v.is_array)
    out += v.elements ? fmt::format("[{}]", *v.elements) : "[]";
  out += fmt::format(" v{} align {} bytes {}{}", v.vector_length, v.alignment, v.bytes(),
                     linkage_names[static_cast<int>(v.linkage)]);
  if (v.is_pointer)
    out += fmt::format(" ptr {}", space_names[static_cast<int>(v.pointee)]);
  out += '\n';
  if (!v.initial_bytes.empty())
    out += fmt::format("{}  = {:02x}\n", indent, fmt::join(v.initial_bytes, " "));
  for (const InitialAddress& a : v.initial_addresses)
    out += fmt::format("{}  @{} {} bytes: {}{}+{} mask {:#x}\n", indent, a.offset, a.bytes,
                       a.is_generic ? "generic " : "", a.symbol, a.addend, a.mask);
  return out;
}

std::string dump_operand(const Function& f, const Operand& o);

std::string dump_elements(const Function& f, const Operand& o) {
  std::string out;
  for (const Operand& element : f.elements(o))
    out += (out.empty() ? "" : ", ") + dump_operand(f, element);
  return out;
}

std::string dump_address(const Function& f, const Operand& o) {
  std::string out = o.id != no_id ? fmt::format("{}#{}", f.registers[o.id].name, o.id) : std::string(o.name);
  out += fmt::format("+{}", o.offset());
  return "[" + out + (o.elements().count != 0 ? ", " + dump_elements(f, o) : "") + "]";
}

std::string dump_operand(const Function& f, const Operand& o) {
  const std::string sign = o.negated ? "!" : "";
  switch (o.kind) {
  case OperandKind::reg:
    return fmt::format("{}{}#{}{}", sign, f.registers[o.id].name, o.id, o.name);
  case OperandKind::integer:
    return fmt::format("{}", o.value);
  case OperandKind::real:
    return o.is_single ? fmt::format("{}f {:08x}", o.real(), o.value) : fmt::format("{}r", o.real());
  case OperandKind::symbol:
    return fmt::format("&{}+{}", o.name, o.value);
  case OperandKind::special:
    return fmt::format("special {}", o.name);
  case OperandKind::address:
    return dump_address(f, o);
  case OperandKind::vector:
    return "{" + dump_elements(f, o) + "}";
  case OperandKind::label:
    return fmt::format("->{}@{}", f.labels[o.id].name, f.labels[o.id].instruction);
  case OperandKind::sink:
    return "_";
  case OperandKind::destination_pair:
    return "(" + dump_elements(f, o) + ")";
  }
  return "?";
}

std::string dump_instruction(const Function& f, std::size_t index) {
  const Instruction& i = f.instructions[index];
  std::string out = fmt::format("    {} {} ", index, at(i.place));
  if (i.guard != no_id)
    out += fmt::format("@{}{}#{} ", i.guard_negated ? "!" : "", f.registers[i.guard].name, i.guard);
  out += name(i.opcode);
  for (const Modifier m : f.modifiers(i))
    out += "." + std::string(name(m));
  for (std::size_t o = 0; o < f.operands(i).size(); ++o)
    out += (o == 0 ? " " : ", ") + dump_operand(f, f.operands(i)[o]);
  if (i.source != no_id)
    out += fmt::format("  ; file {} line {}", f.source_lines[i.source].file, f.source_lines[i.source].line);
  return out + "\n";
}

std::string dump_function(const Function& f) {
  std::string out = fmt::format("{} {} {}{}{}{}\n", at(f.place), f.is_entry ? "entry" : "func", f.name,
                                linkage_names[static_cast<int>(f.linkage)], f.has_body ? "" : " declared",
                                f.abi.is_noreturn ? " noreturn" : "");
  out += fmt::format("  maxntid {} reqntid {} minnctapersm {} maxnreg {}\n", fmt::join(f.max_threads, ","),
                     fmt::join(f.required_threads, ","), f.min_ctas_per_sm, f.max_registers);
  for (const Variable& v : f.return_parameters)
    out += dump_variable(v, "  returns ");
  for (const Variable& v : f.parameters)
    out += dump_variable(v, "  parameter ");
  for (const Variable& v : f.variables)
    out += dump_variable(v, "  variable ");
  for (std::size_t r = 0; r < f.registers.size(); ++r)
    out += fmt::format("  register #{} {} {} .{} v{}\n", r, at(f.registers[r].place), f.registers[r].name,
                       name(f.registers[r].type), f.registers[r].vector_length);
  for (const Pragma& p : f.pragmas)
    out += fmt::format("  pragma \"{}\" before {}\n", p.text, p.instruction);
  for (const Label& l : f.labels)
    out += fmt::format("  label {} {} before {}\n", at(l.place), l.name, l.instruction);
  for (std::size_t i = 0; i < f.instructions.size(); ++i)
    out += dump_instruction(f, i);
  return out;
}

} // namespace

std::string dump(const Module& m) {
  std::string out = fmt::format("version {}.{} target {} address_size {}\n", m.version_major, m.version_minor,
                                m.target, m.address_bits);
  for (const SourceFileName& f : m.files)
    out += fmt::format("file {} {}\n", f.number, f.path);
  for (const Variable& v : m.globals)
    out += dump_variable(v, "");
  for (const Function& f : m.functions)
    out += dump_function(f);
  for (const Alias& a : m.aliases)
    out += fmt::format("{} alias {} = {}\n", at(a.place), a.name, a.aliasee);
  return out;
}

} // namespace kerncast::ptx
