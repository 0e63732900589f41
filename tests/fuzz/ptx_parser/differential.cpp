// The front end's side of tools/measure parser_differential:
//
//   ptx_differential rows SEED COUNT   COUNT statements of each row of the syntax table, with random choices
//   ptx_differential parse FILE...     the first error of each file that has one: FILE, a tab, the message
//
// Operands are registers named after their type (r_u32), the variables prm, loc and cst, and constants.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ptx_parser/parser.h"
#include "signature.h"
#include "support/files.h"
#include "syntax_table.h"

namespace kerncast::ptx {
namespace {

using Random = std::mt19937;

std::string opcode_of(const Row& row, std::uint32_t optional_percent, Random& random) {
  const SyntaxTable& table = syntax_table();
  std::string out(name(row.opcode));
  std::uint8_t group = 0;
  bool written = true;
  for (const ModifierSlot& slot : std::span(table.slots).subspan(row.slots.begin, row.slots.count)) {
    if (slot.group == 0)
      written = true;
    else if (slot.group != group)
      written = random() % 100 < optional_percent;
    group = slot.group;
    if (written)
      out += fmt::format(
          ".{}", name(table.alternatives[slot.alternatives.begin + random() % slot.alternatives.count]));
  }
  return out;
}

// A register of the bits of types that PTX has no registers of.
std::string register_of(Type type) {
  switch (type) {
  case Type::none:
  case Type::f16x2:
  case Type::bf16x2:
  case Type::tf32:
    return "r_b32";
  case Type::f16:
  case Type::bf16:
    return "r_b16";
  case Type::f32x2:
    return "r_b64";
  default:
    return fmt::format("r_{}", name(type));
  }
}

std::string address(const Signature& signature, const OperandForm& form) {
  if (form.kind == FormKind::address_with_coordinates) {
    const Coordinates& wanted = signature.coordinates;
    std::vector<std::string> all(std::max<std::size_t>(1, wanted.count), wanted.are_real ? "r_f32" : "r_s32");
    if (wanted.has_index)
      all.front() = "r_s32";
    return fmt::format("[r_b64, {{{}}}]", fmt::join(all, ", "));
  }
  // Tensor memory has 32-bit addresses.
  if (signature.opcode == Opcode::tcgen05)
    return "[r_b32]";
  switch (signature.space) {
  case Space::shared:
    return "[r_b32]";
  case Space::local:
    return "[loc]";
  case Space::param:
    return "[prm]";
  case Space::constant:
    return "[cst]";
  default:
    return "[r_b64]";
  }
}

// 0 is a selector of every sparse shape.
std::int64_t constant(const Signature& signature, std::size_t position) {
  if (signature.opcode == Opcode::mma)
    return 0;
  return good_constant(signature.immediate_rules, signature.modifiers, position);
}

std::string operand(const Signature& signature, const OperandForm& form, std::size_t position,
                    Random& random) {
  if (form.kind == FormKind::address || form.kind == FormKind::address_with_coordinates)
    return address(signature, form);
  std::string out = form.kind == FormKind::integer_only ? std::to_string(constant(signature, position))
                                                        : register_of(form.type);
  if (form.max_length != 0) {
    const std::size_t length = random() % 2 == 0 ? form.min_length : form.max_length;
    out = fmt::format("{{{}}}", fmt::join(std::vector<std::string>(length, out), ", "));
  }
  const bool pair = form.pair == Pair::required || (form.pair == Pair::allowed && random() % 2 == 0);
  return pair ? out + "|r_pred" : out;
}

void print_statement(const Row& row, SignatureCache& signatures, Random& random) {
  constexpr std::uint32_t percents[] = {0, 30, 100};
  const std::uint32_t optional_percent = percents[random() % std::size(percents)];
  const std::string opcode = opcode_of(row, optional_percent, random);
  SignatureError problem;
  const Signature* signature = signatures.find(opcode, problem);
  if (signature == nullptr)
    return;
  const auto own = std::find(signature->rows.begin(), signature->rows.end(), &row);
  if (own == signature->rows.end())
    return;
  std::vector<std::string> operands;
  for (const OperandForm& form : signature->operand_lists[own - signature->rows.begin()])
    if (!form.optional || random() % 100 < optional_percent)
      operands.push_back(operand(*signature, form, operands.size(), random));
  std::cout << fmt::format("{}{}{};\n", opcode, operands.empty() ? "" : " ", fmt::join(operands, ", "));
}

int print_rows(std::uint32_t seed, unsigned long count) {
  Random random(seed);
  SignatureCache signatures;
  for (const Row& row : syntax_table().rows)
    for (unsigned long i = 0; i < count && !row.own_operands; ++i)
      print_statement(row, signatures, random);
  return 0;
}

int print_errors(std::span<char*> files) {
  for (const char* file : files) {
    Expected<SourceText> source = read_source(file);
    const Expected<Module> module = source.and_then([](SourceText& text) { return parse(std::move(text)); });
    if (!module)
      std::cout << file << '\t' << module.error().front().message << '\n';
  }
  return 0;
}

} // namespace
} // namespace kerncast::ptx

int main(int argc, char** argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  const std::string_view command = argc > 1 ? words[1] : "";
  if (command == "parse")
    return kerncast::ptx::print_errors(words.subspan(2));
  if (command == "rows" && argc == 4)
    return kerncast::ptx::print_rows(static_cast<std::uint32_t>(std::strtoul(words[2], nullptr, 10)),
                                     std::strtoul(words[3], nullptr, 10));
  std::cerr << "error: ptx_differential takes 'rows SEED COUNT' or 'parse FILE...'\n";
  return 2;
}
