// Registers per thread from register pressure.
#pragma once

#include <string>
#include <string_view>

#include "configs/gpu.h"
#include "draft.h"
#include "live_ranges.h"
#include "value_widths.h"

namespace kerncast::machine {

// ptxas 13.0 reports more registers than a kernel has values at once: R1 is the stack pointer, two are
// counted beyond the highest in use (an empty kernel reports 4), and one is lost to the alignment of pairs.
inline constexpr std::uint32_t reserved_registers = 4;

// Registers for values that the compiler takes before it trades latency for registers: as many as let all of
// an SM's threads be resident. Kernels that could use more take exactly 32 on sm_80 and sm_90 and up to 64 on
// sm_75, whose SM has half of the threads (ptxas 13.0).
std::int32_t register_target(const configs::Gpu& gpu);

// Registers for values, at least so many, that the highest occupancy with as many leaves; so many where a
// thread may not have them.
std::uint32_t registers_of_occupancy(std::uint32_t values, const configs::Gpu& gpu);

struct RegisterEstimate {
  std::uint32_t needed = 0;  // at least
  std::uint32_t granted = 0; // what the compiler takes: it spends registers that cost no residency
  std::string spilling;      // what to say when fewer are granted than needed, else empty
  std::string_view limit;    // what grants so few
};

// The most 32-bit registers that hold values at one position of the text's order.
struct TextPressure {
  std::uint32_t all = 0;
  std::uint32_t late = 0; // with the loads that can wait in front of their first readers; `all` if a compiler
                          // is not short of registers
  std::uint32_t kept = 0; // likewise, without those that it frees
};
TextPressure text_pressure(const tasklist::Tasklist& list, const configs::Gpu& gpu, const Draft& draft,
                           const LiveRanges& ranges, std::span<const std::uint8_t> widths);

// Needed are the most 32-bit registers that hold values at one position, plus what the compiler needs beside
// them; granted is what it takes, at most what the kernel's own limits (.maxnreg, .maxntid with
// .minnctapersm) and the GPU allow. `widths` are those of value_widths(). `stated`: what the compiler is
// known to have taken, 0 if it is not; if that is less than it was allowed, it had enough, whatever is found
// here.
RegisterEstimate estimate_registers(const tasklist::Tasklist& list, const configs::Gpu& gpu,
                                    const Draft& draft, const LiveRanges& ranges, const ValueWidths& widths,
                                    const TextPressure& text, std::uint32_t stated);

} // namespace kerncast::machine
