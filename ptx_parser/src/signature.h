// What one full opcode ("ld.global.v4.f32") means: its modifiers and the operand lists it may have. Modules
// repeat few distinct opcodes many times, so each is worked out once and kept.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "hash.h"
#include "immediate_rules.h"
#include "signature_errors.h"
#include "since.h"
#include "syntax_table.h"

namespace kerncast::ptx {

// The {x, y} of a texture, surface or tensor.
struct Coordinates {
  std::uint8_t count = 0; // 0: as many as written
  bool exactly = false;   // else more may be written, as padding
  bool has_index = false; // the first is an integer whatever the others are
  bool are_real = false;
};

struct Signature {
  std::string text;
  Opcode opcode{};
  std::vector<Modifier> modifiers;
  std::vector<std::vector<OperandForm>> operand_lists; // types resolved; any one must fit
  std::vector<const Row*> rows;                        // the row of each operand list
  bool own_operands = false;
  Lack lack;                 // what it needs beyond the module's .version and .target
  Space space = Space::none; // state space among the modifiers of memory instructions
  std::span<const ImmediateRule> immediate_rules;
  Coordinates coordinates;
  bool may_discard = false;           // `_` may stand for the (first) destination
  bool may_discard_pair = false;      // `_` may stand for p in d|p
  bool braces_are_optional = false;   // {x} and x are the same operand
  bool moves_vectors_as_bits = false; // elements of a floating-point vector may be integers
  // Shapes of operands that were found right, the latest in turn; 0: none.
  std::array<std::uint64_t, 4> good_shapes{};
  std::size_t next_shape = 0;
  // Where modifier_pool of the function being parsed holds the modifiers.
  std::uint64_t pooled_in_function = 0;
  Range pooled;
};

class SignatureCache {
public:
  // The signature of an opcode; nullptr and `error` filled in if there is none. Pointers stay valid.
  Signature* find(std::string_view opcode, SignatureError& error) {
    const NameBits bits = bits_of(opcode);
    const std::uint64_t hash = hash_of(opcode, bits);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    for (; slots_[slot].signature != nullptr; slot = (slot + 1) & mask)
      if (slots_[slot].holds(opcode, bits, hash))
        return slots_[slot].signature;
    return add(opcode, slot, error);
  }
  // Of the module whose opcodes are looked up from here on.
  void set_offer(const Offer& offer) { offer_ = offer; }

private:
  Signature* add(std::string_view opcode, std::size_t slot, SignatureError& error);
  void grow();

  struct Slot {
    NameBits bits;
    std::uint64_t hash = 0;
    Signature* signature = nullptr;
    std::size_t length = 0;
    bool holds(std::string_view opcode, const NameBits& its_bits, std::uint64_t its_hash) const {
      return hash == its_hash && bits == its_bits && length == opcode.size() &&
             (length <= longest_in_bits || signature->text == opcode);
    }
  };
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::deque<Signature> signatures_;
  Offer offer_{UINT32_MAX, {}};
};

} // namespace kerncast::ptx
