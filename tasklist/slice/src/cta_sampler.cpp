// One executor for all CTAs of a launch.
#include "cta_sampler.h"

namespace kerncast::slice {

Expected<std::vector<std::uint32_t>> CtaSampler::paths(Position at, std::uint64_t phase) {
  ++executed_;
  return executor_.run_cta({at[0], at[1], at[2]}, phase);
}

Expected<const CtaSample*> CtaSampler::sample(Position at) {
  const auto [entry, added] = numbers_.try_emplace(at, samples_.size());
  if (!added)
    return samples_[entry->second].get();
  auto executed = paths(at, 0);
  if (!executed)
    return tl::unexpected(std::move(executed.error()));
  auto sample = std::make_unique<CtaSample>();
  sample->at = at;
  sample->warp_paths = std::move(*executed);
  std::vector<std::uint32_t> signatures;
  for (const std::uint32_t path : sample->warp_paths) {
    const MovablePath& movable = translation_.path(path);
    signatures.push_back(movable.signature);
    sample->phases.insert(sample->phases.end(), movable.phases.begin(), movable.phases.end());
  }
  sample->signature = translation_.signature_of(signatures);
  samples_.push_back(std::move(sample));
  return samples_.back().get();
}

const CtaSample& CtaSampler::nearest(Position at) const {
  const auto distance = [&](const CtaSample& s) {
    std::uint64_t sum = 0;
    for (std::size_t d = 0; d < 3; ++d)
      sum += s.at[d] > at[d] ? s.at[d] - at[d] : at[d] - s.at[d];
    return sum;
  };
  const auto best = std::min_element(samples_.begin(), samples_.end(), [&](const auto& a, const auto& b) {
    return distance(*a) < distance(*b);
  });
  assert(best != samples_.end() && "at least one CTA was executed");
  return **best;
}

} // namespace kerncast::slice
