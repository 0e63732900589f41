// The vocabularies' texts and how they are found again: open-addressing tables built at compile time, so a
// lookup is one hash and about one comparison.
#include "ptx_parser/opcode.h"

#include <array>

namespace kerncast::ptx {
namespace {

constexpr std::string_view opcode_names[] = {
#define KERNCAST_OPCODE(identifier, text) text,
#include "ptx_parser/opcodes.def"
#undef KERNCAST_OPCODE
};

constexpr std::string_view modifier_names[] = {
#define KERNCAST_MODIFIER(identifier, text) text,
#include "ptx_parser/modifiers.def"
#undef KERNCAST_MODIFIER
};

constexpr std::string_view type_names[] = {
    "none", "s8",    "s16",  "s32",    "s64",  "u8",     "u16",        "u32",    "u64",
    "f16",  "f16x2", "bf16", "bf16x2", "tf32", "f32",    "f32x2",      "f64",    "b8",
    "b16",  "b32",   "b64",  "b128",   "pred", "texref", "samplerref", "surfref"};
static_assert(std::size(type_names) == static_cast<std::size_t>(Type::surfref) + 1);

// FNV-1a, usable in constant expressions.
constexpr std::uint32_t name_hash(std::string_view text) {
  std::uint32_t h = 2166136261U;
  for (const char c : text)
    h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
  return h ^ (h >> 15);
}

constexpr std::size_t slots = 2048; // over three times the larger vocabulary: short probe sequences
using NameTable = std::array<std::uint16_t, slots>;

// Positions in `names` plus one; zero marks an empty slot.
template <std::size_t N> constexpr NameTable build(const std::string_view (&names)[N]) {
  static_assert(N * 3 < slots);
  NameTable table{};
  for (std::size_t i = 0; i < N; ++i) {
    std::size_t slot = name_hash(names[i]) % slots;
    while (table[slot] != 0)
      slot = (slot + 1) % slots;
    table[slot] = static_cast<std::uint16_t>(i + 1);
  }
  return table;
}

constexpr NameTable opcode_table = build(opcode_names);
constexpr NameTable modifier_table = build(modifier_names);

template <class Name, std::size_t N>
std::optional<Name> find(const NameTable& table, const std::string_view (&names)[N], std::string_view text) {
  for (std::size_t slot = name_hash(text) % slots; table[slot] != 0; slot = (slot + 1) % slots)
    if (names[table[slot] - 1] == text)
      return static_cast<Name>(table[slot] - 1);
  return std::nullopt;
}

} // namespace

std::string_view name(Opcode opcode) { return opcode_names[static_cast<std::size_t>(opcode)]; }
std::string_view name(Modifier modifier) { return modifier_names[static_cast<std::size_t>(modifier)]; }
std::string_view name(Type type) { return type_names[static_cast<std::size_t>(type)]; }

std::optional<Opcode> find_opcode(std::string_view text) {
  return find<Opcode>(opcode_table, opcode_names, text);
}
std::optional<Modifier> find_modifier(std::string_view text) {
  return find<Modifier>(modifier_table, modifier_names, text);
}

Type type_of(Modifier modifier) {
  switch (modifier) {
#define KERNCAST_SAME_NAME(type)                                                                             \
  case Modifier::type:                                                                                       \
    return Type::type;
    KERNCAST_SAME_NAME(s8)
    KERNCAST_SAME_NAME(s16)
    KERNCAST_SAME_NAME(s32)
    KERNCAST_SAME_NAME(s64)
    KERNCAST_SAME_NAME(u8)
    KERNCAST_SAME_NAME(u16)
    KERNCAST_SAME_NAME(u32)
    KERNCAST_SAME_NAME(u64)
    KERNCAST_SAME_NAME(f16)
    KERNCAST_SAME_NAME(f16x2)
    KERNCAST_SAME_NAME(bf16)
    KERNCAST_SAME_NAME(bf16x2)
    KERNCAST_SAME_NAME(tf32)
    KERNCAST_SAME_NAME(f32)
    KERNCAST_SAME_NAME(f32x2)
    KERNCAST_SAME_NAME(f64)
    KERNCAST_SAME_NAME(b8)
    KERNCAST_SAME_NAME(b16)
    KERNCAST_SAME_NAME(b32)
    KERNCAST_SAME_NAME(b64)
    KERNCAST_SAME_NAME(b128)
    KERNCAST_SAME_NAME(pred)
    KERNCAST_SAME_NAME(texref)
    KERNCAST_SAME_NAME(samplerref)
    KERNCAST_SAME_NAME(surfref)
#undef KERNCAST_SAME_NAME
  default:
    return Type::none;
  }
}

std::uint32_t size_bytes(Type type) {
  switch (type) {
  case Type::s8:
  case Type::u8:
  case Type::b8:
    return 1;
  case Type::s16:
  case Type::u16:
  case Type::b16:
  case Type::f16:
  case Type::bf16:
    return 2;
  case Type::s32:
  case Type::u32:
  case Type::b32:
  case Type::f32:
  case Type::f16x2:
  case Type::bf16x2:
  case Type::tf32:
    return 4;
  case Type::s64:
  case Type::u64:
  case Type::b64:
  case Type::f64:
  case Type::f32x2:
    return 8;
  case Type::b128:
    return 16;
  case Type::none:
  case Type::pred:
  case Type::texref:
  case Type::samplerref:
  case Type::surfref:
    return 0;
  }
  return 0;
}

bool is_float(Type type) { return type >= Type::f16 && type <= Type::f64; }
bool is_signed(Type type) { return type >= Type::s8 && type <= Type::s64; }
bool is_untyped(Type type) { return type >= Type::b8 && type <= Type::b128; }
bool is_opaque(Type type) {
  return type == Type::texref || type == Type::samplerref || type == Type::surfref;
}

} // namespace kerncast::ptx
