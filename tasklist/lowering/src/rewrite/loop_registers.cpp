#include "rewrite/loop_registers.h"

namespace kerncast::lowering {

RegisterReads::RegisterReads(const Program& program)
    : program_(program), reads_(program.value_classes.size(), 0), writes_(program.value_classes.size(), 0),
      in_loop_(program.value_classes.size()) {
  for (const Use& use : program.uses) {
    ++reads_[use.value];
  }
  for (const ValueId value : program.definitions) {
    ++writes_[value];
  }
}

void RegisterReads::note_writes(const CompleteLoop& loop, std::vector<LoopRegister>& registers) {
  for (std::uint32_t i = loop.first; i <= loop.last; ++i) {
    for (const ValueId value : program_.definitions_of(program_.ops[i])) {
      if (value >= program_.function->registers.size()) {
        continue;
      }
      Facts& facts = in_loop_[value];
      if (facts.writes++ == 0) {
        registers.push_back({.id = value});
      }
      facts.written_always &= loop.executes_always[i - loop.first];
    }
  }
}

void RegisterReads::note_reads(const CompleteLoop& loop) {
  for (std::uint32_t i = loop.first; i <= loop.last; ++i) {
    for (const Use& use : program_.uses_of(program_.ops[i])) {
      Facts& facts = in_loop_[use.value];
      facts.in_part |= use.role == Role::previous;
      facts.read_before |= !facts.is_written;
      ++facts.reads;
    }
    for (const ValueId value : program_.definitions_of(program_.ops[i])) {
      in_loop_[value].is_written = true;
    }
  }
}

std::vector<LoopRegister> RegisterReads::written_in(const CompleteLoop& loop) {
  std::vector<LoopRegister> registers;
  note_writes(loop, registers);
  note_reads(loop);
  for (LoopRegister& as : registers) {
    const Facts& facts = in_loop_[as.id];
    const bool read_behind = reads_[as.id] > facts.reads;
    // Of a trip alone: its one writer stands before all readers, whether the trip gets there or not.
    const bool is_private = writes_[as.id] == 1 && !facts.read_before && !read_behind;
    as.writes = facts.writes;
    // Behind several exits it is not known which trip was the last.
    const bool is_last_known = !read_behind || !loop.has_other_exits;
    if (!facts.in_part && (facts.written_always || is_private) && is_last_known) {
      as.naming = read_behind ? Naming::until_last_trip : Naming::per_trip;
    }
  }
  forget(loop);
  return registers;
}

void RegisterReads::forget(const CompleteLoop& loop) {
  for (std::uint32_t i = loop.first; i <= loop.last; ++i) {
    for (const Use& use : program_.uses_of(program_.ops[i])) {
      in_loop_[use.value] = {};
    }
    for (const ValueId value : program_.definitions_of(program_.ops[i])) {
      in_loop_[value] = {};
    }
  }
}

} // namespace kerncast::lowering
