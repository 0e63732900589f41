// Functional execution: a whole kernel, every instruction, over all CTAs, with real memory.
//
// CTAs are handed out in order and run each to its end, so that a CTA may wait for earlier ones but not for
// later ones. Where the outcome depends on the order in which CTAs get at memory (atomics that return a
// value, atomic sums of floats), they run one after the other; else on any number of threads with the same
// outcome. The CTAs of a thread-block cluster take turns. Leaves out: time, caches, independent scheduling of
// the threads of a warp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "functional/device_memory.h"
#include "functional/grid_trace.h"
#include "ptx_parser/module.h"
#include "support/diagnostics.h"
#include "tasklist/behaviour.h"
#include "tasklist/launch.h"
#include "tasklist/tasklist.h"

namespace kerncast::functional {

// Calls task(i) for i in [0, count), at once where it can.
using ForEach = std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

struct RunOptions {
  // Visits of blocks by one warp, each counted once, once more for each of its operations on memory and once
  // for every 16 others: some seconds.
  static constexpr std::uint64_t default_max_visits = 4'000'000;
  // Warps of a CTA together may have so many times as many.
  static constexpr std::uint64_t visits_per_cta = 4;

  std::size_t workers = 1;                                // CTAs executed at once, by `for_each`
  ForEach for_each;                                       // empty: one after the other
  std::uint64_t max_visits_per_warp = default_max_visits; // of blocks; beyond it the kernel is a runaway
  std::uint64_t max_warp_instructions = UINT64_MAX;       // of the launch; beyond it it is given up
  // Threads of different warps that meet in shared memory without a barrier are a fault.
  bool check_races = true;
  // CTAs that load words of buffers which others change are warned of.
  bool warns_of_loads = false;
  // CTAs whose behaviour is recorded, spread over the grid, of a cluster one at most; 0: none. Recording runs
  // on one thread.
  std::uint64_t recorded_ctas = 0;
  // Where CTAs are recorded: accesses that are traced of all CTAs. A launch with more has no trace. 0: none.
  std::uint64_t traced_accesses = 0;
  std::uint64_t traced_patterns = 1U << 16; // distinct ones of a warp's addresses; others are unknown
  bool only_recorded = false;               // the other CTAs are not executed
  // Loads of unknown contents give what lies there, which is zeros: for kernels that only compute with it.
  bool any_contents = false;
  // Gets what the launch prints, once, CTA after CTA, of a CTA as its warps took their turns; at most 1 MiB.
  std::function<void(std::string_view text)> print; // empty: nobody
};

struct LoopCount {
  std::string label; // of the header
  std::uint32_t line = 0;
  std::uint64_t warp_entries = 0; // from outside
  std::uint64_t warp_headers = 0; // visits of the header
  std::uint64_t lane_entries = 0;
  std::uint64_t lane_headers = 0;
};

struct OpcodeCount {
  std::string opcode;
  std::uint64_t warps = 0;
  std::uint64_t lanes = 0;
};

struct RunResult {
  std::uint64_t warp_instructions = 0; // PTX instructions of all blocks visited
  std::uint64_t lane_instructions = 0; // times the lanes that entered the block
  std::vector<LoopCount> loops;
  std::vector<OpcodeCount> opcodes;                   // the most frequent first
  std::optional<tasklist::LaunchBehaviour> behaviour; // if CTAs are recorded: ctas_executed of them
  std::shared_ptr<const GridTrace> trace;             // if all accesses could be traced
  bool given_up = false; // at max_warp_instructions; memory is in the middle of things
  Diagnostics warnings;
};

class Kernel {
public:
  // `list` must be the lowering of `kernel`, or of its inlined form. Keeps the module's text.
  Kernel(const ptx::Module& module, const ptx::Function& kernel, const tasklist::Tasklist& list);
  ~Kernel();
  Kernel(Kernel&&) noexcept;
  Kernel& operator=(Kernel&&) noexcept;

  // Fails with kernel, CTA, thread, line and address of the first fault, in the order of CTAs.
  Expected<RunResult> run(const tasklist::Launch& launch, DeviceMemory& memory,
                          const RunOptions& options = {}) const;

private:
  struct Code;
  std::unique_ptr<const Code> code_;
};

} // namespace kerncast::functional
