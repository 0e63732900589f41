#include "contents.h"

#include <algorithm>

#include <fmt/format.h>

#include "run/device_run.h"
#include "slice/execute.h"

namespace kerncast::app {
namespace {

// Of one launch; each stands for its neighbours in the grid.
constexpr std::uint32_t default_recorded_ctas = 256;
constexpr std::size_t max_recordings = 1024;
// Warp instructions of all launches: some ten seconds.
constexpr std::uint64_t max_warp_instructions = 200'000'000;
// Accesses of all launches whose addresses are kept for hit rates, 16 bytes each.
constexpr std::uint64_t max_traced_accesses = 1U << 23;

using slice::DataDependence;

class ContentsUser {
public:
  ContentsUser(PredictInput& input, const PredictOptions& options)
      : input_(input), threads_(options.threads),
        recorded_ctas_(options.sample_ctas.value_or(default_recorded_ctas)) {}

  void run() {
    find_dependent_jobs();
    record_own_memory();
    if (executions_left_ == 0 || !has_contents())
      return;
    Expected<DeviceRun> device = DeviceRun::prepare(input_);
    if (!device)
      return stopped(device.error());
    const auto ran = device->run([&](std::uint32_t job) { return options_of(job); },
                                 [&](const EndedLaunch& ended, functional::RunResult&& result) {
                                   return launched(ended, std::move(result));
                                 });
    if (!ran)
      stopped(ran.error());
    rewrite_events();
  }

private:
  bool has_contents() const {
    return std::any_of(input_.buffers.begin(), input_.buffers.end(), [](const application::Buffer& b) {
      return b.contents.kind != application::InitKind::unknown;
    });
  }

  void find_dependent_jobs() {
    std::vector<DataDependence> by_kernel;
    for (const KernelCode& kernel : input_.kernels) {
      const ptx::Function* function = kernel.function();
      by_kernel.push_back(function == nullptr ? DataDependence::none
                                              : slice::data_dependence(*kernel.module, *function, kernel.list,
                                                                       !input_.textures.empty()));
    }
    for (std::uint32_t j = 0; j < input_.launches.size(); ++j) {
      const LaunchJob& job = input_.launches[j];
      const bool has_facts = !job.launch.facts.branch_taken.empty() || !job.launch.facts.loop_trips.empty();
      const DataDependence on =
          has_facts || job.launch.arguments.empty() ? DataDependence::none : by_kernel[job.kernel];
      dependent_.push_back(on == DataDependence::buffers);
      if (on == DataDependence::own_memory)
        of_own_memory_.push_back(j);
    }
    for (const timeline::Event& event : input_.events)
      if (const auto* kernel = std::get_if<timeline::KernelEvent>(&event);
          kernel != nullptr && dependent_[kernel->launch])
        executions_left_ += kernel->repeat;
  }

  // What only shared memory and parameters decide is the same at each launch, whatever lies in the buffers:
  // the CTAs to be recorded are executed on memory of their own.
  void record_own_memory() {
    if (of_own_memory_.empty())
      return;
    Expected<DeviceRun> device = DeviceRun::prepare(input_);
    for (const std::uint32_t j : of_own_memory_) {
      if (const auto reason = device ? record_alone(*device, j) : one_line(device.error()); !reason.empty())
        input_.launches[j].assumptions.push_back(stopped_because(reason));
    }
  }

  // Why it could not be executed to its end; empty if it could.
  std::string record_alone(DeviceRun& device, std::uint32_t job) {
    functional::RunOptions options = options_of(job);
    options.recorded_ctas = recorded_ctas_;
    options.only_recorded = options.any_contents = true;
    if (input_.launches[job].launch.grid.count() > recorded_ctas_)
      options.traced_accesses = 0;
    Expected<functional::RunResult> result = device.launch(job, options);
    if (!result)
      return one_line(result.error());
    executed_ += result->warp_instructions;
    if (result->given_up)
      return too_long();
    note_trace(*result);
    input_.launches[job].trace = std::move(result->trace);
    input_.launches[job].behaviour = recorded_behaviour(job, std::move(*result));
    return {};
  }

  void note_trace(const functional::RunResult& result) {
    if (result.trace)
      traced_ += result.trace->accesses.size();
  }

  functional::RunOptions options_of(std::uint32_t job) const {
    functional::RunOptions options = on_threads(threads_);
    options.check_races = false;
    options.max_warp_instructions = max_warp_instructions - std::min(executed_, max_warp_instructions);
    options.recorded_ctas = dependent_[job] ? recorded_ctas_ : 0;
    options.traced_accesses = max_traced_accesses - traced_;
    return options;
  }

