// How data go from launch to launch of an application: whose contents can decide branches and addresses,
// which launches need not be executed to know them, and which see the same data as earlier ones.
//
// Works on whole buffers, and on all variables of a module as one; contents are told apart by a number that
// changes with every execution that may write them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "predict/input.h"
#include "warp/memory_use.h"

namespace kerncast::app {

class DataFlow {
public:
  // `followed`: by job, whose branches and addresses are to be known.
  DataFlow(const PredictInput& input, const std::vector<bool>& followed);

  // By buffer: whether what it holds can decide them.
  const std::vector<bool>& matters() const { return matters_; }
  // Buffers that decide a job's branches and addresses, if they hold at each of its launches what they did at
  // first; nothing if something writes to any of them, before or during these, or variables decide too.
  std::optional<std::vector<std::uint32_t>> unwritten_deciders(std::uint32_t job) const;
  // Launches with equal versions of what decides do the same.
  std::vector<std::uint64_t> deciding_versions(std::uint32_t job) const;
  // Whether executing the job now could change what decides later launches.
  bool must_execute(std::uint32_t job) const;
  void executed(std::uint32_t job);
  // All memsets before the event have happened.
  void reach(std::size_t event);

private:
  using Places = std::vector<bool>; // buffers, then each module's variables
  struct JobUse {
    Places reads, writes, decides;
    Places written;                           // by the end of its last launch
    std::vector<std::uint64_t> versions_left; // by the last execution, of what it reads and writes
  };

  JobUse use_of(const LaunchJob& job, const warp::MemoryUse& use, bool pointers_lie_in_memory) const;
  void find_what_matters(const std::vector<bool>& followed);
  void find_what_is_written();
  std::vector<std::uint64_t> versions_of(const Places& places) const;

  const PredictInput& input_;
  std::vector<const void*> modules_;
  std::vector<JobUse> jobs_;
  std::vector<bool> matters_;
  std::vector<std::uint64_t> versions_; // by place
  std::uint64_t next_version_ = 1;
  std::size_t next_fill_ = 0;
};

} // namespace kerncast::app
