// Which registers of a loop body get a name of their own in every trip.
#pragma once

#include <vector>

#include "program.h"
#include "rewrite/complete_loops.h"

namespace kerncast::lowering {

enum class Naming : std::uint8_t {
  kept,            // written in part, under a guard, in some trips only, or read behind several exits
  per_trip,        // nobody reads it behind the loop
  until_last_trip, // the last write of the last trip keeps the name for what is behind the loop
};

struct LoopRegister {
  ptx::RegisterId id = ptx::no_id;
  Naming naming = Naming::kept;
  std::uint32_t writes = 0; // in one trip
};

class RegisterReads {
public:
  explicit RegisterReads(const Program& program);
  // Registers that the loop writes, in the order of their first writes.
  std::vector<LoopRegister> written_in(const CompleteLoop& loop);

private:
  struct Facts {
    std::uint32_t writes = 0, reads = 0;
    bool in_part = false;                      // a write leaves something of the old value
    bool read_before = false;                  // a read stands before the first write
    bool written_always = true;                // in each trip, by every write
    bool set_on_entry = false;                 // whole, each time in front of the loop
    bool leaves_block = false;                 // a read stands in another block than the last write before it
    tasklist::BlockId block = tasklist::no_id; // of that write
    bool is_written = false;                   // before the instruction at hand
  };
  void note_writes(const CompleteLoop& loop, std::vector<LoopRegister>& registers);
  void note_reads(const CompleteLoop& loop);
  void note_entry(const CompleteLoop& loop);
  void forget(std::uint32_t first, std::uint32_t end);

  const Program& program_;
  std::vector<std::uint32_t> reads_, writes_; // by value, in the whole kernel
  std::vector<Facts> in_loop_;                // by value, in the loop at hand; as they begin between loops
};

} // namespace kerncast::lowering
