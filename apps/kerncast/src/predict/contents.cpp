#include "contents.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "known_contents.h"
#include "predict/data_flow.h"
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
// Distinct patterns of a warp's addresses in them, 272 bytes each.
constexpr std::uint64_t max_traced_patterns = 1U << 19;

constexpr std::uint32_t no_job = UINT32_MAX;

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
    DataFlow flow(input_, dependent_);
    Expected<DeviceRun> device = DeviceRun::prepare(input_, flow.matters());
    if (!device)
      return stopped(device.error());
    const auto ran = device->run([&](const LaunchTurn& turn) { return turn_options(turn, flow); },
                                 [&](const LaunchTurn& turn, functional::RunResult&& result) {
                                   flow.executed(turn.job);
                                   return launched(turn, std::move(result), *device);
                                 });
    if (!ran)
      stopped(ran.error());
    rewrite_events();
  }

private:
  bool has_contents() const {
    return !input_.variables.empty() ||
           std::any_of(input_.buffers.begin(), input_.buffers.end(), [](const application::Buffer& b) {
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
    std::vector<bool> of_loads;
    for (std::uint32_t j = 0; j < input_.launches.size(); ++j) {
      const LaunchJob& job = input_.launches[j];
      const bool has_facts = job.launch.facts != tasklist::ControlFacts{};
      const bool has_arguments =
          !job.launch.arguments.empty() || input_.kernels[job.kernel].list.parameters.empty();
      const DataDependence on = has_facts || !has_arguments ? DataDependence::none : by_kernel[job.kernel];
      dependent_.push_back(on == DataDependence::buffers);
      of_loads.push_back(on == DataDependence::loads);
      if (on == DataDependence::own_memory)
        of_own_memory_.push_back(j);
    }
    give_known_contents(input_, of_loads);
    for (std::size_t j = 0; j < of_loads.size(); ++j) // what was not given contents
      dependent_[j] = dependent_[j] || of_loads[j];
    count_executions();
  }

  void count_executions() {
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
    Expected<DeviceRun> device = DeviceRun::prepare(input_, std::vector<bool>(input_.buffers.size()));
    for (const std::uint32_t j : of_own_memory_) {
      if (const auto reason = device ? record_alone(*device, j) : one_line(device.error()); !reason.empty())
        input_.launches[j].assumptions.push_back(stopped_because(reason));
    }
  }

  // Why it could not be executed to its end; empty if it could.
  std::string record_alone(DeviceRun& device, std::uint32_t job) {
    functional::RunOptions options = options_of(true);
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
    if (result.trace) {
      traced_ += result.trace->accesses.size();
      patterns_ += result.trace->patterns.size();
    }
  }

  // Whether and how a launch is executed; one that sees the same data as an earlier one needs no recording.
  std::optional<functional::RunOptions> turn_options(const LaunchTurn& turn, DataFlow& flow) {
    if (executions_left_ == 0)
      return std::nullopt;
    flow.reach(turn.event);
    records_ = false;
    if (dependent_[turn.job]) {
      const auto [known, added] =
          known_.try_emplace({turn.job, flow.deciding_versions(turn.job)}, recordings_.size());
      records_ = added;
      if (!added && !flow.must_execute(turn.job)) { // nor do those that repeat it
        use(turn, known->second, turn.left);
        return std::nullopt;
      }
      if (!added)
        use(turn, known->second, 1);
    }
    is_part_enough_ = !flow.must_execute(turn.job);
    return records_ || !is_part_enough_ ? std::optional(options_of_turn(turn)) : std::nullopt;
  }

  // Where nobody needs what a launch computes the CTAs to be recorded are executed first; they tell what the
  // others would cost.
  functional::RunOptions options_of_turn(const LaunchTurn& turn) const {
    functional::RunOptions options = options_of(records_);
    options.only_recorded = is_part_enough_ && input_.launches[turn.job].launch.grid.count() > recorded_ctas_;
    if (options.only_recorded)
      options.traced_accesses = 0;
    return options;
  }

  // All CTAs of a launch of which some were executed, for the addresses of all, if that is affordable.
  std::optional<functional::RunResult> whole(const LaunchTurn& turn, const functional::RunResult& part,
                                             DeviceRun& device) {
    const std::uint64_t left = max_warp_instructions - std::min(executed_, max_warp_instructions);
    const double needed = static_cast<double>(part.warp_instructions) /
                          static_cast<double>(part.behaviour->ctas_executed) *
                          static_cast<double>(input_.launches[turn.job].launch.grid.count());
    if (needed > static_cast<double>(left))
      return std::nullopt;
    Expected<functional::RunResult> result = device.launch(turn.job, options_of(true));
    if (!result || result->given_up)
      return std::nullopt;
    executed_ += result->warp_instructions;
    return std::move(*result);
  }

  // The turn, and `count` - 1 more of its event, do what is recorded there.
  void use(const LaunchTurn& turn, std::size_t recording, std::uint64_t count) {
    const bool goes_on =
        !uses_.empty() && uses_.back().at.event == turn.event && uses_.back().recording == recording;
    if (goes_on)
      uses_.back().count += count;
    else
      uses_.push_back({turn, recording, count});
    executions_left_ -= count;
  }

  functional::RunOptions options_of(bool records) const {
    functional::RunOptions options = on_threads(threads_);
    options.check_races = false;
    options.max_warp_instructions = max_warp_instructions - std::min(executed_, max_warp_instructions);
    options.recorded_ctas = records ? recorded_ctas_ : 0;
    options.traced_accesses = max_traced_accesses - traced_;
    options.traced_patterns = max_traced_patterns - std::min(patterns_, max_traced_patterns);
    return options;
  }

  std::shared_ptr<const tasklist::LaunchBehaviour> recorded_behaviour(std::uint32_t job,
                                                                      functional::RunResult&& result) const {
    const std::uint64_t ctas = input_.launches[job].launch.grid.count();
    const std::uint64_t recorded = result.behaviour->ctas_executed;
    if (ctas > recorded)
      result.behaviour->assumptions.push_back(fmt::format(
          "CTAs recorded in functional execution: {} of {}, each stands for its neighbours", recorded, ctas));
    return std::make_shared<const tasklist::LaunchBehaviour>(std::move(*result.behaviour));
  }

  bool launched(const LaunchTurn& turn, functional::RunResult&& result, DeviceRun& device) {
    executed_ += result.warp_instructions;
    if (result.given_up) {
      add_reason(too_long());
      return false;
    }
    if (records_ && options_of_turn(turn).only_recorded)
      if (auto all = whole(turn, result, device))
        result = std::move(*all);
    if (!records_)
      return true;
    note_trace(result);
    use(turn, recordings_.size(), 1);
    Recording& recording = recordings_.emplace_back(Recording{nullptr, std::move(result.trace), no_job});
    recording.behaviour = recorded_behaviour(turn.job, std::move(result));
    if (executions_left_ > 0 && recordings_.size() == max_recordings)
      add_reason(fmt::format("more than {} launches differ by the data they see", max_recordings));
    return recordings_.size() < max_recordings;
  }

  static std::string one_line(const Diagnostics& errors) {
    const Diagnostic& first = errors.front();
    return first.place.line == 0 ? first.message
                                 : fmt::format("line {}: {}", first.place.line, first.message);
  }
  static std::string too_long() {
    return fmt::format("more than {} warp instructions", max_warp_instructions);
  }
  // Where memory for addresses was not enough.
  static void note_limits(LaunchJob& job) {
    if (!job.trace)
      job.assumptions.push_back(fmt::format(
          "hit rates: addresses are kept of {} accesses of all launches, not of this launch: what "
          "depends on data lies anywhere in its buffer or is taken to miss",
          max_traced_accesses));
    else if (job.trace->misses_patterns)
      job.assumptions.push_back(fmt::format(
          "hit rates: {} different patterns of a warp's addresses are kept of all launches, other "
          "accesses of this launch are taken to miss",
          max_traced_patterns));
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

  struct Recording {
    std::shared_ptr<const tasklist::LaunchBehaviour> behaviour;
    std::shared_ptr<const functional::GridTrace> trace; // null: too long to be kept
    std::uint32_t job = no_job;                         // what becomes of it
  };
  struct Use {
    LaunchTurn at;
    std::size_t recording = 0;
    std::uint64_t count = 0; // executions one after the other
  };

  // Recordings become jobs of their own, in the events' order.
  void rewrite_events() {
    if (uses_.empty())
      return;
    for (const Use& use : uses_)
      input_.launches[use.at.job].launches -= use.count;
    std::vector<timeline::Event> events;
    std::size_t next = 0;
    for (std::size_t e = 0; e < input_.events.size(); ++e) {
      const auto* kernel = std::get_if<timeline::KernelEvent>(&input_.events[e]);
      if (kernel == nullptr || next == uses_.size() || uses_[next].at.event != e) {
        events.push_back(input_.events[e]);
        continue;
      }
      timeline::KernelEvent one = *kernel;
      one.repeat = 0;
      std::uint64_t repeats = 0;
      for (; next < uses_.size() && uses_[next].at.event == e; ++next) {
        const std::uint32_t job = job_of(uses_[next]);
        repeats += uses_[next].count;
        if (one.repeat > 0 && job != one.launch) {
          events.emplace_back(one);
          one.repeat = 0;
        }
        one.launch = job;
        one.repeat += uses_[next].count;
      }
      events.emplace_back(one);
      one.launch = kernel->launch;
      one.repeat = kernel->repeat - repeats;
      if (one.repeat > 0) // not recorded
        events.emplace_back(one);
    }
    input_.events = std::move(events);
  }

  // The first recording of a launch that has no other executions takes its place.
  std::uint32_t job_of(const Use& use) {
    Recording& recording = recordings_[use.recording];
    if (recording.job == no_job) {
      recording.job = use.at.job;
      if (input_.launches[use.at.job].launches > 0) {
        recording.job = static_cast<std::uint32_t>(input_.launches.size());
        input_.launches.push_back(LaunchJob(input_.launches[use.at.job]));
        input_.launches.back().launches = 0;
      }
      LaunchJob& job = input_.launches[recording.job];
      job.behaviour = recording.behaviour;
      job.trace = recording.trace;
      job.assumptions.clear();
      note_limits(job);
    }
    input_.launches[recording.job].launches += use.count;
    return recording.job;
  }

  PredictInput& input_;
  std::size_t threads_;
  std::uint64_t recorded_ctas_;
  std::vector<bool> dependent_;              // on buffers, by job
  std::vector<std::uint32_t> of_own_memory_; // jobs that depend on shared memory and the like only
  std::uint64_t executions_left_ = 0;        // of dependent jobs
  std::uint64_t executed_ = 0;               // warp instructions
  std::uint64_t traced_ = 0;                 // accesses
  std::uint64_t patterns_ = 0;               // of their addresses
  bool records_ = false;                     // the launch at hand
  bool is_part_enough_ = false;              // of it: nobody needs what it computes
  std::map<std::pair<std::uint32_t, std::vector<std::uint64_t>>, std::size_t> known_; // by what decides
  std::vector<Recording> recordings_;
  std::vector<Use> uses_; // in the order of the events
};

} // namespace

void use_contents(PredictInput& input, const PredictOptions& options) { ContentsUser(input, options).run(); }

} // namespace kerncast::app
