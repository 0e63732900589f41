// Results of SM workloads in a folder, so that what was simulated once need not be again, by whichever
// process.
//
// A result lies in a file named after the key of its workload, in a folder named after the simulator that
// made it. Files are written under another name and renamed, and checked when read: processes may share the
// folder, and a file that is cut or damaged counts as absent. The folder is kept below a size by removing
// what was unused for longest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/sm_workload.h"
#include "engine/workload_key.h"
#include "support/diagnostics.h"

namespace kerncast::engine {

inline constexpr std::uint64_t default_cache_bytes = std::uint64_t{1} << 30;

class ResultCache {
public:
  // Creates the folder if it is not there. Fails if nothing can be written to it.
  static Expected<ResultCache> open(const std::filesystem::path& folder,
                                    std::uint64_t max_bytes = default_cache_bytes);

  // The stored result, else that of simulate_sm, which is then stored. May be called by several threads.
  SmResult simulate(const SmWorkload& workload) const;

  std::optional<SmResult> find(const WorkloadKey& key) const;
  // A result that cannot be written is not stored: the next one simulates again.
  void store(const WorkloadKey& key, const SmResult& result) const;

  // Removes what was unused for longest until the folder, with results of other simulators, is no larger than
  // allowed.
  void trim() const;

private:
  ResultCache(std::filesystem::path folder, std::uint64_t max_bytes);
  std::filesystem::path file_of(const WorkloadKey& key) const;

  std::filesystem::path folder_;  // as the user names it
  std::filesystem::path results_; // of this simulator
  std::uint64_t max_bytes_;
};

} // namespace kerncast::engine
