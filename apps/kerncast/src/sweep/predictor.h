// One application on many GPUs that differ little: machine programs and hit rates are kept for as long as
// nothing that reaches them changes.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "configs/gpu.h"
#include "engine/kernel.h"
#include "predict/hit_rates.h"
#include "predict/simulations.h"
#include "sweep/applications.h"
#include "sweep/hits.h"
#include "sweep/result_row.h"

namespace kerncast::app {

// Values that were computed lately by what they depend on. Of threads that ask for the same value one
// computes it, the others wait.
template <class Value> class Recent {
public:
  std::shared_ptr<const Value> get(const std::string& key, const std::function<Value()>& compute) {
    const std::shared_ptr<Entry> entry = find(key);
    const std::lock_guard lock(entry->computing);
    if (!entry->value)
      entry->value = std::make_shared<const Value>(compute());
    return entry->value;
  }

private:
  static constexpr std::size_t most = 64;
  struct Entry {
    std::string key;
    std::mutex computing;
    std::shared_ptr<const Value> value;
  };

  std::shared_ptr<Entry> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    for (auto at = entries_.begin(); at != entries_.end(); ++at)
      if ((*at)->key == key) {
        entries_.splice(entries_.begin(), entries_, at);
        return entries_.front();
      }
    if (entries_.size() == most)
      entries_.pop_back();
    entries_.push_front(std::make_shared<Entry>());
    entries_.front()->key = key;
    return entries_.front();
  }

  std::mutex mutex_;
  std::list<std::shared_ptr<Entry>> entries_; // the latest first
};

class Predictor {
public:
  // Must outlive the object.
  explicit Predictor(Simulations& simulations) : simulations_(simulations) {}

  // Names of the application, which is the same every time, and its numbers; what cannot run on the GPU has
  // an error. By any thread, the same bytes as a prediction by itself.
  sweep::ResultRow predict(const SweepApplication& app, const configs::Gpu& gpu);

  // The hit rates on this GPU with what they depend on, as bytes for the predictor of another rank.
  std::string find_hits(const SweepApplication& app, const configs::Gpu& gpu);
  // Of a GPU that has none, for whatever reason; not empty either.
  static std::string no_hits();
  // The bytes come from one of these.
  void put_hits(std::string_view found);

private:
  Expected<std::vector<engine::KernelPrediction>> predict_launches(const SweepApplication& app,
                                                                   const configs::Gpu& gpu);
  std::shared_ptr<const Expected<Programs>> programs_on(const PredictInput& input, const configs::Gpu& gpu);
  std::shared_ptr<const Hits> hits_on(const PredictInput& input, const configs::Gpu& gpu,
                                      const Programs& programs);

  Simulations& simulations_;
  Recent<Expected<Programs>> programs_;
  Recent<Hits> hits_;
};

} // namespace kerncast::app