  std::shared_ptr<const tasklist::LaunchBehaviour> recorded_behaviour(std::uint32_t job,
                                                                      functional::RunResult&& result) const {
    const std::uint64_t ctas = input_.launches[job].launch.grid.count();
    result.behaviour->ctas_executed = std::min(recorded_ctas_, ctas);
    if (ctas > recorded_ctas_)
      result.behaviour->assumptions.push_back(
          fmt::format("CTAs recorded in functional execution: {} of {}, each stands for its neighbours",
                      recorded_ctas_, ctas));
    return std::make_shared<const tasklist::LaunchBehaviour>(std::move(*result.behaviour));
  }

  bool launched(const EndedLaunch& ended, functional::RunResult&& result) {
    executed_ += result.warp_instructions;
    if (result.given_up) {
      add_reason(too_long());
      return false;
    }
    if (!dependent_[ended.job])
      return true;
    note_trace(result);
    Recorded& recorded = recorded_.emplace_back(Recorded{ended, nullptr, std::move(result.trace)});
    recorded.behaviour = recorded_behaviour(ended.job, std::move(result));
    if (--executions_left_ > 0 && recorded_.size() == max_recordings)
      add_reason(fmt::format("more than {} launches depend on data", max_recordings));
    return executions_left_ > 0 && recorded_.size() < max_recordings;
  }

  static std::string one_line(const Diagnostics& errors) {
    const Diagnostic& first = errors.front();
    return first.place.line == 0 ? first.message
                                 : fmt::format("line {}: {}", first.place.line, first.message);
  }
  static std::string too_long() {
    return fmt::format("more than {} warp instructions", max_warp_instructions);
  }
  static std::string stopped_because(const std::string& reason) {
    return "functional execution could not go on: " + reason;
  }

  void stopped(const Diagnostics& errors) { add_reason(one_line(errors)); }

  void add_reason(const std::string& reason) {
    for (std::size_t j = 0; j < dependent_.size(); ++j)
      if (dependent_[j])
        input_.launches[j].assumptions.push_back(stopped_because(reason));
  }

  // Recorded executions become jobs of their own, in the events' order.
  void rewrite_events() {
    if (recorded_.empty())
      return;
    std::vector<timeline::Event> events;
    std::size_t next = 0;
    for (std::size_t e = 0; e < input_.events.size(); ++e) {
      const auto* kernel = std::get_if<timeline::KernelEvent>(&input_.events[e]);
      if (kernel == nullptr || next == recorded_.size() || recorded_[next].at.event != e) {
        events.push_back(input_.events[e]);
        continue;
      }
      timeline::KernelEvent one = *kernel;
      std::uint64_t repeats = 0;
      for (; next < recorded_.size() && recorded_[next].at.event == e; ++next, ++repeats) {
        one.launch = add_job(recorded_[next]);
        one.repeat = 1;
        events.emplace_back(one);
      }
      one.launch = kernel->launch;
      one.repeat = kernel->repeat - repeats;
      if (one.repeat > 0) // not recorded
        events.emplace_back(one);
    }
    input_.events = std::move(events);
  }

  struct Recorded {
    EndedLaunch at;
    std::shared_ptr<const tasklist::LaunchBehaviour> behaviour;
    std::shared_ptr<const functional::GridTrace> trace;
  };

  // The last recording of a launch that has no other executions takes its place.
  std::uint32_t add_job(const Recorded& recorded) {
    std::uint32_t number = recorded.at.job;
    if (input_.launches[number].launches > 1) {
      --input_.launches[number].launches;
      input_.launches.push_back(LaunchJob(input_.launches[number]));
      number = static_cast<std::uint32_t>(input_.launches.size() - 1);
    }
    LaunchJob& job = input_.launches[number];
    job.launches = 1;
    job.behaviour = recorded.behaviour;
    job.trace = recorded.trace;
    job.assumptions.clear();
    return number;
  }

  PredictInput& input_;
  std::size_t threads_;
  std::uint64_t recorded_ctas_;
  std::vector<bool> dependent_;              // on buffers, by job
  std::vector<std::uint32_t> of_own_memory_; // jobs that depend on shared memory and the like only
  std::uint64_t executions_left_ = 0;        // of dependent jobs
  std::uint64_t executed_ = 0;               // warp instructions
  std::uint64_t traced_ = 0;                 // accesses
  std::vector<Recorded> recorded_;
};

} // namespace

void use_contents(PredictInput& input, const PredictOptions& options) { ContentsUser(input, options).run(); }

} // namespace kerncast::app
