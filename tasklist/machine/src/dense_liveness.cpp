#include "dense_liveness.h"

#include <array>
#include <bit>

#include "condensed_blocks.h"

namespace kerncast::machine {
namespace {

using tasklist::BlockId;

constexpr std::size_t registers_per_batch = 256;
constexpr std::size_t bits_per_word = 64;
using Word = std::uint64_t;
using Bits = std::array<Word, registers_per_batch / bits_per_word>;

// What the blocks of a node do to the registers of a batch, and which of them live into these blocks.
struct NodeState {
  Bits reads{}; // before the block ends their old values
  Bits ends{};  // old values
  Bits live{};
};

class DenseSolver {
public:
  DenseSolver(Draft& draft, const tasklist::ControlFlow& flow, OccurrenceTable& table, LiveBlocks& result)
      : draft_(draft), table_(table), result_(result), cycles_(flow), nodes_(flow),
        blocks_(flow.successors.node_count()) {}

  void run(std::span<const VirtualRegister> batch) {
    condense(batch);
    note_effects(batch);
    sweep_live();
    if (drop_reads(batch)) {
      note_effects(batch);
      sweep_live();
    }
    store(batch);
  }

private:
  const Bits& live_into(BlockId b) const { return states_[nodes_.node_of(b)].live; }

  static bool has(const Bits& bits, std::size_t i) {
    return (bits[i / bits_per_word] >> i % bits_per_word & 1) != 0;
  }
  static void set(Bits& bits, std::size_t i) { bits[i / bits_per_word] |= Word{1} << i % bits_per_word; }

  // Blocks in which none of the registers occurs and that reach each other have the same ones live.
  void condense(std::span<const VirtualRegister> batch) {
    occurs_in_.assign(blocks_, 0);
    for (const VirtualRegister r : batch)
      for (const Occurrence& o : table_.of(r))
        occurs_in_[o.block] = 1;
    nodes_.condense(occurs_in_);
  }

  void note_effects(std::span<const VirtualRegister> batch) {
    states_.assign(nodes_.size(), NodeState{});
    for (std::size_t i = 0; i < batch.size(); ++i)
      for (const Occurrence& o : table_.of(batch[i])) {
        NodeState& state = states_[nodes_.node_of(o.block)];
        if (!o.is_write() && !o.dropped && !has(state.ends, i))
          set(state.reads, i);
        if (o.ends_old_value())
          set(state.ends, i);
      }
  }

  void sweep_live() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const std::uint32_t node : nodes_.order())
        has_changed |= update(node);
    }
  }

  bool update(std::uint32_t node) {
    Bits out{};
    for (const std::uint32_t s : nodes_.successors(node))
      for (std::size_t w = 0; w < out.size(); ++w)
        out[w] |= states_[s].live[w];
    NodeState& state = states_[node];
    Word changed = 0;
    for (std::size_t w = 0; w < out.size(); ++w) {
      const Word live = state.reads[w] | (out[w] & ~state.ends[w]);
      changed |= live ^ state.live[w];
      state.live[w] = live;
    }
    return changed != 0;
  }

  // A register that lives into the kernel has a read that no write reaches on some way.
  bool drop_reads(std::span<const VirtualRegister> batch) {
    bool has_changed = false;
    for (std::size_t i = 0; i < batch.size(); ++i)
      if (has(live_into(0), i) && !is_written_on_all_cycles(table_.of(batch[i]))) {
        mark_defined(i, table_.of(batch[i]));
        has_changed |= drop_undefined_reads(draft_, batch[i], table_.of(batch[i]),
                                            [&](BlockId b) { return defined_[nodes_.node_of(b)] == epoch_; });
      }
    return has_changed;
  }

  // Some write is on a cycle with every occurrence, so that its value reaches all of them.
  bool is_written_on_all_cycles(std::span<const Occurrence> occurrences) const {
    const auto write = std::ranges::find_if(occurrences, &Occurrence::is_write);
    return write != occurrences.end() && std::ranges::all_of(occurrences, [&](const Occurrence& o) {
             return cycles_.on_one_cycle(write->block, o.block);
           });
  }

  void mark_defined(std::size_t i, std::span<const Occurrence> occurrences) {
    ++epoch_;
    defined_.resize(nodes_.size(), 0);
    for (const Occurrence& o : occurrences)
      if (o.is_write())
        enter_successors(i, nodes_.node_of(o.block));
    while (!pending_.empty()) {
      const std::uint32_t node = pending_.back();
      pending_.pop_back();
      enter_successors(i, node);
    }
  }

  void enter_successors(std::size_t i, std::uint32_t node) {
    for (const std::uint32_t s : nodes_.successors(node))
      if (defined_[s] != epoch_ && has(states_[s].live, i)) {
        defined_[s] = epoch_;
        pending_.push_back(s);
      }
  }

  // Through the blocks in the code's order: runs end where bits change.
  void store(std::span<const VirtualRegister> batch) {
    for (auto& runs : runs_)
      runs.clear();
    Bits open{};
    for (BlockId b = 0; b < blocks_; ++b) {
      const Bits& live = live_into(b);
      for (std::size_t w = 0; w < live.size(); ++w)
        for (Word changed = open[w] ^ live[w]; changed != 0; changed &= changed - 1) {
          auto& runs = runs_[bits_per_word * w + static_cast<std::size_t>(std::countr_zero(changed))];
          if ((live[w] & changed & -changed) != 0)
            runs.push_back({b, blocks_});
          else
            runs.back().end = b;
        }
      open = live;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      result_.runs_of[batch[i]] = {static_cast<std::uint32_t>(result_.runs.size()),
                                   static_cast<std::uint32_t>(runs_[i].size())};
      result_.runs.insert(result_.runs.end(), runs_[i].begin(), runs_[i].end());
    }
  }

  Draft& draft_;
  OccurrenceTable& table_;
  LiveBlocks& result_;
  tasklist::StrongComponents cycles_;
  CondensedBlocks nodes_;
  BlockId blocks_;                      // number
  std::vector<std::uint8_t> occurs_in_; // by block: some register of the batch
  std::vector<NodeState> states_;       // by node
  // By node: the last walk that found it may be entered with a value.
  std::vector<std::uint32_t> defined_;
  std::uint32_t epoch_ = 0; // one per walk
  std::vector<std::uint32_t> pending_;
  std::array<std::vector<BlockRun>, registers_per_batch> runs_;
};

} // namespace

void find_dense_liveness(Draft& draft, const tasklist::ControlFlow& flow, OccurrenceTable& table,
                         std::span<const VirtualRegister> registers, LiveBlocks& result) {
  DenseSolver solver(draft, flow, table, result);
  for (std::size_t first = 0; first < registers.size(); first += registers_per_batch)
    solver.run(registers.subspan(first, std::min(registers_per_batch, registers.size() - first)));
}

} // namespace kerncast::machine
