// Results of SMs that begin with the same CTAs, of ever more of them, in one run: until the first CTA that is
// another one or is left out would start they do the same. A copy of the SM then goes on its own way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/sm_workload.h"

namespace kerncast::engine {

class FirstCtas {
public:
  // The workload must outlive the object. Everything is stepped through.
  explicit FirstCtas(const SmWorkload& workload);
  ~FirstCtas();
  FirstCtas(const FirstCtas&) = delete;
  FirstCtas& operator=(const FirstCtas&) = delete;

  // As simulating them alone. `ctas`: more than are resident; a number that was asked for, or more than all
  // of those. `simulated_warp_instructions` are those stepped through for this answer.
  SmResult of(std::uint64_t ctas);

  // As simulating the workload with these CTAs instead, of which at least the resident ones are its first,
  // and as many as were asked for before.
  SmResult with(const std::vector<CtaRun>& ctas);

  // The same, to be found when that is called: once, and while the workload lives.
  std::function<SmResult()> later_with(const std::vector<CtaRun>& ctas);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace kerncast::engine
