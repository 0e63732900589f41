// The accesses of one warp in the order in which its machine code issues them.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "code_order.h"
#include "tasklist/cta_accesses.h"

namespace kerncast::hit_rates {

// Accesses of spilled registers, by the position of their operation.
using SpillAccesses = std::unordered_map<Position, tasklist::TracedAccess>;

class WarpIssue {
public:
  // `in_turns`: a warp goes on until it waits. The launch's own patterns are behind `spill_patterns` others.
  // `list` must outlive the object.
  WarpIssue(const tasklist::Tasklist& list, const machine::MachineProgram& program, bool in_turns,
            SpillAccesses spills, std::uint32_t spill_patterns);

  // Appends what the warp issues, of the accesses of the launch that it does.
  void add(std::span<const tasklist::TracedAccess> accesses, std::vector<tasklist::TracedAccess>& issued);

private:
  // An access of a piece of code.
  struct Entry {
    Position at = 0;
    tasklist::TracedAccess access;
  };

  const CodePiece& take_piece(std::span<const tasklist::TracedAccess>& left);
  std::size_t visit_of(std::span<const tasklist::TracedAccess> accesses) const;
  bool goes_on(const tasklist::TracedAccess& last, const tasklist::TracedAccess& next) const;
  void note_entries(const CodePiece& piece, std::span<const tasklist::TracedAccess> accesses);
  void issue(const CodePiece& piece, std::span<const Entry> entries,
             std::vector<tasklist::TracedAccess>& issued);
  void await(const CodeEvent& event);
  void note_loaded(const CodeEvent& event);
  void issue_access(tasklist::TracedAccess access, std::vector<tasklist::TracedAccess>& issued);

  CodeOrder order_;
  bool in_turns_;
  SpillAccesses spills_;
  std::uint32_t spill_patterns_;
  std::vector<bool> has_rows_; // by task: one execution has an access a row
  std::vector<Entry> entries_; // of the piece at hand
  // Of the warp:
  tasklist::BlockId block_ = tasklist::no_id; // of its last access
  std::vector<std::uint16_t> loaded_;         // slots with data that it did not wait for
  bool waited_ = true;                        // since its last access
};

} // namespace kerncast::hit_rates
