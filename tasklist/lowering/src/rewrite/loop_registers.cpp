#include "rewrite/loop_registers.h"

namespace kerncast::lowering {

namespace {

struct Facts {
  std::uint32_t writes = 0, reads = 0;
  bool in_part = false;       // a write leaves something of the old value
  bool read_before = false;   // a read stands before the first write
  bool written_always = true; // in each trip, by every write
};
using FactsOf = std::unordered_map<ptx::RegisterId, Facts>;

FactsOf writes_of(const Program& program, const CompleteLoop& loop) {
  FactsOf facts;
  for (std::uint32_t i = loop.first; i <= loop.last; ++i) {
    for (const ValueId value : program.definitions_of(program.ops[i])) {
      if (value < program.function->registers.size()) {
        ++facts[value].writes;
        facts[value].written_always &= loop.executes_always[i - loop.first];
      }
    }
  }
  return facts;
}

void add_reads(const Program& program, const CompleteLoop& loop, FactsOf& facts) {
  std::unordered_map<ptx::RegisterId, bool> is_written;
  for (std::uint32_t i = loop.first; i <= loop.last; ++i) {
    for (const Use& use : program.uses_of(program.ops[i])) {
      const auto found = facts.find(use.value);
      if (found == facts.end()) {
        continue;
      }
      found->second.in_part |= use.role == Role::previous;
      found->second.read_before |= !is_written[use.value];
      ++found->second.reads;
    }
    for (const ValueId value : program.definitions_of(program.ops[i])) {
      is_written[value] = true;
    }
  }
}

} // namespace

RegisterReads::RegisterReads(const Program& program)
    : program_(program), reads_(program.value_classes.size(), 0), writes_(program.value_classes.size(), 0) {
  for (const Use& use : program.uses) {
    ++reads_[use.value];
  }
  for (const ValueId value : program.definitions) {
    ++writes_[value];
  }
}

std::unordered_map<ptx::RegisterId, LoopRegister> RegisterReads::written_in(const CompleteLoop& loop) const {
  FactsOf facts = writes_of(program_, loop);
  add_reads(program_, loop, facts);
  std::unordered_map<ptx::RegisterId, LoopRegister> registers;
  for (const auto& [r, f] : facts) {
    const bool read_behind = reads_[r] > f.reads;
    // Of a trip alone: its one writer stands before all readers, whether the trip gets there or not.
    const bool is_private = writes_[r] == 1 && !f.read_before && !read_behind;
    LoopRegister& as = registers[r];
    as.writes = f.writes;
    // Behind several exits it is not known which trip was the last.
    const bool is_last_known = !read_behind || !loop.has_other_exits;
    if (!f.in_part && (f.written_always || is_private) && is_last_known) {
      as.naming = read_behind ? Naming::until_last_trip : Naming::per_trip;
    }
  }
  return registers;
}

} // namespace kerncast::lowering
