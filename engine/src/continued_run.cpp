// Looks for the sample from which on a run may be continued.
#include "continued_run.h"

#include <cmath>
#include <vector>

#include "continue_result.h"

namespace kerncast::engine {

std::optional<Sampling> sampling_of(std::uint64_t all, std::uint64_t first_chunk, std::uint64_t grain,
                                    std::uint64_t part) {
  constexpr std::uint32_t least_doublings = 2; // two rates
  const std::uint64_t most = all / part;
  std::uint32_t doublings = 0;
  while (first_chunk <= most >> (doublings + 1))
    ++doublings;
  if (doublings < least_doublings)
    return std::nullopt;
  Sampling best{all, all, first_chunk, doublings};
  for (std::uint64_t chunk = first_chunk; chunk <= most >> doublings && best.rest != 0; chunk += grain)
    if (all % chunk < best.rest)
      best = {all, all % chunk, chunk, doublings};
  return best;
}

namespace {

class Continuing {
public:
  Continuing(const Run& run, bool irregular, double allowed)
      : run_(run), irregular_(irregular), allowed_(allowed) {}

  ContinuedRun go() {
    for (std::uint32_t k = 0; k <= run_.sampling.doublings; ++k) {
      samples_.push_back(run_.first(run_.sampling.at(k)));
      stepped_ += samples_.back().simulated_warp_instructions;
      if (k == 0 || !is_steady(k))
        continue;
      SmResult result = continue_result(samples_, chunks_after(k));
      result.continued.error += error_;
      result.simulated_warp_instructions = stepped_;
      return {std::move(result), run_.sampling.at(k), stepped_};
    }
    return {std::nullopt, 0, stepped_};
  }

private:
  std::uint64_t chunks_after(std::uint32_t k) const {
    return run_.sampling.chunks() - (std::uint64_t{1} << k);
  }

  bool is_steady(std::uint32_t k) {
    const double cycles = samples_[k].cycles - samples_[k - 1].cycles;
    const double rate = cycles / static_cast<double>(std::uint64_t{1} << (k - 1));
    const double rest = rate * static_cast<double>(chunks_after(k));
    const double change = rate_before_ ? std::abs(1 - *rate_before_ / rate) : HUGE_VAL;
    const double difference = run_.difference(run_.sampling.at(k - 1), run_.sampling.at(k));
    error_ = (change + difference) * rest / (samples_.back().cycles + rest);
    const bool agrees = rate > 0 && error_ <= allowed_;
    const bool steady = agrees && (agreed_ || !irregular_);
    agreed_ = agrees;
    rate_before_ = rate;
    return steady;
  }

  const Run& run_;
  bool irregular_;
  double allowed_;
  std::vector<SmResult> samples_;
  std::uint64_t stepped_ = 0;
  std::optional<double> rate_before_; // cycles a chunk
  bool agreed_ = false;
  double error_ = 0;
};

} // namespace

ContinuedRun continue_run(const Run& run, bool irregular, double allowed) {
  return Continuing(run, irregular, allowed).go();
}

} // namespace kerncast::engine
