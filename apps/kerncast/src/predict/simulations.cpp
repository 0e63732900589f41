#include "predict/simulations.h"

#include <exception>
#include <utility>

#include "engine/simulate_sm.h"

namespace kerncast::app {
namespace {

// Some 100 MB. Then all are forgotten at once: points that follow each other share most.
constexpr std::size_t most_known = 100'000;

} // namespace

// Who asks for what another thread simulates waits for it: a simulation waits for nobody.
std::shared_ptr<const engine::SmResult> Simulations::of(const engine::SmWorkload& workload) {
  const engine::WorkloadKey key = engine::workload_key(workload);
  std::promise<std::shared_ptr<const engine::SmResult>> promise;
  Known known;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) {
      known = found->second;
    } else {
      if (known_.size() >= most_known)
        known_.clear();
      known_.emplace(key, promise.get_future().share());
    }
  }
  if (known.valid())
    return known.get();
  try {
    auto result = simulate(workload);
    promise.set_value(result);
    return result;
  } catch (...) {
    promise.set_exception(std::current_exception());
    throw;
  }
}

std::shared_ptr<const engine::SmResult> Simulations::simulate(const engine::SmWorkload& workload) const {
  return std::make_shared<const engine::SmResult>(folder_ ? folder_->simulate(workload)
                                                          : engine::simulate_sm(workload));
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
