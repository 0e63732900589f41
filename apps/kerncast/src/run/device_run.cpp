#include "run/device_run.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "parallel/run.h"

namespace kerncast::app {
namespace {

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end())
    list.push_back(std::move(text));
}

bool is_copy(const timeline::Event& event, timeline::CopyKind kind) {
  const auto* copy = std::get_if<timeline::CopyEvent>(&event);
  return copy != nullptr && copy->kind == kind;
}

Expected<void> state_variables(const PredictInput& input, functional::DeviceMemory& memory) {
  for (const VariableContents& variable : input.variables) {
    std::vector<std::uint8_t> bytes(variable.contents.bytes);
    if (auto filled = application::fill(variable.contents.contents, bytes); !filled)
      return tl::unexpected(filled.error());
    memory.state_variable({variable.module->source, variable.contents.name, std::move(bytes)});
  }
  return {};
}

} // namespace

functional::RunOptions on_threads(std::size_t threads) {
  functional::RunOptions options;
  options.workers = threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : threads;
  options.for_each = [workers = options.workers](std::size_t count,
                                                 const std::function<void(std::size_t)>& task) {
    parallel::for_each_index(count, workers, task);
  };
  return options;
}

Expected<functional::Kernel> functional_kernel(const KernelCode& code) {
  const ptx::Function* function = code.function();
  if (function == nullptr)
    return fail("a tasklist has no values to execute", "give the kernel's PTX");
  return functional::Kernel(*code.module, *function, code.list);
}

Expected<DeviceRun> DeviceRun::prepare(const PredictInput& input, const std::vector<bool>& matters) {
  DeviceRun run(input);
  if (input.malloc_heap_bytes)
    run.memory_.set_heap_bytes(*input.malloc_heap_bytes);
  for (std::size_t b = 0; b < input.buffers.size(); ++b) {
    const application::Buffer& buffer = input.buffers[b];
    const bool is_ignored = !matters.empty() && !matters[b];
    const bool is_unknown = buffer.contents.kind == application::InitKind::unknown && !is_ignored;
    if (auto added = run.memory_.add_buffer(buffer.name, buffer.bytes, is_unknown); !added)
      return tl::unexpected(added.error());
    if (is_unknown || is_ignored)
      continue;
    if (auto filled = application::fill(buffer.contents, run.memory_.buffer(b).bytes()); !filled)
      return tl::unexpected(filled.error());
  }
  if (auto stated = state_variables(input, run.memory_); !stated)
    return tl::unexpected(stated.error());
  for (const tasklist::Image& texture : input.textures)
    if (auto added = run.memory_.add_image(texture); !added)
      return tl::unexpected(added.error());
  return run;
}

Expected<functional::RunResult> DeviceRun::launch(std::uint32_t job, const functional::RunOptions& options) {
  const LaunchJob& of = input_->launches[job];
  std::optional<functional::Kernel>& kernel = kernels_[of.kernel];
  if (!kernel) {
    Expected<functional::Kernel> decoded = functional_kernel(input_->kernels[of.kernel]);
    if (!decoded)
      return tl::unexpected(decoded.error());
    kernel.emplace(std::move(*decoded));
  }
  Expected<functional::RunResult> result = kernel->run(of.launch, memory_, options);
  if (!result)
    return tl::unexpected(located(result.error(), input_->source, of.place));
  return result;
}

void DeviceRun::memset(std::size_t event) {
  if (next_fill_ == input_->fills.size() || input_->fills[next_fill_].event != event)
    return add_once(assumptions_, "memset without a buffer: changes nothing");
  const application::BufferFill& fill = input_->fills[next_fill_++];
  functional::Buffer& buffer = memory_.buffer(fill.buffer);
  std::fill_n(&buffer.bytes()[fill.offset], fill.bytes, fill.value);
  buffer.set_known(fill.offset, fill.bytes);
}

Expected<void> DeviceRun::run(const OptionsOf& options_of, const PerLaunch& per_launch) {
  for (std::size_t e = 0; e < input_->events.size(); ++e) {
    const timeline::Event& event = input_->events[e];
    if (is_copy(event, timeline::CopyKind::memset))
      memset(e);
    if (is_copy(event, timeline::CopyKind::d2d))
      add_once(assumptions_, "copy within the device: which buffers is not known, changes nothing");
    const auto* kernel = std::get_if<timeline::KernelEvent>(&event);
    if (kernel == nullptr)
      continue;
    const Expected<bool> goes_on = repeat(*kernel, e, options_of, per_launch);
    if (!goes_on)
      return tl::unexpected(goes_on.error());
    if (!*goes_on)
      break;
  }
  return {};
}

Expected<bool> DeviceRun::repeat(const timeline::KernelEvent& kernel, std::size_t event,
                                 const OptionsOf& options_of, const PerLaunch& per_launch) {
  for (std::uint64_t repeats = kernel.repeat; repeats > 0; --repeats) {
    const LaunchTurn turn{kernel.launch, event, repeats};
    const std::optional<functional::RunOptions> options = options_of(turn);
    if (!options)
      break;
    Expected<functional::RunResult> result = launch(kernel.launch, *options);
    if (!result)
      return tl::unexpected(result.error());
    if (!per_launch(turn, std::move(*result)))
      return false;
  }
  return true;
}

} // namespace kerncast::app
