// Workers fetch the number of the next cluster, which mostly is one CTA; after a fault no later one begins,
// so the first one is always the same.
#include "launch_run.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "printed_texts.h"

namespace kerncast::functional {
namespace {

std::uint64_t executed(const Counts& counts, const std::vector<std::uint64_t>& instructions) {
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < instructions.size(); ++b)
    sum += counts.block_warps[b] * instructions[b];
  return sum;
}

class Grid {
public:
  Grid(const LaunchState& state, const RunOptions& options, const std::vector<std::uint64_t>& instructions,
       Recorder* recorder)
      : state_(state), options_(options), instructions_(instructions), recorder_(recorder),
        count_(state.launch.grid.count() / state.together.count()),
        recorded_(recorder == nullptr ? 0 : std::min(count_, options.recorded_ctas)) {
    end_.counts.resize(state.program.blocks.size(), state.program.loops.size());
  }

  void work() {
    ClusterExecutor executor(state_);
    std::uint64_t reported = 0;
    for (;;) {
      const std::uint64_t turn = next_.fetch_add(1);
      if (turn >= (options_.only_recorded ? recorded_ : count_))
        break;
      const std::uint64_t cluster = options_.only_recorded ? first_recorded_from(turn) : turn;
      if (cluster > first_fault_.load())
        break;
      auto fault = run_one(executor, cluster);
      add_printed(cluster, std::move(executor.printed()));
      if (fault)
        add(cluster, std::move(*fault));
      const std::uint64_t now = executed(executor.counts(), instructions_);
      if (total_.fetch_add(now - reported) + now - reported > options_.max_warp_instructions)
        give_up_ = true;
      reported = now;
      if (give_up_)
        break;
    }
    const std::lock_guard lock(mutex_);
    end_.counts.add(executor.counts());
  }

  LaunchEnd take() {
    end_.printed = printed_.take(first_fault_);
    end_.printed_too_much = printed_.was_cut();
    end_.given_up = give_up_;
    end_.recorded_ctas = recorded_done_;
    return std::move(end_);
  }

private:
  // Of every so-manieth cluster one CTA is recorded, and stands for all up to the next.
  std::uint64_t first_recorded_from(std::uint64_t number) const {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(number) * count_ / recorded_);
  }

  std::optional<CtaFault> run_one(ClusterExecutor& executor, std::uint64_t cluster) {
    const bool records = recorded_done_ < recorded_ && first_recorded_from(recorded_done_) == cluster;
    if (recorder_ == nullptr || (!records && !recorder_->is_tracing()))
      return executor.run(cluster, nullptr);
    const std::uint64_t size = state_.together.count();
    const auto rank = static_cast<std::uint32_t>(recorded_done_ % size);
    recorder_->start_cluster(records ? std::optional(rank) : std::nullopt);
    auto fault = executor.run(cluster, recorder_);
    recorded_done_ += records ? 1 : 0;
    const std::uint64_t until = recorded_done_ == recorded_ ? count_ : first_recorded_from(recorded_done_);
    if (!fault)
      recorder_->finish_cluster(executor.numbers_of(cluster), (until - cluster) * size);
    return fault;
  }

  void add_printed(std::uint64_t cluster, std::string&& text) {
    if (text.empty())
      return;
    const std::lock_guard lock(mutex_);
    printed_.add(cluster, std::move(text));
  }

  void add(std::uint64_t cluster, CtaFault fault) {
    const std::lock_guard lock(mutex_);
    if (end_.fault && first_fault_ < cluster)
      return;
    end_.fault = std::move(fault);
    first_fault_ = cluster;
  }

  const LaunchState& state_;
  const RunOptions& options_;
  const std::vector<std::uint64_t>& instructions_;
  Recorder* recorder_;
  const std::uint64_t count_;
  const std::uint64_t recorded_;
  std::uint64_t recorded_done_ = 0; // only with one worker
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> first_fault_ = UINT64_MAX; // by cluster
  std::atomic<std::uint64_t> total_ = 0;
  std::atomic<bool> give_up_ = false;
  std::mutex mutex_;
  PrintedTexts printed_;
  LaunchEnd end_;
};

} // namespace

LaunchEnd run_ctas(const LaunchState& state, const RunOptions& options,
                   const std::vector<std::uint64_t>& instructions, Recorder* recorder) {
  Grid grid(state, options, instructions, recorder);
  const auto workers = static_cast<std::size_t>(
      std::min<std::uint64_t>(std::max<std::size_t>(options.workers, 1), state.launch.grid.count()));
  if (workers == 1 || !options.for_each)
    grid.work();
  else
    options.for_each(workers, [&](std::size_t) { grid.work(); });
  return grid.take();
}

} // namespace kerncast::functional
