#include "lowering/lower_compiled.h"

#include <algorithm>
#include <optional>

#include "lower_program.h"
#include "resources.h"
#include "rewrite/complete_loops.h"
#include "rewrite/join_accesses.h"
#include "rewrite/loop_candidates.h"
#include "rewrite/promote_arrays.h"
#include "rewrite/unroll_loops.h"
#include "tasklist/unrolling.h"

namespace kerncast::lowering {

namespace {

constexpr int deepest_nest = 8; // loops in loops that all have few trips

bool has_shared_memory(const ptx::Module& module, const ptx::Function& kernel) {
  const auto is_shared = [](const ptx::Variable& v) { return v.space == ptx::Space::shared; };
  return std::ranges::any_of(kernel.variables, is_shared) || std::ranges::any_of(module.globals, is_shared);
}

bool has_local_arrays(const ptx::Function& kernel) {
  return std::ranges::any_of(kernel.variables,
                             [](const ptx::Variable& v) { return v.space == ptx::Space::local; });
}

bool has_branch_to_end(const ptx::Function& kernel) {
  const auto is_end = [&](ptx::LabelId label) {
    return kernel.labels[label].instruction == kernel.instructions.size();
  };
  const auto leads_there = [&](const ptx::Operand& operand) {
    return operand.kind == ptx::OperandKind::label && is_end(operand.id);
  };
  return std::ranges::any_of(kernel.instructions, [&](const ptx::Instruction& i) {
    return std::ranges::any_of(kernel.operands(i), [&](const ptx::Operand& operand) {
      return leads_there(operand) || std::ranges::any_of(kernel.elements(operand), leads_there);
    });
  });
}

// Behind its last instruction.
bool falls_off_its_end(const ptx::Function& kernel) {
  const auto is_end = [&](const ptx::Label& label) {
    return label.instruction == kernel.instructions.size();
  };
  if (kernel.instructions.empty())
    return true;
  const ptx::Instruction& last = kernel.instructions.back();
  using enum ptx::Opcode;
  const bool ends = last.opcode == ret || last.opcode == exit; // for the lanes that are left, if guarded
  const bool leads_on = last.opcode == bra || last.opcode == brx || last.opcode == trap;
  return (!ends && (!leads_on || last.guard != ptx::no_id)) ||
         (std::ranges::any_of(kernel.labels, is_end) && has_branch_to_end(kernel));
}

// The end that ptxas gives a kernel without one.
void add_end(InlinedKernel& kernel) {
  auto& instructions = kernel.function.instructions;
  ptx::Instruction end;
  end.opcode = ptx::Opcode::ret;
  end.place = instructions.empty() ? kernel.function.place : instructions.back().place;
  if (!instructions.empty())
    end.source = instructions.back().source;
  instructions.push_back(end);
  kernel.call_of.resize(instructions.size(), ptx::no_id);
}

class Compiler {
public:
  Compiler(const ptx::Module& module, const ptx::Function& kernel, const LowerOptions& options)
      : module_(module), kernel_(kernel), options_(options) {}

  Expected<CompiledKernel> run() {
    auto inlined = inline_where_needed(module_, kernel_);
    if (!inlined) {
      return tl::unexpected(std::move(inlined.error()));
    }
    if (falls_off_its_end(*inlined ? (*inlined)->function : kernel_)) {
      if (!*inlined) {
        inlined->emplace().function = kernel_;
      }
      add_end(**inlined);
    }
    if (*inlined) {
      compiled_.rewritten = std::make_shared<const InlinedKernel>(std::move(**inlined));
    }
    auto done = read();
    if (done && options_.clean_up && !is_debug(module_)) {
      done = rewrite();
    }
    if (!done) {
      return tl::unexpected(std::move(done.error()));
    }
    if (!is_lowered_) {
      lower(std::move(*program_));
    }
    finish_list(module_, function(), facts_->flow, compiled_.rewritten.get(), compiled_.list);
    return std::move(compiled_);
  }

private:
  const ptx::Function& function() const {
    return compiled_.rewritten ? compiled_.rewritten->function : kernel_;
  }

  Expected<void> read() {
    auto program = read_program(module_, function());
    if (!program) {
      return tl::unexpected(std::move(program.error()));
    }
    program_ = std::move(*program);
    facts_.emplace(*program_);
    is_lowered_ = false;
    return {};
  }

  void lower(Program program) {
    compiled_.list = list_tasks(module_, std::move(program), *facts_, options_);
    is_lowered_ = true;
  }

  Expected<void> replace(InlinedKernel&& kernel) {
    compiled_.rewritten = std::make_shared<const InlinedKernel>(std::move(kernel));
    return read();
  }

  Expected<void> rewrite() {
    Expected<void> done;
    bool changes = options_.unroll;
    for (int depth = 0; done && changes && depth < deepest_nest; ++depth) {
      done = unroll(changes);
    }
    if (done && options_.promote_local && has_local_arrays(function())) {
      done = promote();
    }
    if (done && options_.join_accesses &&
        (has_shared_memory(module_, function()) || has_local_arrays(function()))) {
      done = join();
    }
    return done;
  }

  // Innermost loops; those around them may be next.
  Expected<void> unroll(bool& changes) {
    changes = false;
    if (!may_have_complete_loops(*program_, *facts_)) {
      return {};
    }
    lower(*program_);
    const auto loops = find_complete_loops(function(), compiled_.list, facts_->flow, target(), trips_);
    if (loops.empty()) {
      return {};
    }
    changes = true;
    UnrolledKernel unrolled = unroll_loops(compiled_.rewritten.get(), *program_, loops, trips_);
    trips_ = std::move(unrolled.trips);
    return replace(std::move(unrolled.kernel));
  }

  std::uint32_t target() const {
    return options_.target != 0 ? options_.target : tasklist::target_number(module_.target);
  }

  Expected<void> promote() {
    std::vector<std::uint32_t> loop_depths(program_->blocks.size(), 0);
    for (const tasklist::Loop& loop : facts_->loops) {
      for (const tasklist::BlockId b : loop.blocks) {
        ++loop_depths[b];
      }
    }
    const auto arrays = find_register_arrays(*program_, facts_->values, facts_->known, loop_depths);
    return arrays.empty() ? Expected<void>{}
                          : replace(promote_arrays(compiled_.rewritten.get(), *program_, arrays));
  }

  Expected<void> join() {
    const auto joined = find_side_by_side(*program_, facts_->values, facts_->known);
    return joined.empty() ? Expected<void>{}
                          : replace(join_accesses(compiled_.rewritten.get(), *program_, joined));
  }

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  const LowerOptions& options_;
  CompiledKernel compiled_;
  // Of the kernel as it is by now.
  std::optional<Program> program_;
  std::optional<ProgramFacts> facts_;
  std::vector<std::uint32_t> trips_; // instructions that begin a trip of an unrolled loop
  bool is_lowered_ = false;          // compiled_.list is of it, too, but for its dependencies
};

} // namespace

Expected<CompiledKernel> lower_compiled(const ptx::Module& module, const ptx::Function& kernel,
                                        const LowerOptions& options) {
  return Compiler(module, kernel, options).run();
}

} // namespace kerncast::lowering
