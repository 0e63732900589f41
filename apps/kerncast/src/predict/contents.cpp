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

class ContentsUser {
public:
  ContentsUser(PredictInput& input, const PredictOptions& options)
      : input_(input), threads_(options.threads),
        recorded_ctas_(options.sample_ctas.value_or(default_recorded_ctas)) {}

  void run() {
    find_dependent_jobs();
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
    std::vector<bool> by_kernel;
    for (const KernelCode& kernel : input_.kernels) {
      const ptx::Function* function = kernel.function();
      by_kernel.push_back(function != nullptr &&
                          slice::data_dependence(*kernel.module, *function, kernel.list) !=
                              slice::DataDependence::none);
    }
    for (const LaunchJob& job : input_.launches) {
      const bool has_facts = !job.launch.facts.branch_taken.empty() || !job.launch.facts.loop_trips.empty();
      dependent_.push_back(by_kernel[job.kernel] && !has_facts && !job.launch.arguments.empty());
    }
    for (const timeline::Event& event : input_.events)
      if (const auto* kernel = std::get_if<timeline::KernelEvent>(&event);
          kernel != nullptr && dependent_[kernel->launch])
        executions_left_ += kernel->repeat;
  }

  functional::RunOptions options_of(std::uint32_t job) const {
    functional::RunOptions options = on_threads(threads_);
    options.check_races = false;
    options.max_warp_instructions = max_warp_instructions - std::min(executed_, max_warp_instructions);
    options.recorded_ctas = dependent_[job] ? recorded_ctas_ : 0;
    options.traced_accesses = max_traced_accesses - traced_;
    return options;
  }

  bool launched(const EndedLaunch& ended, functional::RunResult&& result) {
    executed_ += result.warp_instructions;
    if (result.given_up) {
      add_reason(fmt::format("more than {} warp instructions", max_warp_instructions));
      return false;
    }
    if (!dependent_[ended.job])
      return true;
    const std::uint64_t ctas = input_.launches[ended.job].launch.grid.count();
    result.behaviour->ctas_executed = std::min(recorded_ctas_, ctas);
    if (ctas > recorded_ctas_)
      result.behaviour->assumptions.push_back(
          fmt::format("CTAs recorded in functional execution: {} of {}, each stands for its neighbours",
                      recorded_ctas_, ctas));
    if (result.trace)
      traced_ += result.trace->accesses.size();
    recorded_.push_back({ended,
                         std::make_shared<const tasklist::LaunchBehaviour>(std::move(*result.behaviour)),
                         std::move(result.trace)});
    if (--executions_left_ > 0 && recorded_.size() == max_recordings)
      add_reason(fmt::format("more than {} launches depend on data", max_recordings));
    return executions_left_ > 0 && recorded_.size() < max_recordings;
  }

  void stopped(const Diagnostics& errors) {
    const Diagnostic& first = errors.front();
    add_reason(first.place.line == 0 ? first.message
                                     : fmt::format("line {}: {}", first.place.line, first.message));
  }

  void add_reason(const std::string& reason) {
    for (std::size_t j = 0; j < dependent_.size(); ++j)
      if (dependent_[j])
        input_.launches[j].assumptions.push_back("functional execution could not go on: " + reason);
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
  std::vector<bool> dependent_;       // by job
  std::uint64_t executions_left_ = 0; // of dependent jobs
  std::uint64_t executed_ = 0;        // warp instructions
  std::uint64_t traced_ = 0;          // accesses
  std::vector<Recorded> recorded_;
};

} // namespace

void use_contents(PredictInput& input, const PredictOptions& options) { ContentsUser(input, options).run(); }

} // namespace kerncast::app
