// Two operations on scalars of half precision become one on pairs (HADD2, HMUL2, HFMA2). Found in code of
// ptxas 13.0 for sm_75 to sm_90:
// - both are the same sum, difference, product, multiply-add, minimum or maximum of one block, and neither
//   waits for the other, however far apart they are;
// - operands at the same place are one value, constants, or two values, which become halves of one register.
//   What is not made as such (by another pair, as neighbours in a load, by conversions and moves) one
//   operation joins (PRMT) for all pairs that read it, even if that is more than is saved;
// - two values have one order in their register, whoever reads them. Elements of a vector are joined with
//   other values only if nothing else reads the rest of it, and all as the same half;
// - operations whose operands lie side by side find each other first, then each takes the next that fits.
// Left out: operations under a guard, loads that would have to move, and the registers of joined values until
// then.
#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "passes/passes.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;
using tasklist::ValueClass;
using tasklist::ValueId;

constexpr std::size_t candidates_tried = 64; // for one operation

bool works_on_halves(std::string_view operation) {
  constexpr std::array<std::string_view, 7> names = {"add.", "sub.", "mul.",      "fma.",
                                                     "min.", "max.", "fused.fma."};
  return std::ranges::any_of(names, [&](std::string_view name) { return operation.starts_with(name); }) &&
         operation.find(".f32") == operation.npos &&
         (operation.ends_with(".f16") || operation.ends_with(".bf16"));
}

struct Halves {
  ValueId low = no_id, high = no_id;
  auto operator<=>(const Halves&) const = default;
};

// How two values can be one operand.
enum class Order : std::uint8_t { impossible, any, as_given, reversed };
Order both(Order a, Order b) {
  if (a == Order::any || a == b)
    return b;
  return b == Order::any ? a : Order::impossible;
}

struct Operand {
  Order order = Order::any;
  bool needs_join = false;
};

// Two operations that can be one.
struct Match {
  TaskId task = no_id, other = no_id; // where both execute, and which moves there
  bool is_reversed = false;           // the first one's values are the upper halves
  bool is_side_by_side = false;       // some operand is
  std::uint32_t joins = 0;
};

class HalfPacker {
public:
  explicit HalfPacker(Selection& selection)
      : selection_(selection), list_(selection.list), place_(list_.tasks.size()),
        partner_(list_.tasks.size()) {
    for (const std::string& operation : list_.operations)
      is_packable_.push_back(works_on_halves(operation));
  }

  void run() {
    if (std::ranges::find(is_packable_, true) == is_packable_.end())
      return;
    describe_values();
    do
      pack_blocks();
    while (keep_vectors_whole() || keep_apart());
    for (const Match& match : matches_)
      merge_tasks(match);
    share_registers();
  }

private:
  bool is_half(ValueId v) const { return list_.value_classes[v] == ValueClass::b16; }

  bool is_candidate(TaskId id) const {
    const Task& task = list_.tasks[id];
    return !selection_.absorbed[id] && !task.predicated && is_packable_[task.operation] &&
           task.definitions.count == 1;
  }

  bool is_copy(const Task& task) const {
    const std::string_view operation = selection_.operation(task);
    return task.definitions.count == 1 && !task.predicated &&
           (operation.starts_with("mov.") || operation.starts_with("cvt."));
  }

  void describe_values() {
    vector_of_.assign(list_.value_classes.size(), no_id);
    can_be_half_.assign(list_.value_classes.size(), true);
    for_each_task([this](TaskId id) { describe_values_of(id); });
    std::ranges::sort(reads_);
    std::ranges::sort(writes_);
  }

  template <class Visit> void for_each_task(Visit visit) {
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (!selection_.absorbed[id])
        visit(id);
  }

  void describe_values_of(TaskId id) {
    const Task& task = list_.tasks[id];
    for (const ValueId v : list_.uses(task))
      if (is_half(v))
        reads_.emplace_back(v, id);
    for (const ValueId v : list_.definitions(task)) {
      if (is_half(v))
        writes_.emplace_back(v, id);
      if (task.definitions.count > 1)
        vector_of_[v] = id;
      can_be_half_[v] = can_be_half_[v] && (is_candidate(id) || is_copy(task));
    }
  }

  // Values that lie side by side: a load's neighbours, halves of a register that is taken apart, and such
  // that are computed to be put together.
  void find_homes(const Task& task) {
    const auto results = list_.definitions(task);
    const bool is_move = selection_.operation(task) == "mov.b32";
    if (results.size() % 2 == 0 && (task.kind == TaskKind::load || is_move))
      for (std::size_t i = 0; i + 1 < results.size(); i += 2)
        if (writers_of(results[i]).size() == 1 && writers_of(results[i + 1]).size() == 1)
          give_home({results[i], results[i + 1]});
    const auto parts = list_.uses(task);
    if (is_move && parts.size() == 2 && can_be_half_[parts[0]] && can_be_half_[parts[1]])
      give_home({parts[0], parts[1]});
  }

