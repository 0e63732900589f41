// The operations that a list scheduler may issue next, and which of them it should.
//
// Those that are usable now differ in three things only: their unit, their rank, and the registers that they
// take. So they lie by unit, in the order of ranks, and the first that takes no register too many stands for
// its unit. The others wait until they are usable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pressure.h"

namespace kerncast::machine {

struct OpenOperation {
  std::uint16_t unit = 0;
  bool may_be_early = false; // near the first operation not yet placed it need not be of use
  double ready_at = 0;       // when its operands are there
  double of_use_at = 0;
  double rank = 0; // longest way from its issue to the end of the piece
};

// By their numbers in the piece.
class OpenOperations {
public:
  // Up to `lookahead` operations behind the first one not yet placed are near it.
  OpenOperations(std::size_t units, std::uint32_t lookahead) : lookahead_(lookahead), ready_(units) {}

  // A piece of so many operations, none of them open.
  void start(std::uint32_t ops);
  std::size_t size() const { return size_; }
  void add(std::uint32_t op, const OpenOperation& operation);
  // Neither the time nor the first operation not yet placed ever goes back.
  void advance(double now, std::uint32_t first_unplaced);
  // Takes out the one to issue: that which takes the fewest registers beyond the target; of several the one
  // that is usable first, then that which its unit (`unit_free_at`) lets start first, then that of the
  // highest rank, then the first of the text.
  std::uint32_t take_best(std::span<const double> unit_free_at, const PiecePressure& pressure,
                          std::int32_t register_target);

private:
  struct Ready {
    double rank = 0;
    std::uint32_t op = 0;
  };
  struct Waiting {
    double usable = 0;
    std::uint32_t op = 0;
  };
  // The best one so far, and where it is.
  struct Best {
    std::int32_t excess = INT32_MAX; // of none
    double usable = 0, start = 0;
    double rank = 0;
    std::uint32_t op = 0;
    std::vector<Ready>* ready = nullptr; // null: it waits
    std::size_t position = 0;
  };

  double usable_at(std::uint32_t op) const;
  void make_ready(std::uint32_t op);
  void wait(const Waiting& waiting);
  bool is_held_back(const Waiting& waiting) const;
  void release_near();
  static bool is_better(const Best& one, const Best& best);
  template <class Excess> Best find_best(std::span<const double> unit_free_at, Excess excess_of);

  std::uint32_t lookahead_;
  std::vector<OpenOperation> operations_; // by operation, of those that are open
  std::vector<std::vector<Ready>> ready_; // by unit: the best one last
  std::vector<std::uint16_t> units_;      // that have had some in this piece
  std::vector<Waiting> waiting_;          // not usable yet; the first that will be comes last
  std::uint32_t next_near_ = 0;           // the first of them that will be usable once it is near
  std::size_t size_ = 0;
  double now_ = 0;
  std::uint32_t first_unplaced_ = 0;
};

} // namespace kerncast::machine
