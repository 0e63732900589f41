#include <algorithm>
#include <bit>

#include "reaching.h"

namespace kerncast::tasklist {

namespace {

constexpr std::size_t writers_per_batch = 64;
using Bits = std::uint64_t;

struct BlockState {
  Bits kept = ~Bits{0}; // writers whose value the block does not write
  Bits own = 0;         // its own writers
  Bits arriving = 0;
};

// A value's writers within a batch.
struct Share {
  std::size_t value;
  std::uint32_t first_bit;
  std::span<const InBlock> writers;
};

class Batches {
public:
  Batches(const WidespreadValues& values, const ControlFlow& flow, std::vector<DependencyEdge>& edges)
      : values_(values), flow_(flow), edges_(edges), order_(reverse_postorder(flow)),
        states_(flow.successors.node_count()) {}

  void run() {
    std::uint32_t used = 0;
    for (std::size_t value = 0; value < values_.writers_end.size(); ++value) {
      auto writers = of(values_.writers, values_.writers_end, value);
      while (!writers.empty()) {
        const std::size_t count = std::min(writers.size(), writers_per_batch - used);
        shares_.push_back({value, used, writers.first(count)});
        used += static_cast<std::uint32_t>(count);
        writers = writers.subspan(count);
        if (used == writers_per_batch) {
          solve();
          used = 0;
        }
      }
    }
    solve();
  }

private:
  static std::span<const InBlock> of(const std::vector<InBlock>& all, const std::vector<std::uint32_t>& ends,
                                     std::size_t value) {
    const std::uint32_t begin = value == 0 ? 0 : ends[value - 1];
    return std::span(all).subspan(begin, ends[value] - begin);
  }

  static Bits bits_of(const Share& share) {
    const Bits low =
        share.writers.size() == writers_per_batch ? ~Bits{0} : (Bits{1} << share.writers.size()) - 1;
    return low << share.first_bit;
  }

  void solve() {
    if (shares_.empty()) {
      return;
    }
    note_effects();
    sweep();
    for (const Share& share : shares_) {
      connect(share);
    }
    shares_.clear();
  }

  void note_effects() {
    std::fill(states_.begin(), states_.end(), BlockState{});
    for (const Share& share : shares_) {
      for (const InBlock& writer : of(values_.writers, values_.writers_end, share.value)) {
        states_[writer.block].kept &= ~bits_of(share);
      }
      for (std::size_t i = 0; i < share.writers.size(); ++i) {
        states_[share.writers[i].block].own |= Bits{1} << (share.first_bit + i);
      }
    }
  }

  void sweep() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (std::size_t i = 0; i < order_.size(); ++i) {
        Bits arriving = 0;
        for (const BlockId p : flow_.predecessors.targets_of(order_[i])) {
          arriving |= states_[p].own | (states_[p].arriving & states_[p].kept);
        }
        has_changed |= arriving != states_[order_[i]].arriving;
        states_[order_[i]].arriving = arriving;
      }
    }
  }

  void connect(const Share& share) {
    for (const InBlock& read : of(values_.reads, values_.reads_end, share.value)) {
      for (Bits bits = states_[read.block].arriving & bits_of(share); bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
        edges_.push_back({read.task, share.writers[bit - share.first_bit].task});
      }
    }
  }

  const WidespreadValues& values_;
  const ControlFlow& flow_;
  std::vector<DependencyEdge>& edges_;
  std::vector<BlockId> order_;
  std::vector<BlockState> states_;
  std::vector<Share> shares_;
};

} // namespace

std::vector<BlockId> reverse_postorder(const ControlFlow& flow) {
  std::vector<BlockId> order(flow.tree.postorder.rbegin(), flow.tree.postorder.rend());
  for (BlockId block = 0; block < flow.successors.node_count(); ++block) {
    if (flow.tree.number[block] == no_id) {
      order.push_back(block);
    }
  }
  return order;
}

void connect_widespread(const WidespreadValues& values, const ControlFlow& flow,
                        std::vector<DependencyEdge>& edges) {
  Batches(values, flow, edges).run();
}

} // namespace kerncast::tasklist
