// Reaching definitions, value by value: most values have one writer that dominates its readers and cost
// constant time per access; the others flood only the blocks where the value is live.
#include "tasklist/dependencies.h"

#include <algorithm>
#include <bit>
#include <iterator>

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

// Every block, after its predecessors where no back edge intervenes; unreachable blocks last.
std::vector<BlockId> reverse_postorder(const Digraph& successors) {
  const DepthFirst tree = depth_first(successors, 0);
  std::vector<BlockId> order(tree.postorder.rbegin(), tree.postorder.rend());
  for (BlockId block = 0; block < successors.node_count(); ++block) {
    if (tree.number[block] == no_id) {
      order.push_back(block);
    }
  }
  return order;
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
        sweep_(reverse_postorder(successors_)), sweep_order_(list.blocks.size(), 0),
        live_(list.blocks.size(), 0), read_(list.blocks.size(), 0), written_(list.blocks.size(), 0),
        own_(list.blocks.size(), 0), arriving_(list.blocks.size(), 0) {
    for (std::uint32_t i = 0; i < sweep_.size(); ++i) {
      sweep_order_[sweep_[i]] = i;
    }
  }

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

  // live_[b] == epoch_: some path from the start of b reads the value before writing it. live_blocks_ holds
  // these blocks in reverse postorder.
  void mark_live() {
    live_blocks_.clear();
    for (const InBlock& read : exposed_) {
      read_[read.block] = epoch_;
      make_live(read.block);
    }
    for (std::size_t next = 0; next < live_blocks_.size(); ++next) {
      for (const BlockId predecessor : predecessors_.targets_of(live_blocks_[next])) {
        if (written_[predecessor] != epoch_) {
          make_live(predecessor);
        }
      }
    }
    sort_live_blocks();
  }

  // A value that is live in much of the function is cheaper to collect anew in order than to sort.
  void sort_live_blocks() {
    if (live_blocks_.size() < list_.blocks.size() / 16) {
      std::sort(live_blocks_.begin(), live_blocks_.end(),
                [&](BlockId a, BlockId b) { return sweep_order_[a] < sweep_order_[b]; });
      return;
    }
    live_blocks_.clear();
    std::copy_if(sweep_.begin(), sweep_.end(), std::back_inserter(live_blocks_),
                 [&](BlockId block) { return live_[block] == epoch_; });
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
    for (const BlockId predecessor : predecessors_.targets_of(block)) {
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

  struct DependencyEdge {
    TaskId reader, writer;
  };

  Tasklist& list_;
  AccessIndex index_;
  std::vector<BlockId> block_of_;
  Digraph successors_, predecessors_;
  DominatorTree dominators_;
  std::vector<BlockId> sweep_;                       // all blocks
  std::vector<std::uint32_t> sweep_order_;           // by block: its place in sweep_
  std::vector<std::uint32_t> live_, read_, written_; // by block: the epoch that marked it
  std::vector<std::uint64_t> own_, arriving_;        // by block: writers of the group, a bit each
  std::uint32_t epoch_ = 0;                          // one per flooded value
  std::vector<InBlock> exposed_, writers_, arrivals_;
  std::vector<BlockId> live_blocks_;
  std::vector<DependencyEdge> edges_;
};

} // namespace

void compute_dependencies(Tasklist& list) {
  if (!list.blocks.empty()) {
    ReachingDefinitions(list).run();
  }
}

} // namespace kerncast::tasklist
