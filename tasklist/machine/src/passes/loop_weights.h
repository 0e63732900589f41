// What the body of a loop weighs where the compiler decides how many copies to make of it (unroll.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "selection.h"

namespace kerncast::machine {

struct LoopBody {
  std::uint32_t weight = 0;            // where trips are known
  std::uint32_t weight_of_unknown = 0; // where they are not
  std::uint32_t far_loads = 0, shared_loads = 0;
  std::uint32_t shared_accesses = 0; // before neighbours became one
  bool can_be_copied = true;
  bool has_barrier = false;
  bool has_atomics = false; // reductions, too
  bool needs_whole_warp = false;
  bool has_conditions = false; // branches, guarded accesses

  // The most that seven copies are made of, where trips are not known.
  std::uint32_t limit() const {
    constexpr std::uint32_t highest_limit = 100;
    const std::uint32_t near = shared_loads == 0 ? 21 : 22 + 5 * shared_loads;
    return std::min(far_loads == 0 ? near : std::max(near, 49U), highest_limit);
  }
};

class LoopWeights {
public:
  // `target`: compute capability, 75.
  LoopWeights(const Selection& selection, std::uint32_t target);

  LoopBody of(const tasklist::Loop& loop);

private:
  // What an operation's text says of tasks of one kind and space, as those of one operation nearly always
  // are.
  struct OperationWeight {
    bool is_known = false;
    tasklist::TaskKind kind = tasklist::TaskKind::compute;
    tasklist::Space space = tasklist::Space::none;
    bool allows_unrolling = false;
    bool needs_whole_warp = false;
    bool is_copy = false;       // asynchronous
    std::uint32_t matrices = 0; // weight, of those on matrices
    std::uint32_t accesses = 1;
  };
  std::vector<tasklist::ValueId> addresses_in(const tasklist::Loop& loop) const;
  std::vector<tasklist::ValueId> free_values(const tasklist::Loop& loop) const;
  const OperationWeight& operation_of(const tasklist::Task& task);
  std::uint32_t weight_of(const tasklist::Task& task, const OperationWeight& operation) const;
  bool has_size_in_register(const tasklist::Task& copy) const;
  bool reads_constant_bank(const tasklist::Task& task) const;
  void weigh(const tasklist::Task& task, const OperationWeight& operation, bool is_free,
             LoopBody& body) const;
  void add(const tasklist::Task& task, bool is_free, LoopBody& body);

  const Selection& selection_;
  const tasklist::Tasklist& list_;
  std::uint32_t target_;
  std::vector<std::uint32_t> weights_;      // by operation
  std::vector<OperationWeight> operations_; // by operation
};

} // namespace kerncast::machine
