// One kernel launch: geometry, resources and parameter values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kerncast::tasklist {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

// A value of a kernel parameter. Buffers are known by number; their device addresses are assigned by
// whoever interprets the launch (see slice/).
struct Argument {
  enum class Kind : std::uint8_t { i32, u32, i64, u64, f32, f64, buffer, unknown, structure };
  Kind kind = Kind::unknown;
  std::uint64_t bits = 0;         // the value's bits; buffer: offset into the buffer in bytes
  std::uint32_t buffer = 0;       // buffer: number of the buffer
  std::uint64_t buffer_bytes = 0; // buffer: its size
  friend bool operator==(const Argument&, const Argument&) = default;
};

// One value in an argument of kind `structure`, which holds what its members state and else is unknown.
struct StructMember {
  std::uint32_t argument = 0; // number of the structure, from 0
  std::uint32_t offset = 0;   // bytes into it
  std::uint32_t bytes = 0;    // the value's low ones
  Argument value;             // no structure
  friend bool operator==(const StructMember&, const StructMember&) = default;
};

// Where the lanes of an access lie whose addresses depend on unknown data.
struct AddressFact {
  enum class Spread : std::uint8_t { scattered, coalesced, broadcast, strided };
  Spread spread = Spread::scattered;
  std::int64_t stride = 0; // strided: bytes from lane to lane
  friend bool operator==(const AddressFact&, const AddressFact&) = default;
};

inline constexpr std::string_view spread_names[] = {"scattered", "coalesced", "broadcast", "strided"};
// Of those that need no stride.
inline std::optional<AddressFact::Spread> find_spread(std::string_view name) {
  for (std::size_t s = 0; s < static_cast<std::size_t>(AddressFact::Spread::strided); ++s)
    if (spread_names[s] == name)
      return static_cast<AddressFact::Spread>(s);
  return std::nullopt;
}

// Facts the user states about what depends on data. Keys are a label or a PTX line number.
struct ControlFacts {
  std::map<std::string, double> branch_taken;      // probability that the branch is taken
  std::map<std::string, std::uint64_t> loop_trips; // iterations of the loop with this header
  std::map<std::string, AddressFact> addresses;    // of the accesses in a line
  // Of the accesses to a buffer, by its number, in lines of which nothing is stated.
  std::map<std::uint32_t, AddressFact> buffer_addresses;
  friend bool operator==(const ControlFacts&, const ControlFacts&) = default;
};

struct Launch {
  Dim3 grid;
  Dim3 block;
  std::optional<Dim3> cluster; // CTAs of a thread-block cluster; else as the kernel requires
  std::uint32_t dynamic_shared_bytes = 0;
  std::optional<std::uint32_t> registers; // per thread, as the compiler reports it; else estimated
  // Of the stores to local memory that the compiler added, in the code of a thread (`ptxas -v`); else
  // estimated.
  std::optional<std::uint32_t> spill_store_bytes;
  std::vector<Argument> arguments;   // may be empty: all unknown
  std::vector<StructMember> members; // of arguments that are structures
  ControlFacts facts;

  std::uint32_t threads_per_cta() const { return static_cast<std::uint32_t>(block.count()); }
  std::uint32_t warps_per_cta() const { return (threads_per_cta() + 31) / 32; }
};

} // namespace kerncast::tasklist
