#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "paper_words.h"
#include "tasklist/paper_form.h"

namespace kerncast::tasklist {

namespace {

// 6, not 6.0: the paper prints whole cycles.
std::string latency_text(double latency) {
  const bool whole = latency == std::floor(latency) && std::abs(latency) < 1e15;
  return whole ? fmt::format("{}", static_cast<long long>(latency)) : fmt::format("{}", latency);
}

} // namespace

std::string write_paper(const Tasklist& list, const LatencyOf& latency_of) {
  std::string out;
  for (const Task& task : list.tasks) {
    if (task.kind == TaskKind::exit && &task == &list.tasks.back()) {
      break;
    }
    out += '[' + paper_words(task, list.operations[task.operation]);
    if (latency_of && task.kind == TaskKind::compute) {
      if (const auto latency = latency_of(task)) {
        out += ", " + latency_text(*latency);
      }
    }
    for (const TaskId dependency : list.dependencies(task)) {
      fmt::format_to(std::back_inserter(out), ", {}", std::uint64_t{dependency} + 1);
    }
    out += "]\n";
  }
  return out;
}

} // namespace kerncast::tasklist
