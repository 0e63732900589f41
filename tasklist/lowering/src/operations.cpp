#include "operations.h"

#include <algorithm>
#include <functional>

#include "support/mix_bits.h"
#include "tasklist/text_memo.h"

namespace kerncast::lowering {

namespace {

constexpr std::size_t usual_operations = 64; // of one kernel

// What an operation's text says, in whatever kernel.
struct Meaning {
  tasklist::OperationTraits traits;
  OperationShape shape;
};

} // namespace

Operations::Operations(Program& program) : program_(program), ids_(usual_operations) {
  words_.reserve(usual_operations);
  program_.operations.reserve(usual_operations);
  program_.traits.reserve(usual_operations);
  program_.shapes.reserve(usual_operations);
}

std::uint32_t Operations::find(const ptx::Instruction& instruction) {
  if (instruction.opcode == ptx::Opcode::mov || instruction.opcode == ptx::Opcode::call) {
    if (const Words words = words_of(instruction); !words.name.empty()) {
      return find(words, instruction);
    }
  }
  // Equal opcodes mostly share their modifiers' place in the pool.
  const std::uint64_t key = std::uint64_t{instruction.modifiers.begin} << 32 |
                            std::uint64_t{instruction.modifiers.count} << 16 |
                            static_cast<std::uint64_t>(instruction.opcode);
  Recent& recent = recent_[(instruction.modifiers.begin ^ 7 * static_cast<std::size_t>(instruction.opcode)) %
                           recent_.size()];
  if (recent.key != key) {
    recent = {key, find(words_of(instruction), instruction)};
  }
  return recent.operation;
}

// A move from a special register is an operation of its own in the machine; the driver's functions cost what
// their names say.
Operations::Words Operations::words_of(const ptx::Instruction& instruction) const {
  const auto operands = program_.function->operands(instruction);
  if (instruction.opcode == ptx::Opcode::call && !operands[1].name.empty()) {
    return {instruction.opcode, {}, operands[1].name};
  }
  const bool is_special = instruction.opcode == ptx::Opcode::mov && operands.size() == 2 &&
                          operands[1].kind == ptx::OperandKind::special;
  return {instruction.opcode, program_.function->modifiers(instruction),
          is_special ? operands[1].name.substr(1) : std::string_view{}};
}

// "mov.u32.special.tid.x", "call.vprintf", "ld.global.v4.f32"
void Operations::write_text(const Words& words) {
  text_ = ptx::name(words.opcode);
  for (const ptx::Modifier modifier : words.modifiers) {
    text_ += '.';
    text_ += ptx::name(modifier);
  }
  if (!words.name.empty()) {
    text_ += words.opcode == ptx::Opcode::mov ? ".special." : ".";
    text_ += words.name;
  }
}

std::uint32_t Operations::find(const Words& words, const ptx::Instruction& instruction) {
  std::uint64_t hash = static_cast<std::uint64_t>(words.opcode);
  for (const ptx::Modifier modifier : words.modifiers) {
    hash = hash * 1021 + static_cast<std::uint64_t>(modifier);
  }
  if (!words.name.empty()) {
    hash ^= std::hash<std::string_view>{}(words.name);
  }
  const auto fresh = static_cast<std::uint32_t>(words_.size());
  const std::uint32_t found = ids_.find_or_add(mix_bits(hash), fresh, [&](std::uint32_t other) {
    return words_[other].opcode == words.opcode && words_[other].name == words.name &&
           std::ranges::equal(words_[other].modifiers, words.modifiers);
  });
  if (found == fresh) {
    words_.push_back(words);
    write_text(words);
    thread_local tasklist::TextMemo<Meaning> memo;
    const Meaning& meaning = memo.of(text_, [&](std::string_view text) {
      return Meaning{tasklist::traits_of(text), operation_shape(*program_.function, instruction)};
    });
    program_.operations.push_back(text_);
    program_.traits.push_back(meaning.traits);
    program_.shapes.push_back(meaning.shape);
  }
  return found;
}

} // namespace kerncast::lowering
