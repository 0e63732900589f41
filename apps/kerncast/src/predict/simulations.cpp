#include "predict/simulations.h"

#include "engine/simulate_sm.h"

namespace kerncast::app {
namespace {

// Some 100 MB. Then all are forgotten at once: points that follow each other share most.
constexpr std::size_t most_known = 100'000;

} // namespace

std::shared_ptr<const engine::SmResult> Simulations::of(const engine::SmWorkload& workload) {
  const engine::WorkloadKey key = engine::workload_key(workload);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end())
      return known->second;
  }
  auto result = std::make_shared<const engine::SmResult>(folder_ ? folder_->simulate(workload)
                                                                 : engine::simulate_sm(workload));
  const std::lock_guard lock(mutex_);
  if (known_.size() >= most_known)
    known_.clear();
  known_.emplace(key, result);
  return result;
}

void Simulations::trim() const {
  if (folder_)
    folder_->trim();
}

Expected<std::shared_ptr<Simulations>> open_simulations(const std::string& folder) {
  if (folder.empty())
    return std::make_shared<Simulations>(std::nullopt);
  return engine::ResultCache::open(folder).map(
      [](engine::ResultCache&& cache) { return std::make_shared<Simulations>(std::move(cache)); });
}

} // namespace kerncast::app
