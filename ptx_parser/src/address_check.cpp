#include "address_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "special_registers.h"
#include "type_fit.h"

namespace kerncast::ptx {
namespace {

struct Geometry {
  Modifier modifier;
  std::uint8_t coordinates;
  bool has_index; // the first coordinate is a layer or a sample
};

// Texture and surface vectors have 1, 2 or 4 elements; the last ones may be padding.
constexpr Geometry geometries[] = {
    {Modifier::_1d, 1, false},  {Modifier::_2d, 2, false},  {Modifier::_3d, 4, false},
    {Modifier::a1d, 2, true},   {Modifier::a2d, 4, true},   {Modifier::cube, 4, false},
    {Modifier::acube, 4, true}, {Modifier::_2dms, 4, true}, {Modifier::a2dms, 4, true}};

struct TensorGeometry {
  Modifier modifier;
  std::uint8_t coordinates;
};
constexpr TensorGeometry tensor_geometries[] = {
    {Modifier::_1d, 1}, {Modifier::_2d, 2}, {Modifier::_3d, 3}, {Modifier::_4d, 4}, {Modifier::_5d, 5}};

bool is_coordinate_type(Type type, bool may_be_real) {
  return size_bytes(type) == 4 && (may_be_real || !is_float(type));
}

bool accepts_special_coordinate(const SpecialRegister& special) {
  return special.type == Type::u32 && !special.is_vector();
}

bool accepts_coordinate(const State& s, const Coordinates& wanted, const Operand& o, bool is_index) {
  if (o.negated)
    return false;
  switch (o.kind) {
  case OperandKind::reg: {
    const Register& r = s.function->registers[o.id];
    return is_single_value(r, o.name) && is_coordinate_type(r.type, wanted.are_real && !is_index);
  }
  case OperandKind::integer:
    return true;
  case OperandKind::special:
    return accepts_special_coordinate(special_register(o.name));
  case OperandKind::real:
    return wanted.are_real && !is_index;
  default:
    return false;
  }
}

bool accepts_vector_register(const Coordinates& wanted, const Register& r) {
  return !wanted.exactly && r.vector_length >= wanted.count &&
         is_coordinate_type(r.type, wanted.are_real && !wanted.has_index);
}

// {x, y}, a register .v2 or .v4, or x alone for a texture of one dimension.
bool accepts_coordinates(const State& s, const Coordinates& wanted, const Operand& o) {
  if (o.kind == OperandKind::reg && o.name.empty() && s.function->registers[o.id].vector_length > 1)
    return accepts_vector_register(wanted, s.function->registers[o.id]);
  if (o.kind != OperandKind::vector)
    return !wanted.exactly && wanted.count == 1 && accepts_coordinate(s, wanted, o, false);
  const auto elements = s.function->elements(o);
  const bool fits = wanted.exactly
                        ? elements.size() == wanted.count
                        : elements.size() >= wanted.count &&
                              (elements.size() == 1 || elements.size() == 2 || elements.size() == 4);
  if (wanted.count != 0 && !fits)
    return false;
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (!accepts_coordinate(s, wanted, elements[i], wanted.has_index && i == 0))
      return false;
  return true;
}

// tcgen05.mma has an address in tensor memory as .b32; other instructions on it as any 32 bits.
bool fits_tensor_memory(const Signature& signature, Type type) {
  if (has(signature.modifiers, Modifier::mma))
    return type == Type::b32;
  for (const Modifier m : {Modifier::ld, Modifier::st, Modifier::cp, Modifier::shift})
    if (has(signature.modifiers, m))
      return size_bytes(type) == 4;
  return size_bytes(type) >= 4;
}

// ptxas 13.0 copies the address of some instructions, which needs its whole width; elsewhere it takes narrow
// registers too.
bool fits_address(const Signature& signature, Type type) {
  const bool is_whole = size_bytes(type) >= 4;
  switch (signature.opcode) {
  case Opcode::tcgen05:
    return fits_tensor_memory(signature, type);
  case Opcode::ldmatrix:
  case Opcode::stmatrix:
    return is_whole || signature.space == Space::shared;
  case Opcode::multimem:
    return !has(signature.modifiers, Modifier::red) || size_bytes(type) == 8;
  case Opcode::suq:
  case Opcode::txq:
    return size_bytes(type) == 8; // a handle
  case Opcode::st:
  case Opcode::red:
    return is_whole ||
           !(has(signature.modifiers, Modifier::async) || has(signature.modifiers, Modifier::bulk));
  case Opcode::cp:
    return is_whole || !has(signature.modifiers, Modifier::mbarrier) || signature.space == Space::shared;
  case Opcode::prefetch:
    return is_whole || !has(signature.modifiers, Modifier::tensormap);
  case Opcode::createpolicy:
    return is_whole;
  case Opcode::tensormap:
    return is_whole || !has(signature.modifiers, Modifier::replace);
  case Opcode::wmma:
    return is_whole;
  default:
    return true;
  }
}

// A register that holds an address, or a variable.
bool accepts_base(const State& s, const Signature& signature, const Operand& o) {
  if (o.id == no_id)
    // ptxas: "Immediate addresses allowed only for .local state space".
    return !o.name.empty() || signature.space == Space::local;
  const Register& r = s.function->registers[o.id];
  return r.vector_length == 1 && r.type != Type::pred && r.type != Type::b128 && !is_float(r.type) &&
         fits_address(signature, r.type);
}

// `.unified` behind an address: of variables in .global (PTX ISA, section 9.7.9.8), where ptxas 13.0 takes
// it.
bool may_be_unified(const Signature& signature) {
  return (signature.opcode == Opcode::ld || signature.opcode == Opcode::ldu ||
          signature.opcode == Opcode::atom) &&
         (signature.space == Space::none || signature.space == Space::global);
}

// A texture, surface or sampler: a 64-bit handle or a variable.
bool accepts_handle(const State& s, const Signature& signature, const Operand& o) {
  if (o.id == no_id)
    return !o.name.empty();
  const Register& r = s.function->registers[o.id];
  const bool is_wide_enough =
      signature.coordinates.exactly ? size_bytes(r.type) >= 4 : size_bytes(r.type) == 8;
  return is_wide_enough && r.vector_length == 1 && !is_float(r.type);
}

bool is_variable(SymbolKind kind) {
  return kind == SymbolKind::parameter || kind == SymbolKind::returned || kind == SymbolKind::local ||
         kind == SymbolKind::global;
}

// Only these name the space of their address among their modifiers and have one address.
bool names_space_of_address(Opcode op) {
  return op == Opcode::ld || op == Opcode::st || op == Opcode::atom || op == Opcode::red ||
         op == Opcode::prefetch || op == Opcode::ldu;
}

// Can an instruction access a variable there?
bool space_fits(const Signature& signature, Space space) {
  if (space == Space::none || !names_space_of_address(signature.opcode) || signature.space == space)
    return true;
  if (signature.space != Space::none)
    return false;
  const bool is_atomic = signature.opcode == Opcode::atom || signature.opcode == Opcode::red;
  return space == Space::global || space == Space::shared || (space == Space::local && !is_atomic);
}

// What is wrong with an address of the right form, empty if nothing is.
std::string misplaced(const State& s, const Signature& signature, const Operand& o) {
  if (o.name.empty() && o.id == no_id && signature.space != Space::local)
    return fmt::format("'{}' cannot use an address without a register or a variable; only .local can",
                       signature.text);
  if (o.name.empty())
    return {};
  const Symbol* symbol = s.find_symbol(o.name);
  if (symbol == nullptr)
    return {};
  if (!is_variable(symbol->kind))
    return fmt::format("'{}' is no variable, so it cannot be an address", o.name);
  if (!space_fits(signature, symbol->space))
    return fmt::format("'{}' cannot access '{}', which lies in another state space", signature.text, o.name);
  const bool stores_parameter = signature.opcode == Opcode::st && signature.space == Space::param;
  if (stores_parameter && symbol->kind == SymbolKind::parameter)
    return fmt::format("'{}' cannot write to '{}', an input of the function", signature.text, o.name);
  return {};
}

} // namespace

Coordinates coordinates_of(const Signature& signature) {
  Coordinates out;
  if (signature.opcode == Opcode::cp) {
    out.exactly = true;
    // Four rows of a matrix: a column and four rows.
    if (has(signature.modifiers, Modifier::tile_gather4) || has(signature.modifiers, Modifier::tile_scatter4))
      return {5, true, false, false};
    for (const TensorGeometry& g : tensor_geometries)
      if (has(signature.modifiers, g.modifier))
        out.count = g.coordinates;
    return out;
  }
  for (const Geometry& g : geometries)
    if (has(signature.modifiers, g.modifier)) {
      out.count = g.coordinates;
      out.has_index = g.has_index;
    }
  const bool samples = signature.opcode == Opcode::tex || signature.opcode == Opcode::tld4;
  out.are_real = samples && !signature.modifiers.empty() && signature.modifiers.back() == Modifier::f32;
  return out;
}

bool accepts_address(const State& s, const Signature& signature, const Operand& o, bool with_coordinates) {
  if (o.kind != OperandKind::address || o.has_elements != with_coordinates ||
      (o.negated && !may_be_unified(signature)))
    return false;
  if (!with_coordinates)
    return accepts_base(s, signature, o);
  return accepts_handle(s, signature, o) &&
         accepts_coordinates(s, signature.coordinates, s.function->elements(o).back());
}

bool check_addresses(State& s, const Signature& signature, std::span<const Operand> operands) {
  for (const Operand& o : operands) {
    if (o.kind != OperandKind::address)
      continue;
    if (std::string why = misplaced(s, signature, o); !why.empty())
      return s.error(o.place, 1, std::move(why),
                     {"the state space of the instruction must be that of the variable's declaration"});
  }
  return true;
}

} // namespace kerncast::ptx
