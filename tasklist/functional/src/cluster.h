// Executes one cluster of CTAs after another; each thread of the host has one of these. Without clusters a
// CTA is one by itself.
#pragma once

#include <deque>
#include <optional>

#include "cta.h"

namespace kerncast::functional {

struct CtaFault {
  std::uint64_t cta = 0; // number in the grid
  Fault fault;
};

class ClusterExecutor {
public:
  explicit ClusterExecutor(const LaunchState& state);

  // The cluster of this number; what its CTAs do goes to `recorder`, which may be null.
  std::optional<CtaFault> run(std::uint64_t cluster, Recorder* recorder);
  // Of its CTAs in the grid, by rank.
  std::vector<std::uint64_t> numbers_of(std::uint64_t cluster) const;
  // What the last cluster printed.
  std::string& printed() { return cluster_.printed; }
  const Counts& counts() const { return counts_; }

private:
  tasklist::Dim3 cta_of(std::uint64_t cluster, std::uint32_t rank) const;
  bool take_rounds(std::uint64_t cluster);
  void begin_phase();
  bool fail(std::uint64_t cluster, std::uint32_t rank, Fault fault);

  const LaunchState& state_;
  ClusterState cluster_;
  Counts counts_;
  std::deque<CtaExecutor> ctas_; // by rank
  std::vector<bool> finished_;   // by rank
  std::size_t left_ = 0;         // CTAs not finished
  CtaFault fault_;
};

} // namespace kerncast::functional
