// Functions that no PTX has a body for because the driver provides them: printf, assert, malloc and free.
#pragma once

#include <string_view>

#include "ptx_parser/module.h"

namespace kerncast::lowering {

// By the name that PTX has for it: "vprintf".
bool is_system_call(std::string_view name);

// Whether a declaration takes and gives what the driver's function of its name does.
bool has_system_signature(const ptx::Function& declared, std::uint32_t address_bits);

} // namespace kerncast::lowering