  void give_home(Halves home) {
    if (home.low == home.high || !is_half(home.low) || !is_half(home.high) || mate_[home.low] != Halves{} ||
        mate_[home.high] != Halves{})
      return;
    mate_[home.low] = mate_[home.high] = home;
  }

  std::span<const std::pair<ValueId, TaskId>> writers_of(ValueId v) const { return of_value(writes_, v); }
  static std::span<const std::pair<ValueId, TaskId>>
  of_value(const std::vector<std::pair<ValueId, TaskId>>& all, ValueId v) {
    const auto first = std::ranges::lower_bound(all, v, {}, &std::pair<ValueId, TaskId>::first);
    return {first, std::ranges::upper_bound(first, all.end(), v, {}, &std::pair<ValueId, TaskId>::first)};
  }

  void pack_blocks() {
    matches_.clear();
    joined_.clear();
    used_homes_.clear();
    lower_vectors_.clear();
    upper_vectors_.clear();
    mate_.assign(list_.value_classes.size(), {});
    for_each_task([this](TaskId id) { find_homes(list_.tasks[id]); });
    std::iota(place_.begin(), place_.end(), 0);
    std::ranges::fill(partner_, no_id);
    for (const tasklist::Block& block : list_.blocks)
      pack_block(block);
  }

  // Elements of a vector are joined with others only if nothing else reads the rest of it. Returns whether
  // some are that should not.
  bool keep_vectors_whole() {
    std::set<TaskId> joined_vectors = lower_vectors_;
    joined_vectors.insert(upper_vectors_.begin(), upper_vectors_.end());
    const std::size_t before = whole_vectors_.size();
    for (const TaskId id : joined_vectors) {
      std::set<ValueId> joined, others;
      for (const ValueId v : list_.definitions(list_.tasks[id]))
        for (const auto& [value, reader] : of_value(reads_, v))
          (joins(reader, v) ? joined : others).insert(v);
      if (std::ranges::any_of(others, [&](ValueId v) { return joined.size() > joined.count(v); }))
        whole_vectors_.insert(id);
    }
    return whole_vectors_.size() > before;
  }

  // Values that operations write one by one cannot share a register; moves and conversions write one half.
  // Returns whether some do.
  bool keep_apart() {
    bool is_apart = false;
    for (const Halves& home : used_homes_)
      if (!is_written_whole(home)) {
        can_be_half_[home.low] = can_be_half_[home.high] = false;
        is_apart = true;
      }
    return is_apart;
  }

  bool is_written_whole(const Halves& home) const {
    const auto is_whole = [&](const std::pair<ValueId, TaskId>& write) {
      const TaskId partner = is_candidate(write.second) ? partner_[write.second] : no_id;
      return !is_candidate(write.second) || (partner != no_id && mate_[result_of(partner)] == home);
    };
    return std::ranges::all_of(writers_of(home.low), is_whole) &&
           std::ranges::all_of(writers_of(home.high), is_whole);
  }

  bool joins(TaskId reader, ValueId v) const {
    const TaskId partner = is_candidate(reader) ? partner_[reader] : no_id;
    if (partner == no_id)
      return false;
    const auto uses = list_.uses(list_.tasks[reader]), others = list_.uses(list_.tasks[partner]);
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (uses[i] == v && !joined_.contains({v, others[i]}) && !joined_.contains({others[i], v}))
        return false;
    return true;
  }

  // First those with operands side by side, then all that fit.
  void pack_block(const tasklist::Block& block) {
    candidates_.clear();
    for (TaskId id = block.first_task; id < block.first_task + block.task_count; ++id)
      if (is_candidate(id))
        candidates_.push_back(id);
    for (const bool is_side_by_side : {true, false})
      for (std::size_t i = 0; i < candidates_.size(); ++i)
        if (partner_[candidates_[i]] == no_id)
          find_partner(i, is_side_by_side);
  }

  void find_partner(std::size_t index, bool side_by_side) {
    std::size_t tried = 0;
    for (std::size_t i = index + 1; i < candidates_.size() && tried < candidates_tried; ++i) {
      if (partner_[candidates_[i]] != no_id || !are_alike(candidates_[index], candidates_[i]))
        continue;
      ++tried;
      const Match match = match_of(candidates_[index], candidates_[i]);
      if (match.task == no_id || (side_by_side && (!match.is_side_by_side || match.joins != 0)))
        continue;
      accept(match);
      return;
    }
  }

