#include "rewrite/loop_registers.h"

#include <algorithm>

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
      facts.leaves_block |= facts.block != loop.blocks[i - loop.first];
      ++facts.reads;
    }
    for (const ValueId value : program_.definitions_of(program_.ops[i])) {
      in_loop_[value].is_written = true;
      in_loop_[value].block = loop.blocks[i - loop.first];
    }
  }
}

void RegisterReads::note_entry(const CompleteLoop& loop) {
  for (const InstructionRange& range : loop.before) {
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
      const auto uses = program_.uses_of(program_.ops[i]);
      for (const ValueId value : program_.definitions_of(program_.ops[i])) {
        in_loop_[value].set_on_entry |= std::ranges::none_of(
            uses, [&](const Use& use) { return use.role == Role::previous && use.value == value; });
      }
    }
  }
}

std::vector<LoopRegister> RegisterReads::written_in(const CompleteLoop& loop) {
  std::vector<LoopRegister> registers;
  note_writes(loop, registers);
  note_reads(loop);
  note_entry(loop);
  for (LoopRegister& as : registers) {
    const Facts& facts = in_loop_[as.id];
    // The loop itself reads what its last trip left when it is entered again.
    const bool read_again = loop.comes_again && facts.read_before && !facts.set_on_entry;
    const bool read_behind = reads_[as.id] > facts.reads || read_again;
    // Of a trip alone, whether it gets to the one writer or not: all readers follow it in its block.
    const bool is_private = writes_[as.id] == 1 && !facts.read_before && !facts.leaves_block && !read_behind;
    as.writes = facts.writes;
    // Behind several exits it is not known which trip was the last.
    const bool is_last_known = !read_behind || !loop.has_other_exits;
    if (!facts.in_part && (facts.written_always || is_private) && is_last_known) {
      as.naming = read_behind ? Naming::until_last_trip : Naming::per_trip;
    }
  }
  forget(loop.first, loop.last + 1);
  for (const InstructionRange& range : loop.before) {
    forget(range.first, range.first + range.count);
  }
  return registers;
}

void RegisterReads::forget(std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t i = first; i < end; ++i) {
    for (const Use& use : program_.uses_of(program_.ops[i])) {
      in_loop_[use.value] = {};
    }
    for (const ValueId value : program_.definitions_of(program_.ops[i])) {
      in_loop_[value] = {};
    }
  }
}

} // namespace kerncast::lowering
