// One kernel launch: geometry, resources and parameter values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
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
  enum class Kind : std::uint8_t { i32, u32, i64, u64, f32, f64, buffer, unknown };
  Kind kind = Kind::unknown;
  std::uint64_t bits = 0;         // the value's bits; buffer: offset into the buffer in bytes
  std::uint32_t buffer = 0;       // buffer: number of the buffer
  std::uint64_t buffer_bytes = 0; // buffer: its size
  friend bool operator==(const Argument&, const Argument&) = default;
};

// Facts the user states about control flow that depends on data. Keys are a label or a PTX line number.
struct ControlFacts {
  std::map<std::string, double> branch_taken;      // probability that the branch is taken
  std::map<std::string, std::uint64_t> loop_trips; // iterations of the loop with this header
  friend bool operator==(const ControlFacts&, const ControlFacts&) = default;
};

struct Launch {
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::optional<std::uint32_t> registers; // per thread, as the compiler reports it; else estimated
  std::vector<Argument> arguments;        // may be empty: all unknown
  ControlFacts facts;

  std::uint32_t threads_per_cta() const { return static_cast<std::uint32_t>(block.count()); }
  std::uint32_t warps_per_cta() const { return (threads_per_cta() + 31) / 32; }
};

} // namespace kerncast::tasklist
