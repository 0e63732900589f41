// Reaching definitions, value by value: most values have one writer that dominates its readers, or is on a
// cycle with them, and cost constant time per access. The others flood the blocks where the value is live;
// those that live in much of the function are collected and flooded together (reaching.h).
#include "tasklist/dependencies.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>

#include "reaching.h"

namespace kerncast::tasklist {

namespace {

struct Access {
  TaskId task;
  bool writes; // a task reads before it writes: its reads come first
};

// All accesses of every value, in task order.
class AccessIndex {
public:
  explicit AccessIndex(const Tasklist& list) : begin_(list.value_classes.size() + 1, 0) {
    for_each(list, [&](ValueId value, Access) { ++begin_[value + 1]; });
    for (std::size_t value = 0; value + 1 < begin_.size(); ++value) {
      begin_[value + 1] += begin_[value];
    }
    accesses_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for_each(list, [&](ValueId value, Access access) { accesses_[next[value]++] = access; });
  }
  std::span<const Access> of(ValueId value) const {
    return std::span(accesses_).subspan(begin_[value], begin_[value + 1] - begin_[value]);
  }

private:
  template <class F> static void for_each(const Tasklist& list, F&& f) {
    for (TaskId task = 0; task < list.tasks.size(); ++task) {
      for (const ValueId value : list.uses(list.tasks[task])) {
        f(value, Access{task, false});
      }
      for (const ValueId value : list.definitions(list.tasks[task])) {
        f(value, Access{task, true});
      }
    }
  }
  std::vector<std::uint32_t> begin_;
  std::vector<Access> accesses_;
};

std::vector<BlockId> block_of_tasks(const Tasklist& list) {
  std::vector<BlockId> result(list.tasks.size(), 0);
  for (BlockId block = 0; block < list.blocks.size(); ++block) {
    const Block& b = list.blocks[block];
    std::fill_n(result.begin() + b.first_task, b.task_count, block);
  }
  return result;
}

constexpr std::size_t few_blocks = 32;
constexpr std::size_t share_of_blocks = 16; // one of so many blocks is much of the function

class ReachingDefinitions {
public:
  ReachingDefinitions(Tasklist& list, const ControlFlow& flow)
      : list_(list), flow_(flow), index_(list), block_of_(block_of_tasks(list)) {}

  void run() {
    for (ValueId value = 0; value < list_.value_classes.size(); ++value) {
      scan(index_.of(value));
      if (!exposed_.empty() && !writers_.empty()) {
        connect_blocks();
      }
    }
    if (!widespread_.reads.empty()) {
      connect_widespread(widespread_, flow_, edges_);
    }
    store();
  }

private:
  // Connects reads to the writer before them in their block; collects reads that come before any writer
  // and the last writer of each block.
  void scan(std::span<const Access> accesses) {
    exposed_.clear();
    writers_.clear();
    for (const Access access : accesses) {
      const BlockId block = block_of_[access.task];
      const bool written_here = !writers_.empty() && writers_.back().block == block;
      if (!access.writes && written_here) {
        edges_.push_back({access.task, writers_.back().task});
      } else if (!access.writes) {
        exposed_.push_back({block, access.task});
      } else if (written_here) {
        writers_.back().task = access.task;
      } else {
        writers_.push_back({block, access.task});
      }
    }
  }

  void connect_blocks() {
    const bool one_everywhere =
        writers_.size() == 1 && std::all_of(exposed_.begin(), exposed_.end(), [&](const InBlock& read) {
          return surely_reaches(writers_.front().block, read.block);
        });
    if (!one_everywhere) {
      flood();
      return;
    }
    for (const InBlock& read : exposed_) {
      edges_.push_back({read.task, writers_.front().task});
    }
  }

  // A non-empty way leads from one block to the other, as far as that is seen without following it.
  bool surely_reaches(BlockId from, BlockId to) {
    if (from != to && flow_.dominators.dominates(from, to)) {
      return true;
    }
    if (!cycles_) {
      cycles_.emplace(flow_);
    }
    return cycles_->on_one_cycle(from, to);
  }

  void prepare_floods() {
    const std::size_t blocks = list_.blocks.size();
    sweep_ = reverse_postorder(flow_);
    sweep_order_.resize(blocks);
    for (std::uint32_t i = 0; i < sweep_.size(); ++i) {
      sweep_order_[sweep_[i]] = i;
    }
    for (auto* marks : {&live_, &read_, &written_}) {
      marks->assign(blocks, 0);
    }
    own_.assign(blocks, 0);
    arriving_.assign(blocks, 0);
  }

  void flood() {
    if (sweep_.empty()) {
      prepare_floods();
    }
    ++epoch_;
    for (const InBlock& writer : writers_) {
      written_[writer.block] = epoch_;
    }
    if (!mark_live()) {
      note_widespread();
      return;
    }
    arrivals_.clear();
    constexpr std::size_t group_size = 64;
    for (std::size_t first = 0; first < writers_.size(); first += group_size) {
      spread(std::span(writers_).subspan(first, std::min(group_size, writers_.size() - first)));
    }
    // Arrivals by block, writers ascending within a block as `spread` was called in that order.
    std::stable_sort(arrivals_.begin(), arrivals_.end(),
                     [](const InBlock& a, const InBlock& b) { return a.block < b.block; });
    for (const InBlock& read : exposed_) {
      auto arrival = std::lower_bound(arrivals_.begin(), arrivals_.end(), read.block,
                                      [](const InBlock& a, BlockId block) { return a.block < block; });
      for (; arrival != arrivals_.end() && arrival->block == read.block; ++arrival) {
        edges_.push_back({read.task, arrival->task});
      }
    }
  }

