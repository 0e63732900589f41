// The instruction set as data: one row per line of the PTX manual's syntax boxes (syntax/*.inc).
//
// A row reads like the manual:
//   setp.<cmp>.<bool>{.ftz}.<cmptype>    p{|q}, a, b, !c:pred
// Head: opcode (or [several opcodes]) and modifiers in order: `.x` one modifier, `.[x y]` one of these,
// `.<set>` one of a set defined above by `<set> = x y`, `{...}` may be left out.
// Operands, comma-separated, `{, x}` may be left out, `...` read by their own parser:
//   d destination register; p q destination predicates; y destination with byte selector; _ the sink alone
//   s source register, constant, special register or symbol; r register only; i integer constant only
//   x video source (selector allowed); [a] address, [a, c] address with coordinates
//   h cache policy, there if and only if .L2::cache_hint is; every other letter: source register or constant
//   k mask, there if and only if .multicast::cluster or .cp_mask is
//   o offsets, u depth to compare with: whether and how many is said in texture_forms.cpp
// Before and behind the letter:
//   prefix ! or - may be negated; *n vector of n, *n-m of n to m; the length follows from a modifier: *v from
//   .vN, *x *2x *4x from .xN, *n/2 *n/4 from the columns of .mMnNkK, *g from the geometry of a texture
//   :type its type (default: the last type among the modifiers; :1 :2 the first, second; :w twice as wide)
//   ~ registers may be wider (PTX ISA, section 9.4.1); ! registers of exactly this type only; |p and {|p} a
//   second destination predicate
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ptx_parser/module.h"
#include "ptx_parser/opcode.h"

namespace kerncast::ptx {

enum class FormKind : std::uint8_t {
  destination,
  source,     // register or constant
  any_source, // and special registers and symbols
  register_only,
  integer_only,
  video_source,
  video_destination,
  sink_only,
  cache_policy, // in a Signature: a source
  mask,         // likewise
  offsets,      // of texels or of a tensor's box
  depth,        // that a texture's is compared with
  address,
  address_with_coordinates,
};

// How an operand's type follows from the instruction's modifiers.
enum class TypeRule : std::uint8_t { last, first, second, wide, fixed, any };

// Whether a destination may or must have a predicate beside it, `d|p`.
enum class Pair : std::uint8_t { none, allowed, required };

struct OperandForm {
  // Vector lengths that follow from a modifier; no row has as long a vector.
  static constexpr std::uint8_t by_modifier = 255;            // N of .vN
  static constexpr std::uint8_t by_count = 254;               // N of .xN
  static constexpr std::uint8_t twice_by_count = 253;         // 2 N
  static constexpr std::uint8_t four_times_by_count = 252;    // 4 N
  static constexpr std::uint8_t half_the_columns = 251;       // N / 2 of .mMnNkK
  static constexpr std::uint8_t quarter_of_the_columns = 250; // N / 4
  static constexpr std::uint8_t by_geometry = 249;
  static constexpr std::uint8_t longest_vector = 128;
  FormKind kind = FormKind::source;
  TypeRule rule = TypeRule::last;
  Type type = Type::none;      // TypeRule::fixed; in a Signature: the resolved type, none means any
  std::uint8_t min_length = 0; // vector elements; 0: scalar
  std::uint8_t max_length = 0;
  Pair pair = Pair::none;
  bool optional = false;
  bool negatable = false;
  bool wider = false;
  bool exact = false;
  friend bool operator==(const OperandForm&, const OperandForm&) = default;
};

struct ModifierSlot {
  Range alternatives;     // in SyntaxTable::alternatives
  std::uint8_t group = 0; // slots of one {...}: all written or none; 0: required
};

struct Row {
  Opcode opcode{};
  Range slots;
  Range forms;
  bool own_operands = false; // "...": bra, brx.idx, call
  std::string_view text;     // the row as written, for diagnostics
};

struct SyntaxTable {
  std::vector<Row> rows; // grouped by opcode
  std::vector<ModifierSlot> slots;
  std::vector<Modifier> alternatives;
  std::vector<OperandForm> forms;
  std::vector<Range> rows_of; // by opcode, in `rows`

  std::span<const Row> rows_for(Opcode opcode) const {
    const Range r = rows_of[static_cast<std::size_t>(opcode)];
    return std::span(rows).subspan(r.begin, r.count);
  }
};

// Built from the rows' text at the first call.
const SyntaxTable& syntax_table();

// The type of a register that holds a value of this instruction type: type_of, and .b32 for .u16x2 and so on.
Type register_type(Modifier modifier);

} // namespace kerncast::ptx
