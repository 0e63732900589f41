// Reaching definitions: most reads follow a write in their block, or their value has one writer that
// dominates them or is on a cycle with them; these cost constant time. The others flood the blocks where the
// value is live, value by value; values that live in much of the function are flooded together (reaching.h).
#include "tasklist/dependencies.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "reaching.h"

namespace kerncast::tasklist {

namespace {

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

// Written in more than one block.
constexpr TaskId several = no_id - 1;

// Accesses of one value that cross blocks: reads before any write of their block, and the last writer of each
// block.
struct Crossing {
  ValueId value;
  InBlock at;
};

// By what key(element) says, a number below `keys`; those of one key stay in their order.
template <class T, class Key>
std::vector<T> ordered_by(const std::vector<T>& elements, std::size_t keys, Key key) {
  std::vector<std::uint32_t> place(keys + 1, 0); // of the next one of the key
  for (const T& element : elements)
    ++place[key(element) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<T> ordered(elements.size());
  for (const T& element : elements)
    ordered[place[key(element)]++] = element;
  return ordered;
}

std::vector<Crossing> by_value(const std::vector<Crossing>& crossings, std::size_t values) {
  return ordered_by(crossings, values, [](const Crossing& crossing) { return crossing.value; });
}

class ReachingDefinitions {
public:
  ReachingDefinitions(Tasklist& list, const ControlFlow& flow)
      : list_(list), flow_(flow), block_of_(block_of_tasks(list)), writers_of_(list.value_classes.size()) {
    for (const Block& block : list_.blocks)
      for (TaskId task = block.first_task; task < block.first_task + block.task_count; ++task)
        for (const ValueId value : list_.definitions(list_.tasks[task]))
          note_writer(value, task, block.first_task);
  }

  void run() {
    list_.dependency_pool.resize(list_.values.size()); // a use adds one or none
    for (BlockId block = 0; block < list_.blocks.size(); ++block)
      connect_block(block);
    list_.dependency_pool.resize(pool_end_);
    if (crossings_.empty())
      return;
    connect_crossings();
    if (!widespread_.reads.empty())
      connect_widespread(widespread_, flow_, edges_);
    add_edges();
  }

private:
  // Of a value.
  struct Writers {
    TaskId only = no_id;   // the last one of the only block that writes it, or `several`
    TaskId before = no_id; // the last one, of any block, before the task at hand
  };

  TaskId task_count() const { return static_cast<TaskId>(list_.tasks.size()); }

  // `first` is the first task of the task's block.
  void note_writer(ValueId value, TaskId task, TaskId first) {
    TaskId& writer = writers_of_[value].only;
    const bool is_of_block = writer != no_id && writer != several && writer >= first;
    writer = writer == no_id || is_of_block ? task : several;
  }

  // Tasks of the block with what is known at once; notes the reads that need more.
  void connect_block(BlockId block) {
    const TaskId first = list_.blocks[block].first_task, end = first + list_.blocks[block].task_count;
    for (TaskId id = first; id < end; ++id) {
      Task& task = list_.tasks[id];
      task.dependencies = {pool_end_, 0};
      for (const ValueId value : list_.uses(task)) {
        const auto [writer, before] = writers_of_[value];
        if (before != no_id && before >= first)
          add_dependency(task, before);
        else if (writer != no_id && writer != several && surely_reaches(block_of_[writer], block))
          add_dependency(task, writer);
        else if (writer != no_id)
          crossings_.push_back({value, {block, id}});
      }
      for (const ValueId value : list_.definitions(task))
        writers_of_[value].before = id;
    }
  }

  // Of the task whose dependencies are the pool's last; ascending, each once.
  void add_dependency(Task& task, TaskId on) {
    TaskId* const pool = list_.dependency_pool.data();
    std::uint32_t place = pool_end_;
    while (place > task.dependencies.begin && pool[place - 1] > on)
      --place;
    if (place > task.dependencies.begin && pool[place - 1] == on)
      return;
    for (std::uint32_t i = pool_end_++; i > place; --i)
      pool[i] = pool[i - 1];
    pool[place] = on;
    ++task.dependencies.count;
  }

  void connect_crossings() {
    const std::vector<Crossing> reads = by_value(crossings_, list_.value_classes.size());
    const std::vector<Crossing> writers = last_writers();
    auto writer = writers.begin();
    for (auto read = reads.begin(); read != reads.end();) {
      const ValueId value = read->value;
      exposed_.clear();
      writers_.clear();
      for (; read != reads.end() && read->value == value; ++read)
        exposed_.push_back(read->at);
      for (; writer != writers.end() && writer->value == value; ++writer)
        writers_.push_back(writer->at);
      flood();
    }
  }

  // The last one of each block, of the values that are read across blocks.
  std::vector<Crossing> last_writers() const {
    std::vector<std::uint8_t> crosses(list_.value_classes.size(), 0);
    for (const Crossing& read : crossings_)
      crosses[read.value] = 1;
    std::vector<Crossing> writers;
    for (TaskId task = 0, count = task_count(); task < count; ++task)
      for (const ValueId value : list_.definitions(list_.tasks[task]))
        if (crosses[value] != 0)
          writers.push_back({value, {block_of_[task], task}});
    writers = by_value(writers, list_.value_classes.size());
    std::size_t kept = 0;
    for (const Crossing& w : writers) {
      const bool same_place =
          kept != 0 && writers[kept - 1].value == w.value && writers[kept - 1].at.block == w.at.block;
      writers[same_place ? kept - 1 : kept++] = w;
    }
    writers.resize(kept);
    return writers;
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
    live_.assign(blocks, 0);
    written_.assign(blocks, 0);
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
    constexpr std::size_t group_size = 64;
    for (std::size_t first = 0; first < writers_.size(); first += group_size) {
      spread(std::span(writers_).subspan(first, std::min(group_size, writers_.size() - first)));
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
    connect_reads(group);
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

  void connect_reads(std::span<const InBlock> group) {
    for (const InBlock& read : exposed_) {
      for (std::uint64_t bits = arriving_[read.block]; bits != 0; bits &= bits - 1) {
        edges_.push_back({read.task, group[static_cast<std::size_t>(std::countr_zero(bits))].task});
      }
    }
  }

  // Among the dependencies that are there, which move up to make room.
  void add_edges() {
    const std::vector<DependencyEdge> edges =
        ordered_by(edges_, list_.tasks.size(), [](const DependencyEdge& edge) { return edge.reader; });
    const std::vector<TaskId> known = std::exchange(list_.dependency_pool, {});
    list_.dependency_pool.resize(known.size() + edges.size());
    pool_end_ = 0;
    TaskId next = 0;
    for (auto edge = edges.begin(); edge != edges.end();) {
      move_dependencies(next, edge->reader + 1, known);
      next = edge->reader + 1;
      for (; edge != edges.end() && edge->reader + 1 == next; ++edge)
        add_dependency(list_.tasks[edge->reader], edge->writer);
    }
    move_dependencies(next, task_count(), known);
    list_.dependency_pool.resize(pool_end_);
  }

  // Those of the tasks [first, end) to the pool's end.
  void move_dependencies(TaskId first, TaskId end, const std::vector<TaskId>& known) {
    if (first == end)
      return;
    const std::uint32_t begin = list_.tasks[first].dependencies.begin, moved = pool_end_ - begin;
    const Range& last = list_.tasks[end - 1].dependencies;
    std::copy(known.begin() + begin, known.begin() + last.begin + last.count,
              list_.dependency_pool.begin() + pool_end_);
    pool_end_ += last.begin + last.count - begin;
    for (TaskId task = first; task < end; ++task)
      list_.tasks[task].dependencies.begin += moved;
  }

  Tasklist& list_;
  const ControlFlow& flow_;
  std::vector<BlockId> block_of_;
  std::vector<Writers> writers_of_; // by value
  std::uint32_t pool_end_ = 0;      // of the dependencies that are known
  std::vector<Crossing> crossings_;
  std::optional<StrongComponents> cycles_;    // computed when first asked for
  std::vector<BlockId> sweep_;                // all blocks
  std::vector<std::uint32_t> sweep_order_;    // by block: its place in sweep_
  std::vector<std::uint32_t> live_, written_; // by block: the epoch that marked it
  std::vector<std::uint64_t> own_, arriving_; // by block: writers of the group, a bit each
  std::uint32_t epoch_ = 0;                   // one per flooded value
  std::vector<InBlock> exposed_, writers_;
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
