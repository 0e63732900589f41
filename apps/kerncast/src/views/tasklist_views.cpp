#include "tasklist_views.h"

#include <algorithm>

#include <fmt/format.h>

#include "machine/annotate.h"
#include "machine/instruction_class.h"
#include "tasklist/json.h"
#include "tasklist/paper_form.h"
#include "tasklist/text.h"

namespace kerncast::app {
namespace {

// The machine operations of every task, in program order.
std::vector<std::vector<const machine::MachineOp*>> ops_of_tasks(const AnnotatedList& one) {
  std::vector<std::vector<const machine::MachineOp*>> ops(one.list.tasks.size());
  for (const machine::MachineOp& op : one.program->ops_of_tasks())
    ops[op.task].push_back(&op);
  return ops;
}

std::string op_comment(const machine::MachineOp& op, const configs::Gpu& gpu) {
  return fmt::format("  #   {} latency {} interval {}\n", gpu.units[op.unit].name, op.latency,
                     machine::held_cycles(op));
}

// Our text form, with the machine operations behind each task. Tasks are the indented lines, in order.
std::string annotated_text(const AnnotatedList& one, const configs::Gpu& gpu) {
  const std::vector<std::vector<const machine::MachineOp*>> ops = ops_of_tasks(one);
  const std::string plain = tasklist::write_text(one.list);
  std::string text;
  std::size_t task = 0;
  for (std::size_t begin = 0; begin < plain.size();) {
    const std::size_t end = std::min(plain.find('\n', begin), plain.size() - 1) + 1;
    const std::string_view line = std::string_view(plain).substr(begin, end - begin);
    text += line;
    if (line.starts_with("  ") && task < ops.size())
      for (const machine::MachineOp* op : ops[task++])
        text += op_comment(*op, gpu);
    begin = end;
  }
  text += fmt::format("# on {}: {} machine operations, {} registers per thread estimated\n", gpu.name,
                      one.program->static_instructions(), one.program->registers_estimated);
  if (const std::size_t executed = one.program->ops_of_tasks().size();
      one.program->static_instructions() != executed)
    text += fmt::format("# {} of them without slow paths and shared routines\n", executed);
  for (const std::string& assumption : one.program->assumptions)
    text += fmt::format("# assumption: {}\n", assumption);
  return text;
}

Json machine_json(const std::vector<const machine::MachineOp*>& ops, const configs::Gpu& gpu) {
  Json list = Json::array();
  for (const machine::MachineOp* op : ops)
    list.push_back({{"unit", gpu.units[op->unit].name},
                    {"latency", op->latency},
                    {"issue_interval", machine::held_cycles(*op)}});
  return list;
}

Json kernel_json(const AnnotatedList& one, const std::optional<configs::Gpu>& gpu) {
  const Json list = tasklist::to_json(one.list);
  Json json = {
      {"kernel", one.list.kernel}, {"registers_estimated", nullptr}, {"machine_instructions", nullptr}};
  for (const auto& [key, value] : list.items())
    json[key] = value;
  json["assumptions"] = one.list.assumptions;
  if (!one.program)
    return json;
  json["gpu"] = gpu->name;
  json["registers_estimated"] = one.program->registers_estimated;
  json["machine_instructions"] = one.program->static_instructions();
  const auto classes = machine::count_classes(*one.program, one.list, *gpu);
  for (std::size_t c = 0; c < classes.size(); ++c)
    json["instruction_classes"][machine::instruction_class_names[c]] = classes[c];
  const std::vector<std::vector<const machine::MachineOp*>> ops = ops_of_tasks(one);
  for (std::size_t task = 0; task < ops.size(); ++task)
    json["tasks"][task]["machine"] = machine_json(ops[task], *gpu);
  for (const std::string& assumption : one.program->assumptions)
    json["assumptions"].push_back(assumption);
  return json;
}

} // namespace

std::string tasklists_text(const std::vector<AnnotatedList>& lists, const std::optional<configs::Gpu>& gpu) {
  std::string text;
  for (const AnnotatedList& one : lists) {
    text += text.empty() ? "" : "\n";
    text += one.program ? annotated_text(one, *gpu) : tasklist::write_text(one.list);
  }
  return text;
}

std::string paper_text(const std::vector<AnnotatedList>& lists, const std::optional<configs::Gpu>& gpu) {
  std::string text;
  for (const AnnotatedList& one : lists) {
    // Several kernels need names, one is printed as the paper prints it.
    if (lists.size() > 1)
      text += fmt::format("{}# {}\n", text.empty() ? "" : "\n", one.list.kernel);
    tasklist::LatencyOf latency_of;
    if (gpu)
      latency_of = [&](const tasklist::Task& task) { return machine::summed_latency(one.list, task, *gpu); };
    text += tasklist::write_paper(one.list, latency_of);
  }
  return text;
}

Json tasklists_json(const std::vector<AnnotatedList>& lists, const std::optional<configs::Gpu>& gpu) {
  Json kernels = Json::array();
  for (const AnnotatedList& one : lists)
    kernels.push_back(kernel_json(one, gpu));
  return {{"kernels", std::move(kernels)}};
}

} // namespace kerncast::app
