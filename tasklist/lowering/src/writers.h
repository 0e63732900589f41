// All ops that write a value.
#pragma once

#include <vector>

#include "program.h"
#include "value_facts.h"

namespace kerncast::lowering {

// Most values have one writer, which ValueFacts knows; those of the others are chained, from the last to the
// first.
class Writers {
public:
  Writers(const Program& program, const ValueFacts& facts)
      : facts_(facts), last_(program.value_classes.size(), no_id) {
    for (std::uint32_t op = 0, count = program.op_count(); op < count; ++op) {
      for (const ValueId value : program.definitions_of(program.ops[op])) {
        if (facts.of(value).definition_count > 1) {
          links_.push_back({op, last_[value]});
          last_[value] = static_cast<std::uint32_t>(links_.size() - 1);
        }
      }
    }
  }

  // Calls f(op).
  template <class F> void for_each(ValueId value, F&& f) const {
    if (facts_.of(value).definition_count == 1) {
      f(facts_.of(value).writer);
      return;
    }
    for (std::uint32_t i = last_[value]; i != no_id; i = links_[i].before) {
      f(links_[i].op);
    }
  }

private:
  struct Link {
    std::uint32_t op = no_id;
    std::uint32_t before = no_id; // of the same value, in links_
  };
  const ValueFacts& facts_;
  std::vector<std::uint32_t> last_; // by value: in links_
  std::vector<Link> links_;
};

} // namespace kerncast::lowering
