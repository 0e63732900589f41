#include "instructions.h"

#include <fmt/format.h>

#include "operand_check.h"
#include "operands.h"
#include "plain_operands.h"
#include "recovery.h"
#include "targets.h"

namespace kerncast::ptx {
namespace {

// `@%p1` or `@!%p1` and white space, nearly every guard; nothing is read of others.
bool parse_plain_guard(State& s, Instruction& instruction) {
  const char* p = s.lexer.cursor();
  const bool is_negated = *p == '!';
  p += is_negated ? 1 : 0;
  const RegisterId id = read_plain_register(s, p);
  if (id == no_id || s.function->registers[id].type != Type::pred || !is(*p, space))
    return false;
  instruction.guard = id;
  instruction.guard_negated = is_negated;
  s.lexer.skip_to(p);
  s.advance();
  return true;
}

bool expect_instruction(State& s) {
  return s.now.is(TokenKind::word) ||
         s.error_here(fmt::format("expected an instruction after the guard, but found {}", describe(s.now)),
                      {"a guard stands in front of an instruction: @p bra L;"});
}

// `@p` or `@!p`.
bool parse_guard(State& s, Instruction& instruction) {
  if (parse_plain_guard(s, instruction))
    return expect_instruction(s);
  s.advance();
  instruction.guard_negated = s.accept('!');
  Token name;
  if (!s.expect_word("a predicate register after '@'", name))
    return false;
  instruction.guard = find_register(s, name);
  if (instruction.guard == no_id)
    return s.undeclared(name, "predicate register");
  if (s.function->registers[instruction.guard].type != Type::pred)
    return s.error(name.place, name.text.size(),
                   fmt::format("the guard '{}' is of type .{}, but must be a predicate", name.text,
                               ptx::name(s.function->registers[instruction.guard].type)),
                   {"set a register of type .pred with setp and write that behind '@'"});
  return expect_instruction(s);
}

// Leaves the token behind it unread.
Signature* parse_opcode(State& s, Instruction& instruction) {
  const Token first = s.now;
  instruction.place = first.place;
  SignatureError problem;
  Signature* signature = s.signatures.find(s.lexer.rest_of_opcode(first), problem);
  if (signature == nullptr)
    s.error(s.lexer.place_in_opcode(first, problem.offset), problem.length, problem.message, problem.notes);
  return signature;
}

// Instructions of a function that share an opcode share their modifiers in its pool.
Range pooled_modifiers(State& s, Signature& signature) {
  if (signature.pooled_in_function != s.functions_parsed) {
    TreeVector<Modifier>& pool = s.function->modifier_pool;
    signature.pooled = {static_cast<std::uint32_t>(pool.size()),
                        static_cast<std::uint32_t>(signature.modifiers.size())};
    pool.insert(pool.end(), signature.modifiers.begin(), signature.modifiers.end());
    signature.pooled_in_function = s.functions_parsed;
  }
  return signature.pooled;
}

// Those that were not plain.
bool parse_operand_list(State& s) {
  if (s.now.is(';') && s.scratch.empty())
    return true;
  do {
    Operand& o = s.scratch.emplace_back();
    if (!parse_operand(s, o))
      return false;
  } while (s.accept(','));
  return true;
}

// `ld.global.u32 %r1, array[1]` reads what `[array+4]` reads.
void take_element_for_address(State& s, Opcode opcode) {
  const std::uint32_t address = opcode == Opcode::ld || opcode == Opcode::ldu ? 1 : 0;
  if (s.indexed_operand == address && (address == 1 || opcode == Opcode::st))
    s.scratch[address].kind = OperandKind::address;
}

// What check_operands looks at where all operands are registers and [register+offset]: their kinds and the
// registers' types. 0 where it may look at more.
std::uint64_t shape_of(const Function& f, std::span<const Operand> operands) {
  constexpr std::size_t most_operands = 10; // of six bits
  if (operands.size() > most_operands)
    return 0;
  std::uint64_t shape = 1;
  for (const Operand& o : operands) {
    const bool is_address = o.kind == OperandKind::address;
    if ((o.kind != OperandKind::reg && !is_address) || o.id == no_id || o.negated || o.has_elements ||
        !o.name.empty() || f.registers[o.id].vector_length != 1)
      return 0;
    shape = shape << 6 | static_cast<std::uint64_t>(f.registers[o.id].type) << 1 | (is_address ? 1U : 0U);
  }
  return shape;
}

// Most instructions repeat the shape of an earlier one with the same opcode.
bool check_shape(State& s, Signature& signature, Place opcode) {
  const std::uint64_t shape = shape_of(*s.function, s.scratch);
  for (const std::uint64_t good : signature.good_shapes)
    if (shape != 0 && shape == good)
      return true;
  if (!check_operands(s, signature, s.scratch, opcode))
    return false;
  signature.good_shapes[signature.next_shape++ % signature.good_shapes.size()] = shape;
  return true;
}

// `ret` without `;`: the next line begins with an opcode, not with an operand.
bool misses_semicolon(State& s, Place opcode) {
  return s.now.place.line != opcode.line && s.scratch.empty() && s.now.is(TokenKind::word) &&
         begins_statement_line(s) && find_register(s, s.now) == no_id && s.find_symbol(s.now.text) == nullptr;
}

bool unended(State& s, const Signature& signature) {
  return s.error_here(
      fmt::format("expected ',' or ';' in '{}', but found {}", signature.text, describe(s.now)),
      {s.now.is('+') ? "add the number in an instruction of its own; only addresses have offsets"
                     : "operands are separated by ',', and ';' ends the statement"});
}

// From the next token to the end of the statement.
bool parse_other_operands(State& s, const Signature& signature, Place opcode) {
  s.advance();
  if (!signature.own_operands && misses_semicolon(s, opcode))
    return unended(s, signature);
  if (!(signature.own_operands ? parse_target_operands(s, signature.opcode) : parse_operand_list(s)))
    return false;
  if (!s.now.is(';'))
    return unended(s, signature);
  s.advance();
  if (s.indexed_operand != no_id)
    take_element_for_address(s, signature.opcode);
  return true;
}

void store_operands(State& s, Instruction& instruction) {
  TreeVector<Operand>& pool = s.function->operand_pool;
  const auto begin = static_cast<std::uint32_t>(pool.size());
  for (std::size_t i = 0; i < s.scratch.size(); ++i)
    if (s.scratch[i].kind == OperandKind::label)
      s.labels.refer(s.scratch[i].name, begin + static_cast<std::uint32_t>(i));
  pool.insert(pool.end(), s.scratch.begin(), s.scratch.end());
  instruction.operands = {begin, static_cast<std::uint32_t>(s.scratch.size())};
}

} // namespace

bool parse_instruction(State& s) {
  Instruction instruction;
  instruction.source = s.source_line;
  s.scratch.clear();
  s.indexed_operand = no_id;
  if (s.now.is('@') && !parse_guard(s, instruction))
    return false;
  Signature* signature = parse_opcode(s, instruction);
  if (signature == nullptr) {
    s.advance();
    return false;
  }
  instruction.opcode = signature->opcode;
  if ((signature->own_operands || !parse_plain_operands(s)) &&
      !parse_other_operands(s, *signature, instruction.place))
    return false;
  // From here on the statement is complete: an error needs no recovery.
  if (!signature->own_operands && !check_shape(s, *signature, instruction.place))
    return true;
  if (signature->lack.any())
    s.warn_newer(instruction.place, signature->text, signature->lack);
  instruction.modifiers = pooled_modifiers(s, *signature);
  store_operands(s, instruction);
  s.function->instructions.push_back(instruction);
  return true;
}

} // namespace kerncast::ptx
