// The machine operations of every distinct PTX operation of a tasklist, looked up once.
#pragma once

#include <string>
#include <vector>

#include "configs/isa.h"
#include "machine/annotate.h"
#include "selection.h"

namespace kerncast::machine {

// A row's sequence as groups: operations of one group do not wait for each other, and wait for all of the
// group before. The last group is ordered by latency, so that its last operation is also the last to finish.
struct Recipe {
  struct Step {
    configs::MachineOpSpec spec; // count is 1
    std::uint32_t group = 0;
  };
  std::vector<Step> steps;     // empty: the operation costs nothing
  std::uint32_t registers = 0; // that it works in beside operands, results and what lies between its steps
  std::uint32_t main = 0;      // the step that is the row's last: of a memory task the access itself
  configs::SwapLoop loop = configs::SwapLoop::none;
  double turns = 1; // configs::IsaRow::turns
  std::uint32_t group_count() const { return steps.empty() ? 0 : steps.back().group + 1; }
};

Recipe make_recipe(const std::vector<configs::MachineOpSpec>& sequence);

// Latency of the sequence for a dependent of the whole: groups add up, each counts its longest.
double total_latency(const Recipe& recipe);

struct RecipeBook {
  std::vector<Recipe> recipes; // by operation index of the tasklist
  Recipe register_move;        // one 32-bit move that the compiler could not remove
  // Beside the tasks (block_extras.h); empty where the architecture has none.
  Recipe entry, entry_memory, entry_shared, entry_matrix, matrix_shared, matrix_global, constant32,
      constant64, constant_bank, uniform32, uniform64, uniform_value, converge_begin, converge_end,
      function_call;
  std::vector<std::string> assumptions;
};

// Fails naming every operation without a row, unless the options name a unit to charge.
Expected<RecipeBook> look_up(const Selection& selection, const configs::Gpu& gpu,
                             const AnnotateOptions& options);

} // namespace kerncast::machine
