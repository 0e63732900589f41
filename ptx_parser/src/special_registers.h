// Special registers (PTX ISA, section 10), as ptxas 13.0 knows them.
#pragma once

#include <cstdint>
#include <string_view>

#include "ptx_parser/module.h"

namespace kerncast::ptx {

struct SpecialRegister {
  Type type = Type::none;      // of the register, or of each component; .pred, .u32 or .u64
  std::uint8_t components = 1; // 4: `%tid` is a vector and `%tid.x` a value
  std::uint8_t narrowest = 0;  // bytes; PTX 1.x had %tid.x and %gridid of 16 bits, and mov still reads these
  bool has_selector = false;   // of the name looked up
  bool is_vector() const { return components > 1 && !has_selector; }
};

// The special register of this name, "%clock64", "%tid" or "%tid.x"; type none if there is none.
SpecialRegister special_register(std::string_view name);

// Can a mov with operands of type `want` read the value, or with `wider` a cvt, which takes a part of it? Of
// a vector: each of its components.
bool special_register_fits(const SpecialRegister& special, Type want, bool wider);

} // namespace kerncast::ptx
