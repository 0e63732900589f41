// Executes the events of an application on memory: launches and memsets in their order. Copies change
// nothing: the contents of buffers are those after the copies to the device.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "functional/kernel.h"
#include "predict/input.h"

namespace kerncast::app {

// One execution of a launch.
struct LaunchTurn {
  std::uint32_t job = 0;  // index into PredictInput::launches
  std::size_t event = 0;  // index into PredictInput::events
  std::uint64_t left = 1; // the event's launches from this one on
};

class DeviceRun {
public:
  // Memory with the buffers' contents. `matters`: by buffer, others hold zeros; empty: all do.
  static Expected<DeviceRun> prepare(const PredictInput& input, const std::vector<bool>& matters = {});

  // Nothing: the event's launches from this one on are passed over.
  using OptionsOf = std::function<std::optional<functional::RunOptions>(const LaunchTurn& turn)>;
  // False: no further events.
  using PerLaunch = std::function<bool(const LaunchTurn& turn, functional::RunResult&& result)>;
  // All launches, one after the other.
  Expected<void> run(const OptionsOf& options_of, const PerLaunch& per_launch);

  // One launch by itself.
  Expected<functional::RunResult> launch(std::uint32_t job, const functional::RunOptions& options);

  const functional::DeviceMemory& memory() const { return memory_; }
  // What had to be assumed about events.
  const std::vector<std::string>& assumptions() const { return assumptions_; }

private:
  explicit DeviceRun(const PredictInput& input) : input_(&input), kernels_(input.kernels.size()) {}
  void memset(std::size_t event);
  // False when `per_launch` wants no more.
  Expected<bool> repeat(const timeline::KernelEvent& kernel, std::size_t event, const OptionsOf& options_of,
                        const PerLaunch& per_launch);

  const PredictInput* input_;
  functional::DeviceMemory memory_;
  std::vector<std::optional<functional::Kernel>> kernels_; // decoded when they are first launched
  std::size_t next_fill_ = 0;
  std::vector<std::string> assumptions_;
};

// CTAs on so many threads (0: as many as the machine has).
functional::RunOptions on_threads(std::size_t threads);

// Decodes a kernel of PTX; fails for tasklists.
Expected<functional::Kernel> functional_kernel(const KernelCode& code);

} // namespace kerncast::app
