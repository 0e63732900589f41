#include "lowering/lower.h"

#include <algorithm>

#include <fmt/format.h>

#include "blocks.h"
#include "emit.h"
#include "lower_program.h"
#include "operands.h"
#include "passes/passes.h"
#include "resources.h"
#include "tasklist/dependencies.h"

namespace kerncast::lowering {

namespace {

// Cycles with several entries are no natural loops: nothing finds their trip counts.
void name_irreducible_cycles(const tasklist::ControlFlow& flow, tasklist::Tasklist& list) {
  for (const tasklist::Edge& edge : tasklist::irreducible_edges(flow)) {
    list.assumptions.push_back(
        fmt::format("line {}: this branch closes a cycle that is also entered elsewhere than at line {}; it "
                    "is not treated as a loop",
                    list.blocks[edge.from].line, list.blocks[edge.to].line));
  }
}

void name_requests_to_cancel(tasklist::Tasklist& list) {
  if (std::ranges::any_of(list.operations, [](const std::string& operation) {
        return operation.starts_with("clusterlaunchcontrol.try_cancel");
      }))
    list.assumptions.emplace_back(
        "clusterlaunchcontrol.try_cancel: no CTA takes over the work of another one, "
        "each is launched");
}

void name_calls(const InlinedKernel& inlined, tasklist::Tasklist& list) {
  list.calls.assign(inlined.calls.begin(), inlined.calls.end());
  list.assumptions.insert(list.assumptions.end(), inlined.assumptions.begin(), inlined.assumptions.end());
  for (tasklist::Task& task : list.tasks) {
    task.call = inlined.call_of[task.instruction];
  }
}

struct Pass {
  std::string_view name;
  bool LowerOptions::*option;
};
constexpr Pass passes[] = {
    {"copies", &LowerOptions::propagate_copies},    {"addresses", &LowerOptions::fold_addresses},
    {"constants", &LowerOptions::fold_constants},   {"common-arithmetic", &LowerOptions::share_arithmetic},
    {"dead-code", &LowerOptions::remove_dead_code}, {"unrolling", &LowerOptions::unroll},
    {"promotion", &LowerOptions::promote_local},    {"vectors", &LowerOptions::join_accesses}};

} // namespace

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names;
  for (const Pass& pass : passes) {
    names.push_back(pass.name);
  }
  return names;
}

bool leave_out(LowerOptions& options, std::string_view name) {
  const auto* pass = std::ranges::find(passes, name, &Pass::name);
  if (pass == std::end(passes)) {
    return false;
  }
  options.*pass->option = false;
  return true;
}

Expected<Program> read_program(const ptx::Module& module, const ptx::Function& kernel) {
  Program program = read_operands(kernel);
  if (auto blocks = find_blocks(program, module.text()); !blocks) {
    return tl::unexpected(std::move(blocks.error()));
  }
  return program;
}

tasklist::Tasklist list_tasks(const ptx::Module& module, Program program, const ProgramFacts& facts,
                              const LowerOptions& options) {
  if (options.clean_up && !is_debug(module)) {
    clean_up(program, facts, options);
  }
  return emit(std::move(program), facts);
}

void finish_list(const ptx::Module& module, const ptx::Function& kernel, const tasklist::ControlFlow& flow,
                 const InlinedKernel* inlined, tasklist::Tasklist& list) {
  tasklist::compute_dependencies(list, flow);
  read_resources(module, kernel, list);
  name_irreducible_cycles(flow, list);
  name_requests_to_cancel(list);
  if (inlined != nullptr) {
    name_calls(*inlined, list);
  }
}

Expected<std::optional<InlinedKernel>> inline_where_needed(const ptx::Module& module,
                                                           const ptx::Function& kernel) {
  if (!needs_inlining(kernel)) {
    auto fits = check_local_memory(module, kernel, local_bytes_of(kernel));
    return fits.map([] { return std::optional<InlinedKernel>{}; });
  }
  return inline_calls(module, kernel).map([](InlinedKernel&& inlined) {
    return std::optional(std::move(inlined));
  });
}

Expected<tasklist::Tasklist> lower(const ptx::Module& module, const ptx::Function& kernel,
                                   const LowerOptions& options) {
  const auto inlined = inline_where_needed(module, kernel);
  if (!inlined) {
    return tl::unexpected(inlined.error());
  }
  const InlinedKernel* const with_calls = *inlined ? &**inlined : nullptr;
  const ptx::Function& function = with_calls != nullptr ? with_calls->function : kernel;
  auto program = read_program(module, function);
  if (!program) {
    return tl::unexpected(std::move(program.error()));
  }
  const ProgramFacts facts(*program);
  tasklist::Tasklist list = list_tasks(module, std::move(*program), facts, options);
  finish_list(module, function, facts.flow, with_calls, list);
  return list;
}

} // namespace kerncast::lowering
