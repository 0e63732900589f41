#include "tasklist/json.h"

#include <nlohmann/json.hpp>

#include "tasklist/operation.h"

namespace kerncast::tasklist {

namespace {

using Json = nlohmann::ordered_json;

Json task_json(const Tasklist& list, const Task& task, BlockId block) {
  const auto id = static_cast<TaskId>(&task - list.tasks.data());
  Json json = {{"id", id},
               {"operation", list.operations[task.operation]},
               {"kind", name(task.kind)},
               {"block", block},
               {"line", task.line},
               {"source_line", task.source_line},
               {"predicated", task.predicated},
               {"dependencies", list.dependencies(task)},
               {"defines", list.definitions(task)},
               {"uses", list.uses(task)},
               {"constants", Json::array()}};
  for (const std::uint32_t constant : list.constants_of(task)) {
    json["constants"].push_back(list.constants[constant]);
  }
  if (is_memory(task.kind)) {
    json["space"] = name(task.space);
    json["access_bytes"] = task.access_bytes;
    json["access"] = task.access;
    if (task.base != no_id) {
      json["base"] = task.base;
      json["offset"] = task.offset;
    }
  }
  if (task.call != no_id) {
    json["call"] = task.call;
  }
  if (!list.stated_latency.empty()) {
    json["stated_latency"] = list.stated_latency[id];
  }
  return json;
}

Json block_json(const Block& block) {
  Json json = {{"first_task", block.first_task},
               {"task_count", block.task_count},
               {"successors", block.successors},
               {"label", block.label},
               {"line", block.line}};
  if (block.no_unroll) {
    json["no_unroll"] = true;
  }
  return json;
}

Json parameter_json(const Parameter& parameter) {
  return {{"name", parameter.name},
          {"bytes", parameter.bytes},
          {"offset", parameter.offset},
          {"is_pointer", parameter.is_pointer},
          {"is_float", parameter.is_float}};
}

template <class T, class F> Json array_of(const std::vector<T>& elements, F&& f) {
  Json json = Json::array();
  for (const T& element : elements) {
    json.push_back(f(element));
  }
  return json;
}

} // namespace

Json to_json(const Tasklist& list) {
  Json tasks = Json::array();
  for (BlockId block = 0; block < list.blocks.size(); ++block) {
    for (const Task& task : list.tasks_of(list.blocks[block])) {
      tasks.push_back(task_json(list, task, block));
    }
  }
  return {{"kernel", list.kernel},
          {"target", list.target},
          {"parameters", array_of(list.parameters, parameter_json)},
          {"static_shared_bytes", list.static_shared_bytes},
          {"local_bytes_per_thread", list.local_bytes_per_thread},
          {"max_threads_per_cta", list.max_threads_per_cta},
          {"min_ctas_per_sm", list.min_ctas_per_sm},
          {"max_registers", list.max_registers},
          {"debug", list.is_debug},
          {"calls", list.calls},
          {"values", array_of(list.value_classes, [](ValueClass c) { return Json(name(c)); })},
          {"tasks", std::move(tasks)},
          {"blocks", array_of(list.blocks, block_json)},
          {"loops", array_of(list.loops,
                             [](const Loop& loop) {
                               return Json{{"header", loop.header}, {"blocks", loop.blocks}};
                             })},
          {"assumptions", list.assumptions}};
}

} // namespace kerncast::tasklist
