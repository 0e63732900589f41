// Where the machine code has the accesses of a launch, and what it waits for between them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "machine/program.h"
#include "tasklist/tasklist.h"

namespace kerncast::hit_rates {

// Of an operation in the code.
using Position = std::uint32_t;
inline constexpr Position nowhere = std::numeric_limits<Position>::max();

// An operation that accesses memory, or needs what was loaded.
struct CodeEvent {
  Position at = 0;
  bool is_access = false;      // among a launch's traced ones, or a spill
  bool is_spill = false;       // that no trace has
  bool waits_for_all = false;  // that was loaded
  tasklist::Range needed = {}; // slots that some operation loads, in CodeOrder::slots
  tasklist::Range loaded = {}; // slots that get data which takes long to come
};

// A piece of code that runs from its start to its end: a block, or a loop's trips that execute together.
struct CodePiece {
  tasklist::BlockId block = 0; // of the tasklist
  Position begin = 0;
  std::uint32_t trips = 1;
  std::uint32_t accesses = 0;   // of one trip, with those of joined blocks
  std::vector<Position> places; // by trip and access_of(); nowhere: no operation does it
  std::vector<CodeEvent> events;
};

class CodeOrder {
public:
  // `list` must outlive the object.
  CodeOrder(const tasklist::Tasklist& list, const machine::MachineProgram& program);

  // The block whose visits have the task's accesses, and their number there (in the first trip).
  tasklist::BlockId block_of(tasklist::TaskId task) const { return block_of_[task]; }
  std::uint32_t access_of(tasklist::TaskId task) const { return access_of_[task]; }
  // The code of a block of the tasklist.
  const CodePiece& of(tasklist::BlockId block) const { return pieces_[block]; }
  // The code of several of its trips, if it is a loop whose trips execute together; else null.
  const CodePiece* group_of(tasklist::BlockId block) const {
    return groups_[block] == tasklist::no_id ? nullptr : &pieces_[groups_[block]];
  }
  std::span<const std::uint16_t> slots(tasklist::Range range) const {
    return std::span(slots_).subspan(range.begin, range.count);
  }
  // The blocks on the shortest way from the end of one block, or from the kernel's start (no_id), to the
  // start of another.
  const std::vector<tasklist::BlockId>& way(tasklist::BlockId from, tasklist::BlockId to);

private:
  void note_tasks(tasklist::BlockId block, tasklist::BlockId head, std::uint32_t accesses_before);
  void fill(CodePiece& piece, tasklist::BlockId block, const machine::MachineProgram& program,
            const std::vector<bool>& is_loaded);
  CodeEvent event_of(const machine::MachineOp& op, Position at, const machine::MachineProgram& program,
                     const std::vector<bool>& is_loaded);
  std::vector<tasklist::BlockId> find_way(tasklist::BlockId from, tasklist::BlockId to) const;

  const tasklist::Tasklist& list_;
  std::vector<tasklist::BlockId> block_of_; // by task
  std::vector<std::uint32_t> access_of_;    // likewise
  std::vector<CodePiece> pieces_;           // by block of the program
  std::vector<std::uint32_t> groups_;       // by block of the tasklist: piece, or no_id
  std::vector<std::uint16_t> slots_;
  std::map<std::pair<tasklist::BlockId, tasklist::BlockId>, std::vector<tasklist::BlockId>> ways_; // known
};

} // namespace kerncast::hit_rates
