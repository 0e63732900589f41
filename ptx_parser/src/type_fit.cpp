#include "type_fit.h"

#include "special_registers.h"

namespace kerncast::ptx {
namespace {

bool types_fit(Type have, Type want, bool wider) {
  if (have == want || want == Type::none)
    return true;
  if (have == Type::pred || want == Type::pred)
    return false;
  const std::uint32_t have_bytes = size_bytes(have);
  const std::uint32_t want_bytes = size_bytes(want);
  if (have_bytes == 0 || want_bytes == 0)
    return false;
  if (is_float(want) && is_float(have))
    return false;
  if (is_float(want) ? !is_untyped(have) : is_float(have) && !is_untyped(want))
    return false;
  return wider ? have_bytes >= want_bytes : have_bytes == want_bytes;
}

// types_fit of all types, worked out once: every register operand asks.
class TypeFits {
public:
  TypeFits() {
    for (std::size_t have = 0; have < types; ++have)
      for (std::size_t want = 0; want < types; ++want)
        for (const bool wider : {false, true})
          fits_[have][want][wider] = types_fit(static_cast<Type>(have), static_cast<Type>(want), wider);
  }
  bool operator()(Type have, Type want, bool wider) const {
    return fits_[static_cast<std::size_t>(have)][static_cast<std::size_t>(want)][wider];
  }

private:
  static constexpr std::size_t types = static_cast<std::size_t>(Type::surfref) + 1;
  bool fits_[types][types][2];
};

Type untyped(std::uint32_t bytes) {
  switch (bytes) {
  case 1:
    return Type::b8;
  case 2:
    return Type::b16;
  case 4:
    return Type::b32;
  case 8:
    return Type::b64;
  default:
    return Type::b128;
  }
}

// What the elements of a vector have in common.
struct Common {
  Type first = Type::none;
  bool same = true;
  bool has_real = false;
  bool has_integer = false; // signed or unsigned
  void note(bool real, bool integer) {
    has_real = has_real || real;
    has_integer = has_integer || integer;
  }
};

} // namespace

bool is_component(const Register& r, std::string_view selector) {
  constexpr std::string_view names = "xyzw";
  constexpr std::string_view colours = "rgba";
  return selector.size() == 2 &&
         (names.substr(0, r.vector_length).find(selector[1]) != names.npos ||
          colours.substr(0, r.vector_length).find(selector[1]) != colours.npos) &&
         r.vector_length > 1;
}

bool is_single_value(const Register& r, std::string_view selector) {
  return selector.empty() ? r.vector_length == 1 : is_component(r, selector);
}

bool register_fits(Type have, Type want, bool wider) {
  static const TypeFits fits;
  return fits(have, want, wider);
}

std::optional<Type> vector_type(const Function& function, std::span<const Operand> elements) {
  Common common;
  for (const Operand& o : elements) {
    if (o.kind != OperandKind::reg && o.kind != OperandKind::special) {
      common.note(o.kind == OperandKind::real, o.kind == OperandKind::integer);
      continue;
    }
    // A special register goes together with floating-point registers too.
    const Type type = o.kind == OperandKind::reg ? function.registers[o.id].type
                                                 : untyped(size_bytes(special_register(o.name).type));
    if (type == common.first)
      continue;
    if (common.first != Type::none && size_bytes(type) != size_bytes(common.first))
      return std::nullopt;
    common.same = common.first == Type::none;
    common.first = type;
    common.note(is_float(type), !is_float(type) && !is_untyped(type));
  }
  if (common.has_real && common.has_integer)
    return std::nullopt;
  return common.same ? common.first : untyped(size_bytes(common.first));
}

} // namespace kerncast::ptx
