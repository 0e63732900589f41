#include "operand_releases.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace kerncast::machine {
namespace {

using tasklist::no_id;

// Operations after which the operands are taken to have been read (of 4 to 12 the number with which registers
// were nearest to those of ptxas 13.0).
constexpr std::uint32_t longest_wait = 9;
// The same of stores and reductions outside of shared memory: of 28 rows that are stored to addresses stepped
// from one to the next the 26th is the first to take the pair of an earlier one, 50 operations behind it.
constexpr std::uint32_t longest_wait_of_store = 50;

class Releases {
public:
  explicit Releases(const Draft& draft)
      : draft_(draft), loaded_by_(draft.register_count(), no_id), releases_(draft.ops.size()) {
    std::iota(releases_.begin(), releases_.end(), 0);
  }

  std::vector<std::uint32_t> run() {
    for (const MachineBlock& block : draft_.blocks) {
      const std::uint32_t end = block.first_op + block.op_count;
      for (std::uint32_t op = block.first_op; op < end; ++op)
        add(block.first_op, op);
      release_all(end);
    }
    return std::move(releases_);
  }

private:
  static bool is_access(const DraftOp& op) { return op.op.kind == OpKind::memory; }
  static bool is_shared(const DraftOp& op) { return op.op.space == tasklist::Space::shared; }
  static std::uint32_t longest_wait_of(const DraftOp& op) {
    return op.writes.count == 0 && !is_shared(op) ? longest_wait_of_store : longest_wait;
  }

  std::vector<std::uint32_t>& queue_of(const DraftOp& op) { return waiting_[is_shared(op) ? 0 : 1]; }

  void add(std::uint32_t begin, std::uint32_t id) {
    const DraftOp& op = draft_.ops[id];
    if (op.op.kind == OpKind::fence)
      release_all(id);
    for (const VirtualRegister r : draft_.reads(op))
      if (loaded_by_[r] != no_id && loaded_by_[r] >= begin)
        release(queue_of(draft_.ops[loaded_by_[r]]), loaded_by_[r], id);
    for (const VirtualRegister r : draft_.writes(op))
      loaded_by_[r] = is_access(op) ? id : no_id;
    if (is_access(op))
      queue_of(op).push_back(id);
  }

  void release_all(std::uint32_t at) {
    for (auto& waiting : waiting_)
      release(waiting, no_id, at);
  }

  // Those up to `last`, at operation `at`.
  void release(std::vector<std::uint32_t>& waiting, std::uint32_t last, std::uint32_t at) {
    const auto end = std::ranges::upper_bound(waiting, last);
    for (auto access = waiting.begin(); access != end; ++access)
      releases_[*access] = std::min(at, *access + longest_wait_of(draft_.ops[*access]));
    waiting.erase(waiting.begin(), end);
  }

  const Draft& draft_;
  std::vector<std::uint32_t> loaded_by_;              // by register: the access that it is the result of
  std::array<std::vector<std::uint32_t>, 2> waiting_; // of the block's accesses
  std::vector<std::uint32_t> releases_;
};

} // namespace

std::vector<std::uint32_t> operand_releases(const Draft& draft) { return Releases(draft).run(); }

} // namespace kerncast::machine
