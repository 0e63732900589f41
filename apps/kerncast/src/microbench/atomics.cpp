// Chains of atomic additions (apps/microbench/atomics): of all lanes to one address, and to neighbouring
// ones.
//
// In global memory they are done in L2. Lanes at one address follow one another there, in shared memory those
// that want words of one bank as well.
#include <algorithm>

#include "described.h"
#include "families.h"
#include "repeated.h"

namespace kerncast::app {
namespace {

constexpr std::uint32_t additions_per_trip = 8;

Expected<double> cycles_per_addition(const Laboratory& laboratory, std::string_view kernel,
                                     std::uint32_t stride) {
  Repeated repeated{.kernel = kernel, .launch = {}, .buffers = {4096, 4096}, .warm = true};
  repeated.launch.block.x = tasklist::lanes_per_warp;
  if (kernel == "add_global")
    repeated.launch.arguments.push_back(buffer_argument(1, 4096));
  repeated.launch.arguments.push_back(buffer_argument(0, 4096));
  repeated.launch.arguments.push_back(argument(stride));
  const Expected<double> trip = cycles_per_trip(laboratory, repeated);
  return trip ? *trip / additions_per_trip : trip;
}

// In global memory every line of L1's size that neighbouring words touch is a wavefront more.
double described_latency(const configs::Gpu& gpu, const configs::IsaRow& row, std::string_view kernel,
                         std::uint32_t stride) {
  const double before = describe(row, gpu).latency;
  if (kernel == "add_shared")
    return before + (stride == 0 ? shared_latency_of_wavefronts(gpu, row, tasklist::lanes_per_warp)
                                 : described_shared_latency(gpu, row, stride));
  const double lines = std::max(1.0, stride * 4.0 * tasklist::lanes_per_warp / gpu.l1.line_bytes);
  const double turns = stride == 0 ? (tasklist::lanes_per_warp - 1.0) * gpu.atomic_interval_cycles() : 0;
  return before + gpu.l2_latency() + (lines - 1) * row.machine.front().issue_interval + turns;
}

} // namespace

Expected<Findings> find_atomics(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  struct Case {
    const char* kernel;
    const char* ptx;
    const char* name;
    std::uint32_t stride;
  };
  const Case cases[] = {{"add_global", "atom.global.add.u32", "atomic, global, one address", 0},
                        {"add_global", "atom.global.add.u32", "atomic, global, own addresses", 1},
                        {"add_shared", "atom.shared.add.u32", "atomic, shared, one address", 0},
                        {"add_shared", "atom.shared.add.u32", "atomic, shared, own addresses", 1}};
  Findings findings;
  for (const Case& one : cases) {
    const configs::IsaRow* row = row_of(gpu, one.ptx);
    if (row == nullptr)
      continue;
    const Expected<double> found = cycles_per_addition(laboratory, one.kernel, one.stride);
    if (!found)
      return tl::unexpected(found.error());
    findings.push_back({"latency", one.name, "cycles", *found,
                        described_latency(gpu, *row, one.kernel, one.stride), usual_tolerance});
  }
  return findings;
}

} // namespace kerncast::app
