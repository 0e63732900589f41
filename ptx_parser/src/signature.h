// What one full opcode ("ld.global.v4.f32") means: its modifiers and the operand lists it may have. Modules
// repeat few distinct opcodes many times, so each is worked out once and kept.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "syntax_table.h"

namespace kerncast::ptx {

struct Signature {
  std::string text;
  Opcode opcode{};
  std::vector<Modifier> modifiers;
  std::vector<std::vector<OperandForm>> operand_lists; // types resolved; any one must fit
  std::vector<const Row*> rows;                        // the row of each operand list
  bool own_operands = false;
  Space space = Space::none; // state space among the modifiers of memory instructions
  // Where modifier_pool of the function being parsed holds the modifiers.
  std::uint64_t pooled_in_function = 0;
  Range pooled;
};

// Why an opcode has no signature.
struct SignatureError {
  std::string message;
  std::vector<std::string> notes;
  std::size_t offset = 0; // of the characters at fault, in the opcode's text
  std::size_t length = 0;
};

class SignatureCache {
public:
  // The signature of an opcode; nullptr and `error` filled in if there is none. Pointers stay valid.
  Signature* find(std::string_view opcode, SignatureError& error);

private:
  Signature* add(std::string_view opcode, std::size_t slot, SignatureError& error);
  void grow();

  struct Slot {
    std::uint64_t hash = 0;
    Signature* signature = nullptr;
  };
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::deque<Signature> signatures_;
};

} // namespace kerncast::ptx