  void note_widespread() {
    widespread_.reads.insert(widespread_.reads.end(), exposed_.begin(), exposed_.end());
    widespread_.reads_end.push_back(static_cast<std::uint32_t>(widespread_.reads.size()));
    widespread_.writers.insert(widespread_.writers.end(), writers_.begin(), writers_.end());
    widespread_.writers_end.push_back(static_cast<std::uint32_t>(widespread_.writers.size()));
  }

  // live_[b] == epoch_: some path from the start of b reads the value before writing it. live_blocks_ holds
  // these blocks in reverse postorder. False if there are too many.
  bool mark_live() {
    const std::size_t most = std::max(few_blocks, list_.blocks.size() / share_of_blocks);
    live_blocks_.clear();
    for (const InBlock& read : exposed_) {
      read_[read.block] = epoch_;
      make_live(read.block);
    }
    for (std::size_t next = 0; next < live_blocks_.size(); ++next) {
      if (live_blocks_.size() > most) {
        return false;
      }
      for (const BlockId predecessor : flow_.predecessors.targets_of(live_blocks_[next])) {
        if (written_[predecessor] != epoch_) {
          make_live(predecessor);
        }
      }
    }
    std::sort(live_blocks_.begin(), live_blocks_.end(),
              [&](BlockId a, BlockId b) { return sweep_order_[a] < sweep_order_[b]; });
    return true;
  }

  void make_live(BlockId block) {
    if (live_[block] != epoch_) {
      live_[block] = epoch_;
      live_blocks_.push_back(block);
    }
  }

  // Carries the results of up to 64 writers, a bit each, along live blocks until another writer. Sweeps in
  // reverse postorder settle after as many rounds as loops are nested, plus two.
  void spread(std::span<const InBlock> group) {
    for (const InBlock& writer : writers_) {
      own_[writer.block] = 0;
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      own_[group[i].block] = std::uint64_t{1} << i;
    }
    for (const BlockId block : live_blocks_) {
      arriving_[block] = 0;
    }
    bool changed = true;
    while (changed) {
      changed = false;
      for (const BlockId block : live_blocks_) {
        const std::uint64_t arriving = leaving_predecessors(block);
        changed = changed || arriving != arriving_[block];
        arriving_[block] = arriving;
      }
    }
    note_arrivals(group);
  }

  std::uint64_t leaving_predecessors(BlockId block) const {
    std::uint64_t bits = 0;
    for (const BlockId predecessor : flow_.predecessors.targets_of(block)) {
      if (written_[predecessor] == epoch_) {
        bits |= own_[predecessor];
      } else if (live_[predecessor] == epoch_) {
        bits |= arriving_[predecessor];
      }
    }
    return bits;
  }

  void note_arrivals(std::span<const InBlock> group) {
    for (const BlockId block : live_blocks_) {
      if (read_[block] != epoch_) {
        continue;
      }
      for (std::uint64_t bits = arriving_[block]; bits != 0; bits &= bits - 1) {
        arrivals_.push_back({block, group[static_cast<std::size_t>(std::countr_zero(bits))].task});
      }
    }
  }

  void store() {
    std::vector<std::uint32_t> begin(list_.tasks.size() + 1, 0);
    for (const auto& edge : edges_) {
      ++begin[edge.reader + 1];
    }
    for (std::size_t task = 0; task < list_.tasks.size(); ++task) {
      begin[task + 1] += begin[task];
    }
    std::vector<TaskId> pool(edges_.size());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (const auto& edge : edges_) {
      pool[next[edge.reader]++] = edge.writer;
    }
    list_.dependency_pool.clear();
    for (std::size_t task = 0; task < list_.tasks.size(); ++task) {
      const auto first = pool.begin() + begin[task], last = pool.begin() + begin[task + 1];
      std::sort(first, last);
      const auto unique_end = std::unique(first, last);
      list_.tasks[task].dependencies = {static_cast<std::uint32_t>(list_.dependency_pool.size()),
                                        static_cast<std::uint32_t>(unique_end - first)};
      list_.dependency_pool.insert(list_.dependency_pool.end(), first, unique_end);
    }
  }

  Tasklist& list_;
  const ControlFlow& flow_;
  AccessIndex index_;
  std::vector<BlockId> block_of_;
  std::optional<StrongComponents> cycles_;           // computed when first asked for
  std::vector<BlockId> sweep_;                       // all blocks
  std::vector<std::uint32_t> sweep_order_;           // by block: its place in sweep_
  std::vector<std::uint32_t> live_, read_, written_; // by block: the epoch that marked it
  std::vector<std::uint64_t> own_, arriving_;        // by block: writers of the group, a bit each
  std::uint32_t epoch_ = 0;                          // one per flooded value
  std::vector<InBlock> exposed_, writers_, arrivals_;
  std::vector<BlockId> live_blocks_;
  WidespreadValues widespread_;
  std::vector<DependencyEdge> edges_;
};

} // namespace

void compute_dependencies(Tasklist& list) { compute_dependencies(list, ControlFlow(list.blocks)); }

void compute_dependencies(Tasklist& list, const ControlFlow& flow) {
  if (!list.blocks.empty()) {
    ReachingDefinitions(list, flow).run();
  }
}

} // namespace kerncast::tasklist
