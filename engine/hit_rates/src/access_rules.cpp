// .nc is the read-only path (PTX ISA, Cache Operators), which every architecture caches per SM.
#include "access_rules.h"

#include "tasklist/operation.h"

namespace kerncast::hit_rates {
namespace {

using tasklist::TaskKind;

bool has_part(std::string_view operation, std::string_view wanted) {
  bool found = false;
  tasklist::for_each_part(operation, [&](std::string_view part) { found = found || part == wanted; });
  return found;
}

AccessRule rule_of(const tasklist::Tasklist& list, const tasklist::Task& task, const configs::Gpu& gpu) {
  const std::string_view operation = list.operations[task.operation];
  AccessRule rule;
  rule.effect = task.space == tasklist::Space::constant ? Effect::constant
                : task.kind == TaskKind::store          ? Effect::store
                : task.kind == TaskKind::load           ? Effect::load
                                                        : Effect::atomic;
  const bool read_only = has_part(operation, "nc") || task.space == tasklist::Space::texture;
  rule.is_bulk = has_part(operation, "bulk");
  const bool bypasses = tasklist::passes_l1_by(list, task);
  const bool local = task.space == tasklist::Space::local;
  rule.through_l1 = !bypasses && (local || read_only || gpu.l1_caches_global);
  return rule;
}

} // namespace

std::vector<AccessRule> access_rules(const tasklist::Tasklist& list, const configs::Gpu& gpu) {
  std::vector<AccessRule> rules;
  for (const tasklist::Task& task : list.tasks)
    rules.push_back(tasklist::is_memory(task.kind) ? rule_of(list, task, gpu) : AccessRule{});
  rules.push_back({.effect = Effect::load, .through_l1 = true}); // of spills
  rules.push_back({.effect = Effect::store, .through_l1 = true});
  return rules;
}

} // namespace kerncast::hit_rates
