// Which registers may stand for a value of an instruction's type, and which may share a vector (PTX ISA,
// sections 9.4 and 9.4.1, and what ptxas 13.0 makes of them).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ptx_parser/module.h"

namespace kerncast::ptx {

// May a register declared as `have` stand for a value of instruction type `want`? With `wider` also if it
// has more bits.
bool register_fits(Type have, Type want, bool wider);

// Is `.x` a part of the vector register?
bool is_component(const Register& vector, std::string_view selector);
// A register of one value, or a component of one that is a vector.
bool is_single_value(const Register& r, std::string_view selector);

// The type of a vector: that of its registers if they agree, the untyped one of their width if some are
// signed, unsigned or untyped; none without registers. Nothing where widths differ or floating-point and
// integer elements meet.
std::optional<Type> vector_type(const Function& function, std::span<const Operand> elements);

} // namespace kerncast::ptx
