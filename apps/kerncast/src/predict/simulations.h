// Results of SM workloads in memory: what was simulated for one point of a sweep, or for one number of GPUs,
// need not be for another.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/sm_workload.h"
#include "engine/workload_key.h"
#include "result_cache/result_cache.h"

namespace kerncast::app {

class Simulations {
public:
  // `folder`: asked where memory does not know (--cache).
  explicit Simulations(std::optional<engine::ResultCache> folder) : folder_(std::move(folder)) {}

  // As simulate_sm; by any thread.
  std::shared_ptr<const engine::SmResult> of(const engine::SmWorkload& workload);
  void trim() const;

private:
  using Known = std::shared_future<std::shared_ptr<const engine::SmResult>>;
  std::shared_ptr<const engine::SmResult> simulate(const engine::SmWorkload& workload) const;

  std::optional<engine::ResultCache> folder_;
  std::mutex mutex_;                           // guards what follows
  std::map<engine::WorkloadKey, Known> known_; // or being simulated
};

// With the folder of --cache; none if its name is empty.
Expected<std::shared_ptr<Simulations>> open_simulations(const std::string& folder);

} // namespace kerncast::app
