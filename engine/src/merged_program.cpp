#include "engine/merged_program.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace kerncast::engine {
namespace {

template <class T> std::uint32_t size_of(const std::vector<T>& all) {
  return static_cast<std::uint32_t>(all.size());
}

// Appends programs to one another: whatever is an index becomes one of the whole.
class ProgramMerger {
public:
  void add(const SmProgram& program) {
    const std::uint32_t first_op = size_of(out_.ops);
    const std::uint32_t first_use = size_of(out_.barrier_uses);
    add_pool(program);
    for (SmOp op : program.ops) {
      op.slots += size_of(out_.slots);
      op.barrier += first_use;
      out_.ops.push_back(op);
    }
    add_steps(program, first_op);
    append(out_.slots, program.slots);
    append(out_.requests, program.requests);
    append(out_.barrier_uses, program.barrier_uses);
    out_.slot_count = std::max(out_.slot_count, program.slot_count);
    out_.loop_depth = std::max(out_.loop_depth, program.loop_depth);
  }

  SmProgram out() && { return std::move(out_); }
  const SmProgram& so_far() const { return out_; }

private:
  template <class T> static void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  // An entry names a request or the use of a barrier: which, the operation says that looks there.
  void add_pool(const SmProgram& program) {
    std::vector<std::uint32_t> pool = program.request_pool;
    for (const Step& step : program.steps)
      if (step.kind == Step::Kind::run)
        for (std::uint32_t i = step.first_op; i < step.end_op; ++i)
          move_entry(program, step.requests, program.ops[i], pool);
    pool_begin_ = size_of(out_.request_pool);
    append(out_.request_pool, pool);
  }

  void move_entry(const SmProgram& program, std::uint32_t requests, const SmOp& op,
                  std::vector<std::uint32_t>& pool) const {
    const bool is_barrier = op.kind == SmOpKind::barrier && op.barrier_by_step;
    if (op.kind != SmOpKind::memory && !is_barrier)
      return;
    const std::size_t entry = std::size_t{requests} + op.access;
    pool[entry] =
        program.request_pool[entry] + (is_barrier ? size_of(out_.barrier_uses) : size_of(out_.requests));
  }

  void add_steps(const SmProgram& program, std::uint32_t first_op) {
    const std::uint32_t first_step = size_of(out_.steps);
    for (const std::uint32_t start : program.path_start)
      out_.path_start.push_back(first_step + start);
    for (Step step : program.steps) {
      step.first_op += first_op;
      step.end_op += first_op;
      step.requests += pool_begin_;
      step.target += first_step;
      out_.steps.push_back(step);
    }
  }

  SmProgram out_;
  std::uint32_t pool_begin_ = 0;
};

void add_config(const SmConfig& config, SmConfig& to) {
  to.dram_queueing = std::max(to.dram_queueing, config.dram_queueing);
  if (config.instruction_cache_lines == 0)
    return;
  to.instruction_cache_lines = config.instruction_cache_lines;
  to.instructions_per_line = config.instructions_per_line;
  to.instruction_miss_latency = config.instruction_miss_latency;
  to.instruction_sms = config.instruction_sms;
}

} // namespace

MergedWorkload merge(std::span<const SmWorkload* const> kernels) {
  MergedWorkload out;
  out.sm.config = kernels.front()->config;
  ProgramMerger merger;
  for (const SmWorkload* kernel : kernels) {
    out.kernels.push_back(
        {size_of(out.sm.kinds), size_of(merger.so_far().ops), size_of(merger.so_far().requests)});
    const std::uint32_t first_path = size_of(merger.so_far().path_start);
    for (CtaKind kind : kernel->kinds) {
      for (std::uint32_t& path : kind.warp_paths)
        path += first_path;
      out.sm.kinds.push_back(std::move(kind));
    }
    merger.add(*kernel->program);
    add_config(kernel->config, out.sm.config);
  }
  out.sm.program = std::make_shared<const SmProgram>(std::move(merger).out());
  return out;
}

} // namespace kerncast::engine