  bool are_alike(TaskId a, TaskId b) const {
    const Task& one = list_.tasks[a];
    const Task& other = list_.tasks[b];
    return one.operation == other.operation && one.uses.count == other.uses.count &&
           one.constants.count == other.constants.count &&
           selection_.code_copies[a] == selection_.code_copies[b];
  }

  Match match_of(TaskId first, TaskId second) const {
    Match match;
    const Operand result = operand_of(result_of(first), result_of(second));
    Order order = result.needs_join ? Order::impossible : result.order;
    match.is_side_by_side = result.order != Order::any;
    const auto uses = list_.uses(list_.tasks[first]), others = list_.uses(list_.tasks[second]);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const Operand operand = operand_of(uses[i], others[i]);
      order = both(order, operand.order);
      match.joins += operand.needs_join ? 1 : 0;
      match.is_side_by_side |= operand.order != Order::any;
    }
    if (order == Order::any && !have_sides(first, second))
      order = Order::reversed;
    match.is_reversed = order == Order::reversed;
    const TaskId low = match.is_reversed ? second : first, high = match.is_reversed ? first : second;
    if (order == Order::impossible || !have_sides(low, high))
      return match;
    if (can_move(second, first))
      std::tie(match.task, match.other) = std::pair(first, second);
    else if (can_move(first, second))
      std::tie(match.task, match.other) = std::pair(second, first);
    return match;
  }

  ValueId result_of(TaskId id) const { return list_.definitions(list_.tasks[id]).front(); }

  // Whether the elements of vectors that the operations join are the halves that others of the vector are.
  bool have_sides(TaskId low, TaskId high) const {
    const auto lows = list_.uses(list_.tasks[low]), highs = list_.uses(list_.tasks[high]);
    const auto is_joined = [&](std::size_t i) { return operand_of(lows[i], highs[i]).needs_join; };
    for (std::size_t i = 0; i < lows.size(); ++i) {
      const TaskId vector = vector_of_[lows[i]], other = vector_of_[highs[i]];
      if (!is_joined(i))
        continue;
      if (upper_vectors_.contains(vector) || lower_vectors_.contains(other))
        return false;
      for (std::size_t j = 0; j < lows.size(); ++j)
        if (vector != no_id && vector == vector_of_[highs[j]] && is_joined(j))
          return false;
    }
    return true;
  }

  Operand operand_of(ValueId a, ValueId b) const {
    if (a == b)
      return {};
    if (!is_half(a) || !is_half(b))
      return {Order::impossible};
    if (mate_[a] == Halves{a, b} || joined_.contains({a, b}))
      return {Order::as_given};
    if (mate_[a] == Halves{b, a} || joined_.contains({b, a}))
      return {Order::reversed};
    if (can_share(a, b))
      return {};
    const bool can_join = !whole_vectors_.contains(vector_of_[a]) && !whole_vectors_.contains(vector_of_[b]);
    return {can_join ? Order::any : Order::impossible, true};
  }

  // Whatever makes them can leave them side by side.
  bool can_share(ValueId a, ValueId b) const {
    return mate_[a] == Halves{} && mate_[b] == Halves{} && can_be_half_[a] && can_be_half_[b];
  }

  // Whether an operation can execute where another one of its block does: its operands are the same there,
  // and nothing in between reads or writes its result. The one operation reads before it writes.
  bool can_move(TaskId task, TaskId to) const {
    const TaskId first = std::min(task, to), last = std::max(task, to);
    const auto is_passed = [&](const std::pair<ValueId, TaskId>& access) {
      return access.second != task && place_[access.second] >= first && place_[access.second] <= last;
    };
    const auto changes = [&](ValueId v) {
      return std::ranges::any_of(writers_of(v), [&](const auto& write) {
        return is_passed(write) && (write.second != to || to < task);
      });
    };
    const auto reads = [&](const std::pair<ValueId, TaskId>& read) {
      return is_passed(read) && (read.second != to || to > task);
    };
    const ValueId result = result_of(task);
    return std::ranges::none_of(list_.uses(list_.tasks[task]), changes) &&
           std::ranges::none_of(writers_of(result), is_passed) &&
           std::ranges::none_of(of_value(reads_, result), reads);
  }

  void accept(const Match& match) {
    const TaskId first = std::min(match.task, match.other), second = std::max(match.task, match.other);
    partner_[first] = second;
    partner_[second] = first;
    place_[match.other] = match.task;
    matches_.push_back(match);
    const TaskId low = match.is_reversed ? second : first, high = match.is_reversed ? first : second;
    const auto lows = list_.uses(list_.tasks[low]), highs = list_.uses(list_.tasks[high]);
    for (std::size_t i = 0; i < lows.size(); ++i)
      put_side_by_side({lows[i], highs[i]});
    put_side_by_side({result_of(low), result_of(high)});
  }

  void put_side_by_side(Halves halves) {
    if (halves.low == halves.high)
      return;
    if (can_share(halves.low, halves.high))
      give_home(halves);
    if (mate_[halves.low] == halves)
      used_homes_.insert(halves);
    else if (joined_.insert(halves).second)
      take_sides(halves);
  }

  void take_sides(Halves halves) {
    if (vector_of_[halves.low] != no_id)
      lower_vectors_.insert(vector_of_[halves.low]);
    if (vector_of_[halves.high] != no_id)
      upper_vectors_.insert(vector_of_[halves.high]);
  }

  void merge_tasks(const Match& match) {
    Task& task = list_.tasks[match.task];
    const Task& other = list_.tasks[match.other];
    std::vector<ValueId> uses(list_.uses(task).begin(), list_.uses(task).end());
    uses.insert(uses.end(), list_.uses(other).begin(), list_.uses(other).end());
    selection_.set_uses(task, uses);
    const ValueId results[] = {result_of(match.task), result_of(match.other)};
    selection_.set_definitions(task, results);
    const std::string packed = fmt::format("{}x2", selection_.operation(task));
    selection_.set_operation(task, match.joins == 0 ? packed : fmt::format("{}.join{}", packed, match.joins));
    selection_.absorbed[match.other] = true;
  }

  // Halves of a register are one value.
  void share_registers() {
    for_each_task([this](TaskId id) { share_registers_of(list_.tasks[id]); });
  }

  void share_registers_of(Task& task) {
    if (const auto uses = list_.uses(task); needs_renaming(uses)) {
      if (task.kind == TaskKind::store)
        take_out(task);
      selection_.set_uses(task, renamed(uses));
    }
    if (const auto results = list_.definitions(task); needs_renaming(results))
      selection_.set_definitions(task, renamed(results));
  }

  bool needs_renaming(std::span<const ValueId> values) const {
    return std::ranges::any_of(values, [this](ValueId v) { return is_upper(v); });
  }

  bool is_upper(ValueId v) const { return mate_[v].high == v && used_homes_.contains(mate_[v]); }

  std::vector<ValueId> renamed(std::span<const ValueId> values) const {
    std::vector<ValueId> names;
    for (const ValueId v : values)
      if (const ValueId name = is_upper(v) ? mate_[v].low : v; std::ranges::find(names, name) == names.end())
        names.push_back(name);
    return names;
  }

  // An upper half that is stored alone is moved; a vector's store puts together what does not lie side by
  // side.
  void take_out(Task& store) {
    const std::string_view operation = selection_.operation(store);
    const std::string_view name = operation.substr(0, operation.find(".pack"));
    const auto halves_of = [this](std::span<const ValueId> values) {
      return std::ranges::count_if(values, [this](ValueId v) { return is_half(v); });
    };
    const auto before = halves_of(list_.uses(store));
    const auto moves = before == 1 ? 1 : halves_of(renamed(list_.uses(store))) - before / 2;
    selection_.set_operation(store, moves > 0 ? fmt::format("{}.pack{}", name, moves) : std::string(name));
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  std::vector<bool> is_packable_; // by operation of the list as it was
  std::vector<Halves> mate_;      // by value: the register that it is a half of
  std::vector<TaskId> vector_of_; // by value: what makes it and others
  std::vector<bool> can_be_half_; // by value: what writes it can leave it beside another
  std::vector<std::pair<ValueId, TaskId>> reads_, writes_; // of halves
  std::vector<TaskId> candidates_;                         // of the block at hand
  std::vector<TaskId> place_;                              // by task: the one with which it executes
  std::vector<TaskId> partner_;                            // by task
  std::vector<Match> matches_;
  std::set<Halves> used_homes_;                    // registers that operations on both halves read or write
  std::set<TaskId> lower_vectors_, upper_vectors_; // whose elements are joined as such halves
  std::set<TaskId> whole_vectors_;                 // whose elements are not joined with others
  std::set<Halves> joined_;                        // copies of values side by side
};

} // namespace

void pack_halves(Selection& selection, const configs::IsaTable& isa) {
  if (isa.has_row("fma.f16x2.join1"))
    HalfPacker(selection).run();
}

} // namespace kerncast::machine
