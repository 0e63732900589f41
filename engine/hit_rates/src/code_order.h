// Where the machine code has the accesses of a launch, and where a warp waits between two of them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "machine/program.h"
#include "tasklist/tasklist.h"

namespace kerncast::hit_rates {

// Of an operation in the code.
using Position = std::uint32_t;
inline constexpr Position nowhere = std::numeric_limits<Position>::max();

// Whether the operation is among a launch's traced accesses: shared memory, constants and parameters are not.
bool is_traced(const machine::MachineOp& op);

struct CodePlace {
  Position at = nowhere;
  std::uint32_t waits = 0; // in front of it, through the code from its first operation on
  friend bool operator==(const CodePlace&, const CodePlace&) = default;
};

struct SpillPlace {
  tasklist::BlockId block = 0;
  CodePlace place;
};

// A piece of code that runs from its start to its end: a block, or a loop's trips that execute together.
struct CodePiece {
  std::uint32_t trips = 1;
  std::uint32_t waits_at_begin = 0, waits_at_end = 0; // as CodePlace::waits
  std::uint32_t accesses = 0;                         // of one trip
  std::vector<CodePlace> places;                      // by trip and Task::access; nowhere: not traced
  friend bool operator==(const CodePiece&, const CodePiece&) = default;
};

class CodeOrder {
public:
  CodeOrder(const tasklist::Tasklist& list, const machine::MachineProgram& program);

  // The code of a block of the tasklist.
  const CodePiece& of(tasklist::BlockId block) const { return pieces_[block]; }
  // The code of several of its trips, if it is a loop whose trips execute together; else null.
  const CodePiece* group_of(tasklist::BlockId block) const {
    return groups_[block] == tasklist::no_id ? nullptr : &pieces_[groups_[block]];
  }
  std::span<const CodePiece> pieces() const { return pieces_; }
  // In the order of the code; those of groups of trips are left out.
  std::span<const SpillPlace> spills() const { return spills_; }

private:
  std::vector<CodePiece> pieces_; // by block of the program
  std::vector<SpillPlace> spills_;
  std::vector<std::uint32_t> groups_; // by block of the tasklist: piece, or no_id
};

} // namespace kerncast::hit_rates
