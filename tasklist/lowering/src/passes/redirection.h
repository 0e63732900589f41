// Lets readers of one value read another instead, where both hold the same result at every reader.
#pragma once

#include "program.h"
#include "value_facts.h"

namespace kerncast::lowering {

class Redirection {
public:
  Redirection(Program& program, const ValueFacts& facts);

  // Visits all ops, later ones first. `visit(op)` may call `redirect` for values that `op` writes.
  template <class F> void scan(F&& visit) {
    for (std::size_t block = program_.blocks.size(); block-- > 0;) {
      const auto& b = program_.blocks[block];
      for (std::uint32_t op = b.first_instruction + b.instruction_count; op-- > b.first_instruction;) {
        visit(op);
        for (const ValueId value : program_.definitions_of(program_.ops[op])) {
          next_writer_[value] = op;
        }
      }
    }
  }

  // Whether readers of `result`, which `op` writes, may read `source` instead: both have one writer before
  // all readers, or all readers lie in op's block and read before `source` is written again.
  bool allowed(std::uint32_t op, ValueId result, ValueId source) const;
  void redirect(ValueId result, ValueId source);

  // Rewrites the uses of all redirected values.
  void apply();

private:
  void note_readers();
  ValueId root_of(ValueId value);

  Program& program_;
  const ValueFacts& facts_;
  std::vector<ValueId> source_;            // by value; no_id: not redirected
  std::vector<std::uint32_t> last_reader_; // by value: highest op, 0 if none
  std::vector<bool> read_elsewhere_;       // by value: in a block other than its writer's
  std::vector<std::uint32_t> next_writer_; // by value: the writer visited last
};

} // namespace kerncast::lowering
