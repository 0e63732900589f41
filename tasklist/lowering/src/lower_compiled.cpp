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

// Of a kernel without instructions: the end that ptxas gives it.
InlinedKernel with_end(const ptx::Function& kernel) {
  InlinedKernel result;
  result.function = kernel;
  ptx::Instruction end;
  end.opcode = ptx::Opcode::ret;
  end.place = kernel.place;
  result.function.instructions.push_back(end);
  result.call_of = {ptx::no_id};
  return result;
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
    if (*inlined) {
      compiled_.rewritten = std::make_shared<const InlinedKernel>(std::move(**inlined));
    } else if (kernel_.instructions.empty()) {
      compiled_.rewritten = std::make_shared<const InlinedKernel>(with_end(kernel_));
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
