// Which modifiers of an instruction go together (syntax/combinations.inc).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "signature_errors.h"

namespace kerncast::ptx {

// What is wrong with the modifiers of `text`, a whole opcode, in a module of this version (807 for 8.7).
std::optional<SignatureError> wrong_combination(std::string_view text, Opcode opcode,
                                                std::span<const Modifier> modifiers, std::uint32_t version);

} // namespace kerncast::ptx
