// CTAs take rounds, in the order of their ranks, until all of them have left the kernel.
#include "cluster.h"

namespace kerncast::functional {
namespace {

// Number `number` of a grid, x fastest.
tasklist::Dim3 cta_at(std::uint64_t number, tasklist::Dim3 grid) {
  const std::uint64_t row = number / grid.x;
  return {static_cast<std::uint32_t>(number % grid.x), static_cast<std::uint32_t>(row % grid.y),
          static_cast<std::uint32_t>(row / grid.y)};
}

} // namespace

ClusterExecutor::ClusterExecutor(const LaunchState& state) : state_(state) {
  const auto ctas = static_cast<std::uint32_t>(state.together.count());
  counts_.resize(state.program.blocks.size(), state.program.loops.size());
  cluster_.members.resize(ctas);
  for (std::uint32_t rank = 0; rank < ctas; ++rank)
    ctas_.emplace_back(state, cluster_, rank, counts_);
}

tasklist::Dim3 ClusterExecutor::cta_of(std::uint64_t cluster, std::uint32_t rank) const {
  const tasklist::Dim3 grid = state_.launch.grid, size = state_.together;
  const tasklist::Dim3 at = cta_at(cluster, {grid.x / size.x, grid.y / size.y, grid.z / size.z});
  const tasklist::Dim3 within = cta_at(rank, size);
  return {at.x * size.x + within.x, at.y * size.y + within.y, at.z * size.z + within.z};
}

bool ClusterExecutor::fail(std::uint64_t cluster, std::uint32_t rank, Fault fault) {
  fault_ = {numbers_of(cluster)[rank], std::move(fault)};
  return false;
}

std::vector<std::uint64_t> ClusterExecutor::numbers_of(std::uint64_t cluster) const {
  const tasklist::Dim3 grid = state_.launch.grid;
  std::vector<std::uint64_t> numbers;
  for (std::uint32_t rank = 0; rank < ctas_.size(); ++rank) {
    const tasklist::Dim3 cta = cta_of(cluster, rank);
    numbers.push_back((std::uint64_t{cta.z} * grid.y + cta.y) * grid.x + cta.x);
  }
  return numbers;
}

// One round of each CTA that is left. False: one of them has a fault, or all wait for each other.
bool ClusterExecutor::take_rounds(std::uint64_t cluster) {
  bool moved = false;
  std::uint32_t waiting = 0;
  for (std::uint32_t rank = 0; rank < ctas_.size(); ++rank) {
    if (finished_[rank])
      continue;
    const CtaExecutor::Round round = ctas_[rank].take_round();
    if (round == CtaExecutor::Round::faulted)
      return fail(cluster, rank, ctas_[rank].fault());
    moved = moved || round != CtaExecutor::Round::waits;
    waiting = rank;
    finished_[rank] = round == CtaExecutor::Round::finished;
    left_ -= finished_[rank] ? 1 : 0;
    if (cluster_.barrier.take_phase_end())
      begin_phase();
  }
  return moved || fail(cluster, waiting, ctas_[waiting].deadlock());
}

void ClusterExecutor::begin_phase() {
  for (CtaExecutor& cta : ctas_)
    cta.next_phase();
}

// A CTA needs no recorder if it is neither traced nor recorded.
std::optional<CtaFault> ClusterExecutor::run(std::uint64_t cluster, Recorder* recorder) {
  const auto watches = [recorder](std::uint32_t rank) {
    return recorder != nullptr && (recorder->is_tracing() || recorder->records_paths(rank));
  };
  cluster_.barrier.start(static_cast<std::uint32_t>(ctas_.size()) * state_.launch.warps_per_cta());
  for (std::uint32_t rank = 0; rank < ctas_.size(); ++rank)
    ctas_[rank].start(cta_of(cluster, rank), watches(rank) ? recorder : nullptr);
  finished_.assign(ctas_.size(), false);
  left_ = ctas_.size();
  cluster_.printed.clear();
  while (left_ > 0)
    if (!take_rounds(cluster))
      return fault_;
  return std::nullopt;
}

} // namespace kerncast::functional
