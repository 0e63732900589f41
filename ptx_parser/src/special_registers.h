// Special registers (PTX ISA, section 10).
#pragma once

#include <string_view>

namespace kerncast::ptx {

// Is it the name of a special register, "%tid" or "%clock64", without a component selector?
bool is_special_register(std::string_view name);

} // namespace kerncast::ptx
