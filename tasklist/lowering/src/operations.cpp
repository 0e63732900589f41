#include "operations.h"

#include <algorithm>
#include <functional>

#include "support/mix_bits.h"

namespace kerncast::lowering {

namespace {

constexpr std::size_t usual_operations = 64; // of one kernel

// "mov.u32.special.tid.x", "call.vprintf", "ld.global.v4.f32"
std::string text_of(const OperationWords& words) {
  std::string text(ptx::name(words.opcode));
  for (const ptx::Modifier modifier : words.modifiers) {
    text += '.';
    text += ptx::name(modifier);
  }
  if (!words.name.empty()) {
    text += words.opcode == ptx::Opcode::mov ? ".special." : ".";
    text += words.name;
  }
  return text;
}

std::uint64_t hash_of(const OperationWords& words) {
  std::uint64_t hash = static_cast<std::uint64_t>(words.opcode);
  for (const ptx::Modifier modifier : words.modifiers) {
    hash = hash * 1021 + static_cast<std::uint64_t>(modifier);
  }
  if (!words.name.empty()) {
    hash ^= std::hash<std::string_view>{}(words.name);
  }
  return mix_bits(hash);
}

// What an operation is, in whatever kernel.
struct Meaning {
  std::string text;
  tasklist::OperationTraits traits;
  OperationShape shape;
};

// Of a bounded number of operations, as kernels are mostly made of the same; of those that share a place the
// last one is remembered.
class Meanings {
public:
  Meanings() : entries_(places) {}

  // Valid until the next call.
  const Meaning& of(const OperationWords& words, std::uint64_t hash, const ptx::Function& function,
                    const ptx::Instruction& instruction) {
    Entry& entry = entries_[hash % places];
    if (!entry.is_of(words)) {
      entry.opcode = words.opcode;
      entry.modifiers.assign(words.modifiers.begin(), words.modifiers.end());
      entry.name = words.name;
      entry.meaning.text = text_of(words);
      entry.meaning.traits = tasklist::traits_of(entry.meaning.text);
      entry.meaning.shape = operation_shape(function, instruction);
    }
    return entry.meaning;
  }

private:
  static constexpr std::size_t places = 2048;
  struct Entry {
    bool is_of(const OperationWords& words) const {
      return !meaning.text.empty() && opcode == words.opcode && name == words.name &&
             std::ranges::equal(modifiers, words.modifiers);
    }
    ptx::Opcode opcode{};
    std::vector<ptx::Modifier> modifiers;
    std::string name;
    Meaning meaning; // without a text: of no operation yet
  };

  std::vector<Entry> entries_;
};

} // namespace

Operations::Operations(Program& program) : program_(program), ids_(usual_operations) {
  words_.reserve(usual_operations);
  program_.operations.reserve(usual_operations);
  program_.traits.reserve(usual_operations);
  program_.shapes.reserve(usual_operations);
}

// A move from a special register is an operation of its own in the machine; the driver's functions cost what
// their names say.
OperationWords Operations::words_of(const ptx::Instruction& instruction) const {
  const auto operands = program_.function->operands(instruction);
  if (instruction.opcode == ptx::Opcode::call && !operands[1].name.empty()) {
    return {instruction.opcode, {}, operands[1].name};
  }
  const bool is_special = instruction.opcode == ptx::Opcode::mov && operands.size() == 2 &&
                          operands[1].kind == ptx::OperandKind::special;
  return {instruction.opcode, program_.function->modifiers(instruction),
          is_special ? operands[1].name.substr(1) : std::string_view{}};
}

std::uint32_t Operations::find_words(const ptx::Instruction& instruction) {
  const OperationWords words = words_of(instruction);
  const std::uint64_t hash = hash_of(words);
  const auto fresh = static_cast<std::uint32_t>(words_.size());
  const std::uint32_t found = ids_.find_or_add(hash, fresh, [&](std::uint32_t other) {
    return words_[other].opcode == words.opcode && words_[other].name == words.name &&
           std::ranges::equal(words_[other].modifiers, words.modifiers);
  });
  if (found == fresh) {
    words_.push_back(words);
    thread_local Meanings meanings;
    const Meaning& meaning = meanings.of(words, hash, *program_.function, instruction);
    program_.operations.push_back(meaning.text);
    program_.traits.push_back(meaning.traits);
    program_.shapes.push_back(meaning.shape);
  }
  return found;
}

} // namespace kerncast::lowering
