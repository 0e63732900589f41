// Bytes made smaller on their way to other processes of the same program (zstd, at its fastest).
#pragma once

#include <string>
#include <string_view>

namespace kerncast {

std::string packed(std::string_view bytes);
// What was packed; asks for bytes that come from `packed`.
std::string unpacked(std::string_view packed);

} // namespace kerncast
