// What is known of real architectures beside the database: a description of one must not contradict it.
#pragma once

#include <cstdint>
#include <string_view>

namespace kerncast::configs {

struct Capability {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::string_view architecture;  // its ISA table
  std::uint32_t combined_kib = 0; // L1 and shared memory of an SM; 0: apart, or divided otherwise
};

// Null if there is no such compute capability.
const Capability* capability(std::uint32_t major, std::uint32_t minor);

// What comes before the first hyphen: "ga10x-geforce" is GA10x with rows of its own.
std::string_view family_of(std::string_view architecture);

// The ISA table is of a real architecture's family, not the unit GPU's or one of the user's own.
bool is_real(std::string_view architecture);

} // namespace kerncast::configs
