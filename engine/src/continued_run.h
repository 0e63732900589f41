// A long run of alike iterations or CTAs, from its beginnings.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "engine/sm_workload.h"

namespace kerncast::engine {

// Where a run of so many iterations or CTAs is sampled: at rest + chunk, rest + 2 chunk, rest + 4 chunk ...
struct Sampling {
  std::uint64_t all = 0;
  std::uint64_t rest = 0;
  std::uint64_t chunk = 0;
  std::uint32_t doublings = 0;

  std::uint64_t at(std::uint32_t k) const { return rest + (chunk << k); }
  std::uint64_t chunks() const { return (all - rest) / chunk; }
};

// Of the chunks from `first_chunk` to twice that, in steps of `grain`, the one with the smallest rest. The
// largest sample is `all` / `part`, beside the rest. Nothing, if that is too few chunks for a rate that can
// be compared.
std::optional<Sampling> sampling_of(std::uint64_t all, std::uint64_t first_chunk, std::uint64_t grain,
                                    std::uint64_t part);

struct Run {
  Sampling sampling;
  // The result of the first so many.
  std::function<SmResult(std::uint64_t count)> first;
  // By how much, relatively, what comes after the first `to` may differ from those from `from` to `to`.
  std::function<double(std::uint64_t from, std::uint64_t to)> difference;
};

struct ContinuedRun {
  std::optional<SmResult> result; // nothing, if the rate is never steady
  std::uint64_t sampled = 0;      // of the run
  std::uint64_t stepped = 0;      // warp instructions, in any case
};

// Continues from the first sample whose rate since the sample before is the rate before that, within
// `allowed` of the whole run's cycles; where `irregular`, twice in a row. A rate since the smallest sample
// would change little where the later chunks cost something else.
ContinuedRun continue_run(const Run& run, bool irregular, double allowed);

} // namespace kerncast::engine
