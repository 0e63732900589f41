// Readers stand behind their writers but in loops, so that one sweep finds nearly all; what it read before it
// found that to be divergent is followed to its readers.
#include "divergence.h"

#include <algorithm>

#include "tasklist/operation.h"
#include "tasklist/text_memo.h"

namespace kerncast::machine {
namespace {

using tasklist::Space;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;
using tasklist::ValueId;

// Special registers that lanes read differently.
constexpr std::string_view lane_registers[] = {"tid",   "laneid",  "lanemask",
                                               "clock", "clock64", "globaltimer"};

bool reads_lane(std::string_view operation) {
  const std::size_t special = operation.find(".special.");
  if (special == std::string_view::npos)
    return operation.starts_with("shfl.");
  const std::string_view source = operation.substr(special + std::string_view(".special.").size());
  return std::ranges::any_of(lane_registers, [&](std::string_view name) { return source.starts_with(name); });
}

// What the text of an operation says about its result.
struct ResultOrigin {
  bool is_of_lane = false;
  bool is_of_warp = false;
};

bool starts_divergent(const Task& task, const ResultOrigin& origin) {
  if (task.kind == TaskKind::load)
    return task.space != Space::param && task.space != Space::constant;
  return task.kind == TaskKind::atomic || origin.is_of_lane;
}

// What all lanes get alike, whatever they put in.
bool is_warp_wide(std::string_view operation) {
  return operation.starts_with("vote.") || operation.starts_with("redux.") ||
         operation.starts_with("activemask");
}

ResultOrigin origin_of_result(std::string_view operation) {
  thread_local tasklist::TextMemo<ResultOrigin> memo;
  return memo.of(operation, [](std::string_view text) {
    return ResultOrigin{reads_lane(text), is_warp_wide(text)};
  });
}

class Spreader {
public:
  explicit Spreader(const Selection& selection)
      : selection_(selection), list_(selection.list), divergent_(list_.value_classes.size(), false),
        is_read_alike_(list_.value_classes.size(), 0) {
    origins_.reserve(list_.operations.size());
    for (const std::string& operation : list_.operations)
      origins_.push_back(origin_of_result(operation));
  }

  std::vector<bool> run() {
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (!selection_.absorbed[id])
        visit(id);
    if (!pending_.empty())
      list_readers();
    while (!pending_.empty()) {
      const ValueId v = pending_.back();
      pending_.pop_back();
      for (std::uint32_t i = first_reader_[v]; i < first_reader_[v + 1]; ++i)
        mark_results(readers_[i]);
    }
    return std::move(divergent_);
  }

private:
  void visit(TaskId id) {
    const Task& task = list_.tasks[id];
    const auto uses = list_.uses(task);
    if (starts_divergent(task, origin_of(id)) ||
        std::ranges::any_of(uses, [&](ValueId v) { return divergent_[v]; }))
      mark_results(id);
    else
      for (const ValueId v : uses)
        is_read_alike_[v] = 1;
  }

  void list_readers() {
    first_reader_.assign(list_.value_classes.size() + 1, 0);
    for_each_read([&](ValueId v, TaskId) { ++first_reader_[v + 1]; });
    for (std::size_t v = 1; v < first_reader_.size(); ++v)
      first_reader_[v] += first_reader_[v - 1];
    readers_.resize(first_reader_.back());
    std::vector<std::uint32_t> next(first_reader_.begin(), first_reader_.end() - 1);
    for_each_read([&](ValueId v, TaskId id) { readers_[next[v]++] = id; });
  }

  template <class Visit> void for_each_read(Visit visit) const {
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (!selection_.absorbed[id])
        for (const ValueId v : list_.uses(list_.tasks[id]))
          visit(v, id);
  }

  const ResultOrigin& origin_of(TaskId id) const { return origins_[list_.tasks[id].operation]; }

  void mark_results(TaskId id) {
    if (origin_of(id).is_of_warp)
      return;
    for (const ValueId v : list_.definitions(list_.tasks[id]))
      if (!divergent_[v]) {
        divergent_[v] = true;
        if (is_read_alike_[v] != 0)
          pending_.push_back(v);
      }
  }

  const Selection& selection_;
  const tasklist::Tasklist& list_;
  std::vector<ResultOrigin> origins_;       // by operation
  std::vector<bool> divergent_;             // by value
  std::vector<std::uint8_t> is_read_alike_; // by value: by a task of which nothing was divergent by then
  std::vector<std::uint32_t> first_reader_; // by value, in readers_; only where something is pending
  std::vector<TaskId> readers_;
  std::vector<ValueId> pending_;
};

} // namespace

std::vector<bool> find_divergent_values(const Selection& selection) { return Spreader(selection).run(); }

} // namespace kerncast::machine
