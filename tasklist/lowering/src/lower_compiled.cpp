#include "lowering/lower_compiled.h"

#include <algorithm>

#include "blocks.h"
#include "known_values.h"
#include "lowering/lower_inlined.h"
#include "operands.h"
#include "resources.h"
#include "rewrite/complete_loops.h"
#include "rewrite/join_accesses.h"
#include "rewrite/promote_arrays.h"
#include "rewrite/unroll_loops.h"
#include "tasklist/unrolling.h"
#include "value_facts.h"

namespace kerncast::lowering {

namespace {

constexpr int deepest_nest = 8; // loops in loops that all have few trips

InlinedKernel as_written(const ptx::Function& kernel) {
  return {kernel,
          std::vector<std::uint32_t>(kernel.instructions.size(), ptx::no_id),
          {},
          {},
          local_bytes_of(kernel),
          nullptr};
}

bool has_shared_memory(const ptx::Module& module, const ptx::Function& kernel) {
  const auto is_shared = [](const ptx::Variable& v) { return v.space == ptx::Space::shared; };
  return std::ranges::any_of(kernel.variables, is_shared) || std::ranges::any_of(module.globals, is_shared);
}

bool has_local_arrays(const ptx::Function& kernel) {
  return std::ranges::any_of(kernel.variables,
                             [](const ptx::Variable& v) { return v.space == ptx::Space::local; });
}

class Compiler {
public:
  Compiler(const ptx::Module& module, const ptx::Function& kernel, const LowerOptions& options)
      : module_(module), kernel_(kernel), options_(options) {}

  Expected<CompiledKernel> run() {
    if (needs_inlining(kernel_)) {
      auto inlined = inline_calls(module_, kernel_);
      if (!inlined) {
        return tl::unexpected(inlined.error());
      }
      compiled_.rewritten = std::make_shared<const InlinedKernel>(std::move(*inlined));
    }
    if (auto lowered = lower_again(); !lowered) {
      return tl::unexpected(std::move(lowered.error()));
    }
    if (!options_.clean_up || is_debug(module_)) {
      return std::move(compiled_);
    }
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
    if (!done) {
      return tl::unexpected(std::move(done.error()));
    }
    return std::move(compiled_);
  }

private:
  const ptx::Function& function() const {
    return compiled_.rewritten ? compiled_.rewritten->function : kernel_;
  }

  Expected<void> lower_again() {
    auto list = compiled_.rewritten ? lower_inlined(module_, *compiled_.rewritten, options_)
                                    : lower(module_, kernel_, options_);
    if (!list) {
      return tl::unexpected(std::move(list.error()));
    }
    compiled_.list = std::move(*list);
    return {};
  }

  Expected<void> replace(InlinedKernel&& kernel) {
    compiled_.rewritten = std::make_shared<const InlinedKernel>(std::move(kernel));
    return lower_again();
  }

  // Innermost loops; those around them may be next.
  Expected<void> unroll(bool& changes) {
    changes = false;
    if (compiled_.list.loops.empty()) {
      return {};
    }
    const tasklist::ControlFlow flow(compiled_.list.blocks);
    const auto loops = find_complete_loops(function(), compiled_.list, flow, target());
    if (loops.empty()) {
      return {};
    }
    changes = true;
    const Program program = read_operands(function());
    return replace(unroll_loops(*current(), program, loops));
  }

  std::uint32_t target() const {
    return options_.target != 0 ? options_.target : tasklist::target_number(module_.target);
  }

  Expected<void> promote() {
    auto program = read_blocks();
    if (!program) {
      return tl::unexpected(std::move(program.error()));
    }
    const ValueFacts facts(*program, tasklist::ControlFlow(program->blocks));
    std::vector<std::uint32_t> loop_depths(program->blocks.size(), 0);
    for (const tasklist::Loop& loop : compiled_.list.loops) {
      for (const tasklist::BlockId b : loop.blocks) {
        ++loop_depths[b];
      }
    }
    const auto arrays = find_register_arrays(*program, facts, KnownValues(*program, facts), loop_depths);
    return arrays.empty() ? Expected<void>{} : replace(promote_arrays(*current(), *program, arrays));
  }

  Expected<void> join() {
    auto program = read_blocks();
    if (!program) {
      return tl::unexpected(std::move(program.error()));
    }
    const ValueFacts facts(*program, tasklist::ControlFlow(program->blocks));
    const auto joined = find_side_by_side(*program, facts, KnownValues(*program, facts));
    return joined.empty() ? Expected<void>{} : replace(join_accesses(*current(), *program, joined));
  }

  Expected<Program> read_blocks() const {
    static const SourceText no_source;
    Program program = read_operands(function());
    if (auto blocks = find_blocks(program, module_.source ? *module_.source : no_source); !blocks) {
      return tl::unexpected(std::move(blocks.error()));
    }
    return program;
  }

  std::shared_ptr<const InlinedKernel> current() const {
    return compiled_.rewritten ? compiled_.rewritten
                               : std::make_shared<const InlinedKernel>(as_written(kernel_));
  }

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  const LowerOptions& options_;
  CompiledKernel compiled_;
};

} // namespace

Expected<CompiledKernel> lower_compiled(const ptx::Module& module, const ptx::Function& kernel,
                                        const LowerOptions& options) {
  return Compiler(module, kernel, options).run();
}

} // namespace kerncast::lowering
