// Reaching definitions, value by value: most values have one writer that dominates its readers and cost
// constant time per access; the others flood only the blocks where the value is live.
#include "tasklist/dependencies.h"

#include <algorithm>

#include "digraph.h"
#include "tasklist/graph.h"

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

struct InBlock {
  BlockId block;
  TaskId task;
};

class ReachingDefinitions {
public:
  explicit ReachingDefinitions(Tasklist& list)
      : list_(list), index_(list), block_of_(block_of_tasks(list)), successors_(successors_of(list.blocks)),
        predecessors_(reversed(successors_)), dominators_(immediate_dominators(list.blocks)),
        live_(list.blocks.size(), 0), written_(list.blocks.size(), 0), reached_(list.blocks.size(), 0) {}

  void run() {
    for (ValueId value = 0; value < list_.value_classes.size(); ++value) {
      scan(index_.of(value));
      if (!exposed_.empty() && !writers_.empty()) {
        connect_blocks();
      }
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
    const InBlock writer = writers_.front();
    const bool one_dominating =
        writers_.size() == 1 && std::all_of(exposed_.begin(), exposed_.end(), [&](const InBlock& read) {
          return read.block != writer.block && dominators_.dominates(writer.block, read.block);
        });
    if (!one_dominating) {
      flood();
      return;
    }
    for (const InBlock& read : exposed_) {
      edges_.push_back({read.task, writer.task});
    }
  }

  void flood() {
    ++epoch_;
    for (const InBlock& writer : writers_) {
      written_[writer.block] = epoch_;
    }
    mark_live();
    arrivals_.clear();
    for (const InBlock& writer : writers_) {
      spread(writer);
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

  // live_[b] == epoch_: some path from the start of b reads the value before writing it.
  void mark_live() {
    pending_.clear();
    for (const InBlock& read : exposed_) {
      if (live_[read.block] != epoch_) {
        live_[read.block] = epoch_;
        pending_.push_back(read.block);
      }
    }
    while (!pending_.empty()) {
      const BlockId block = pending_.back();
      pending_.pop_back();
      for (const BlockId predecessor : predecessors_.targets_of(block)) {
        if (live_[predecessor] != epoch_ && written_[predecessor] != epoch_) {
          live_[predecessor] = epoch_;
          pending_.push_back(predecessor);
        }
      }
    }
  }

  // Carries one writer's result along live blocks until another writer.
  void spread(const InBlock& writer) {
    ++visit_;
    pending_.assign(1, writer.block);
    while (!pending_.empty()) {
      const BlockId block = pending_.back();
      pending_.pop_back();
      for (const BlockId successor : successors_.targets_of(block)) {
        if (live_[successor] != epoch_ || reached_[successor] == visit_) {
          continue;
        }
        reached_[successor] = visit_;
        arrivals_.push_back({successor, writer.task});
        if (written_[successor] != epoch_) {
          pending_.push_back(successor);
        }
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

  struct DependencyEdge {
    TaskId reader, writer;
  };

  Tasklist& list_;
  AccessIndex index_;
  std::vector<BlockId> block_of_;
  Digraph successors_, predecessors_;
  DominatorTree dominators_;
  std::vector<std::uint32_t> live_, written_, reached_; // by block: the epoch or visit that marked it
  std::uint32_t epoch_ = 0, visit_ = 0;
  std::vector<InBlock> exposed_, writers_, arrivals_;
  std::vector<BlockId> pending_;
  std::vector<DependencyEdge> edges_;
};

} // namespace

void compute_dependencies(Tasklist& list) { ReachingDefinitions(list).run(); }

} // namespace kerncast::tasklist
