// How many vector registers each value of a draft holds on to, where registers are counted.
//
// Less than its width tells: what the entry block computes from parameters and launch constants alone lies in
// uniform registers where the architecture has a uniform datapath (the row "uniform.value"), and a constant
// that is read in another block than the one that loads it is loaded again next to its reader, unless that is
// in an innermost loop and registers are not short (all seen in code of ptxas 13.0; one that is only moved
// from the bank or the instruction word is moved again there, too). Left out: uniform values of later blocks,
// which few kernels have.
#pragma once

#include <cstdint>
#include <vector>

#include "draft.h"
#include "selection.h"

namespace kerncast::machine {

// By virtual register.
struct ValueWidths {
  std::vector<std::uint8_t> least; // where registers are short
  std::vector<std::uint8_t> ample; // where they are not
};

// `divergent` is what find_divergent_values() says; empty: no uniform datapath.
ValueWidths value_widths(const Draft& draft, const Selection& selection, const std::vector<bool>& divergent);

} // namespace kerncast::machine
