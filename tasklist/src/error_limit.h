#pragma once

#include <cstddef>

namespace kerncast::tasklist {

// Errors behind which a reader stops: a file of another kind has one in every line.
inline constexpr std::size_t error_limit = 50;

} // namespace kerncast::tasklist
