// The user's facts about branches, loops and addresses, found in the program, and the choices that follow
// from them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "support/diagnostics.h"
#include "tasklist/launch.h"
#include "warp/program.h"
#include "warp_names.h"

namespace kerncast::slice {

// A buffer in the address space of execution.
struct BufferRange {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
};

struct BranchFacts {
  std::vector<std::optional<double>> taken;        // by block: probability that its branch is taken
  std::map<std::uint32_t, double> exit_taken;      // by step: probability of a guarded exit
  std::vector<std::optional<std::uint64_t>> trips; // by loop
  // By access: where its lanes lie if that depends on unknown data.
  std::vector<std::optional<tasklist::AddressFact>> addresses;
  std::vector<std::optional<BufferRange>> ranges; // likewise: the buffer of which that is stated
  bool draws_lots = false; // some probability is neither 0 nor 1: warps and visits of a branch differ
};

// A branch's key is its PTX line or the label it goes to, a loop's key its header's label or line, an
// access's key its line. Fails on keys that name nothing and on probabilities outside [0, 1]. What is stated
// of a buffer holds for accesses whose address is computed from its pointer and that of no other.
Expected<BranchFacts> resolve_facts(const Program& program, const tasklist::Launch& launch);

// Whether a branch taken with this probability is taken by a warp at one of its visits: a low-discrepancy
// sequence in two dimensions, so that over warps and over visits the share taken is close to the
// probability from few of them on, the same on every machine.
bool is_taken(double probability, std::uint64_t warp, std::uint64_t visit);

} // namespace kerncast::slice
