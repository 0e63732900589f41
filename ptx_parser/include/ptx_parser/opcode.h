// The closed vocabularies of PTX: opcodes, modifiers, types and state spaces.
//
// The lists are opcodes.def and modifiers.def beside this header; every name occurs once there and nowhere
// else.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kerncast::ptx {

// Base opcodes: the part before the first dot ("ld", "mad", "bar"). C++ keywords get a trailing
// underscore in the enumeration (`and_`, `not_`, `or_`, `xor_`).
enum class Opcode : std::uint16_t {
#define KERNCAST_OPCODE(identifier, text) identifier,
#include "ptx_parser/opcodes.def"
#undef KERNCAST_OPCODE
};

// Everything that may follow an opcode after a dot ("global", "v4", "f32", "shared::cta").
enum class Modifier : std::uint16_t {
#define KERNCAST_MODIFIER(identifier, text) identifier,
#include "ptx_parser/modifiers.def"
#undef KERNCAST_MODIFIER
};

// Fundamental types (PTX ISA, section 5.2) and the packed and narrow ones of instruction types.
enum class Type : std::uint8_t {
  none,
  s8,
  s16,
  s32,
  s64,
  u8,
  u16,
  u32,
  u64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f32x2,
  f64,
  b8,
  b16,
  b32,
  b64,
  b128,
  pred,
  texref,
  samplerref,
  surfref
};

enum class Space : std::uint8_t { none, reg, global, shared, local, param, constant, texture, generic };

std::string_view name(Opcode opcode);
std::string_view name(Modifier modifier);
std::string_view name(Type type);

std::optional<Opcode> find_opcode(std::string_view text);
std::optional<Modifier> find_modifier(std::string_view text);

// The type a modifier names, Type::none for modifiers that name none.
Type type_of(Modifier modifier);
// Bytes of one value; 0 for pred and the opaque types.
std::uint32_t size_bytes(Type type);
bool is_float(Type type);
bool is_signed(Type type);
bool is_untyped(Type type); // b8 to b128
bool is_opaque(Type type);  // texref, samplerref, surfref

} // namespace kerncast::ptx
