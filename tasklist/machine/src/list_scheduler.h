// List scheduling by critical path (Gibbons and Muchnick, 1986) of one straight piece of code.
//
// Operations start when their operands are there and their unit is free. What nobody waits for yet does not
// fill the time in which loads are under way, so that it takes no register early: it starts as late as lets
// every other operation start as early as the dependences allow. ptxas 13.0 looks a few operations ahead for
// what loads wait for all the same (the sum of several arrays' elements, each stored before the next one is
// loaded: addresses of the next two loads are there early, those of later ones are not), but not for
// constants and addresses of stores, and counts a loop's trips at its end.
//
// A register move takes the pipe that is free first. Moves that choose among an array's elements are shared
// out beforehand and evenly, as by ptxas.
#pragma once

#include <span>
#include <vector>

#include "configs/isa.h"
#include "dependence_graph.h"
#include "draft.h"
#include "open_operations.h"
#include "pressure.h"

namespace kerncast::machine {

// Operation numbers count from the piece's first.
class ListScheduler {
public:
  // `other_move` is what a register move may be, too; null: it has one form.
  ListScheduler(double issue_distance, std::size_t units, const configs::MachineOpSpec* other_move);

  // The order in which to issue the operations, within `register_target` where that can be. Valid until the
  // next call.
  const std::vector<std::uint32_t>& run(std::span<DraftOp> operations, const DependenceGraph& graph,
                                        std::span<const double> latencies, PiecePressure& pressure,
                                        std::int32_t register_target);
  // Cycles that the order takes to issue.
  double cycles() const { return now_; }

private:
  struct State {
    double ready_at = 0;
    double latest = 0; // start that lets the others start as early as the dependences allow
    double rank = 0;
    std::uint32_t waiting = 0;                      // predecessors not yet placed
    std::uint32_t held_back = 0;                    // a load: arcs from constants that wait for the others
    std::uint32_t first_constant = tasklist::no_id; // of these
    std::uint32_t next_constant = tasklist::no_id;  // of a constant: the next of its load's
    std::uint16_t unit = 0;
    bool is_placed = false;
    bool is_held_back = false;
    bool is_access = false;
    bool leads_to_load = false; // it is a load, or some load waits for its result
    bool may_be_early = false;
  };

  // What the operations that wait for one leave of it.
  struct Ahead {
    double rank = 0;
    double latest = 0;
    bool is_load = false; // among them, or behind them
  };

  double find_earliest(const DependenceGraph& graph);
  void look_ahead(const DependenceGraph& graph, std::span<const double> latencies, double end);
  Ahead ahead_of(std::span<const DependenceGraph::Edge> after, bool computes, double latency,
                 double end) const;
  void hold_constants_back(const DependenceGraph& graph);
  void share_choices();
  bool takes_other_pipe(std::uint32_t op);
  void open(std::uint32_t op);
  void place(const DependenceGraph& graph, std::uint32_t op, PiecePressure& pressure);
  void release_constants(State& reader);
  void mark_placed(std::uint32_t op);

  double issue_distance_;
  std::span<DraftOp> operations_;
  std::vector<double> unit_free_at_; // by unit: for this warp alone
  const configs::MachineOpSpec* other_move_;
  double other_share_ = 0;    // of moves that choose among elements: those for the other pipe
  double other_due_ = 0;      // of these so far: what the other pipe should have had more than it did
  std::vector<State> states_; // by operation
  OpenOperations open_;       // what may be placed
  std::vector<std::uint32_t> order_;
  std::uint32_t placed_ = 0; // of order_
  std::uint32_t first_unplaced_ = 0;
  std::uint32_t next_ = 0;
  double now_ = 0;
};

} // namespace kerncast::machine
