// What must stay in order among the operations of one straight piece of code.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "draft.h"

namespace kerncast::machine {

// What an operation may pass on its way up.
enum class Mobility : std::uint8_t {
  registers_only, // bound by its registers alone: compute, loads of memory that nobody writes
  memory_read,    // passes no write that may be to the same memory
  memory_write,   // passes no access that may be to the same memory
  warp_wide,      // keeps its order among operations of the whole warp (shuffles, votes)
  barrier,        // the same, and passes no access to memory that other warps see
  none,           // nothing passes it
};

struct DependenceGraph {
  struct Edge {
    std::uint32_t to = 0;
    double latency = 0; // cycles from one's issue to the other's
  };
  std::vector<std::uint32_t> first; // by operation of the piece, one more at the end
  std::vector<Edge> edges;
  std::vector<std::uint32_t> predecessors; // number, by operation

  std::span<const Edge> after(std::uint32_t op) const {
    return std::span(edges).subspan(first[op], first[op + 1] - first[op]);
  }
};

// Builds graphs one after another, keeping its tables.
class DependenceGraphBuilder {
public:
  DependenceGraphBuilder(const Draft& draft, const tasklist::Tasklist& list);
  // Operations [begin, end) of the draft; mobility and result latency are given per operation of the piece.
  const DependenceGraph& build(std::uint32_t begin, std::uint32_t end, std::span<const Mobility> mobility,
                               std::span<const double> latencies);

private:
  struct Arc {
    std::uint32_t from = 0, to = 0;
    double latency = 0;
  };
  // State of a register, or of the warp itself, within the piece.
  struct Access {
    std::uint32_t piece = 0; // the piece that the rest is of
    std::uint32_t last_write = tasklist::no_id;
    std::uint32_t last_read = tasklist::no_id; // since then, in reads_
  };
  struct Read {
    std::uint32_t op = 0;
    std::uint32_t before = tasklist::no_id; // of the same register
  };
  // An access to memory. Those of one base in one trip are to the same place where their bytes overlap; where
  // it is known how far trips are apart, all trips are one.
  struct MemoryAccess {
    std::uint32_t op = 0;
    std::uint32_t base = tasklist::no_id;
    std::int64_t begin = 0, end = 0; // bytes from the base
    std::uint8_t trip = 0;
    bool may_meet(const MemoryAccess& other) const {
      return base == tasklist::no_id || base != other.base || trip != other.trip ||
             (begin < other.end && other.begin < end);
    }
  };
  // What was accessed of a kind of memory within the piece, since the last write to who knows where.
  struct Memory {
    std::vector<MemoryAccess> reads, writes;
    std::size_t size() const { return reads.size() + writes.size(); }
  };

  Access& current(Access& access) const;
  void read(Access& access, std::uint32_t op, std::span<const double> latencies);
  void write(Access& access, std::uint32_t op);
  void add_register_arcs(std::uint32_t begin, std::uint32_t op, std::span<const double> latencies);
  void add_memory_arcs(const DraftOp& draft_op, std::uint32_t op, Mobility mobility);
  void add_access(const DraftOp& draft_op, std::uint32_t op, Mobility mobility);
  void read(Memory& memory, const MemoryAccess& access);
  void write(Memory& memory, MemoryAccess access);
  void index_arcs(std::uint32_t ops);

  const Draft& draft_;
  const tasklist::Tasklist& list_;
  std::uint32_t piece_ = 0;
  std::vector<Access> registers_;
  Access warp_;
  std::array<Memory, 4> memories_; // global, shared, local, surfaces
  std::vector<Arc> arcs_;
  std::vector<Read> reads_; // of the piece
  DependenceGraph graph_;
};

} // namespace kerncast::machine
