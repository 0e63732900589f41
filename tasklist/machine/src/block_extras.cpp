#include "block_extras.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "convergence.h"
#include "passes/address_operand.h"
#include "tasklist/operation.h"
#include "tasklist/text_memo.h"

namespace kerncast::machine {
namespace {

using tasklist::BlockId;
using tasklist::no_id;
using tasklist::Space;
using tasklist::Task;
using tasklist::TaskKind;
using tasklist::ValueClass;

// How many constants besides a zero an operation takes; one if not listed. Selectors, masks, distances and
// widths have fields of their own.
struct Room {
  std::string_view opcode;
  std::uint32_t constants;
};
constexpr std::uint32_t any_number = UINT32_MAX;
constexpr Room rooms[] = {{"mov", any_number},
                          {"lop3", 2},
                          {"shfl", any_number},
                          {"bfe", any_number},
                          {"bfi", any_number},
                          {"vote", any_number},
                          {"bar", any_number},
                          {"barrier", any_number},
                          {"bra", any_number},
                          {"tex", any_number},
                          {"ldmatrix", any_number},
                          {"cp", any_number},
                          {"nanosleep", any_number},
                          {"prmt", 2},
                          {"shf", 2},
                          {"pmevent", any_number},
                          {"setmaxnreg", any_number},
                          {"wgmma", any_number},
                          {"ret", any_number},
                          {"exit", any_number},
                          {"trap", any_number}};

// In tasks: a constant that was loaded so long ago is loaded again.
constexpr std::uint32_t longest_held = 32;

std::uint32_t room_of(std::string_view operation) {
  if (operation.starts_with("fused."))
    operation.remove_prefix(std::string_view("fused.").size());
  const auto room = std::ranges::find(rooms, operation.substr(0, operation.find('.')), &Room::opcode);
  return room == std::end(rooms) ? 1 : room->constants;
}

bool is_bank(std::string_view constant) { return constant.starts_with("c["); }

bool names_variable(std::string_view constant) {
  const char first = constant.empty() ? '0' : constant.front();
  return !is_bank(constant) && first != '-' && (first < '0' || first > '9') && constant != "inf" &&
         constant != "nan";
}

// An f64 operand in an instruction word has its upper half only.
bool has_lower_half(std::string_view constant) {
  double value = 0;
  const auto parsed = std::from_chars(constant.data(), constant.data() + constant.size(), value);
  return parsed.ec == std::errc{} && (std::bit_cast<std::uint64_t>(value) & UINT32_MAX) != 0;
}

// Whose address lies in vector registers; atomics on half precision are made of them (ptxas 13.0, sm_75).
bool is_compare_and_swap(std::string_view operation) {
  return operation.find(".cas") != operation.npos ||
         (operation.find("f16") != operation.npos && !operation.starts_with("ld") &&
          !operation.starts_with("st"));
}

// What the text of an operation says about its constants.
struct OperationFacts {
  std::uint32_t room = 0;
  bool is_matrix = false, is_f64 = false, is_64 = false;
  bool ends_in_64 = false;
  bool is_of_integers = false;
  bool is_compare_and_swap = false;
  bool is_copy = false;       // asynchronous: its numbers are no data
  std::uint32_t elements = 1; // of an access
  std::uint32_t data = 1;     // operands that a write takes
};

OperationFacts read_facts(std::string_view operation) {
  OperationFacts facts;
  facts.room = room_of(operation);
  facts.is_matrix = operation.starts_with("wmma.");
  facts.is_f64 = operation.ends_with(".f64");
  facts.ends_in_64 = operation.ends_with("64");
  facts.is_64 = facts.ends_in_64 || operation.find(".wide.") != operation.npos;
  facts.is_of_integers = operation.find(".f") == operation.npos && operation.find(".bf") == operation.npos;
  facts.is_compare_and_swap = is_compare_and_swap(operation);
  facts.is_copy = operation.starts_with("cp.async.") || operation.starts_with("spaced.");
  facts.elements = elements_of(operation);
  facts.data = facts.elements * (operation.find(".cas") != operation.npos ? 2 : 1);
  return facts;
}

OperationFacts facts_of_operation(std::string_view operation) {
  thread_local tasklist::TextMemo<OperationFacts> memo;
  return memo.of(operation, read_facts);
}

class Planner {
public:
  Planner(const Selection& selection, const RecipeBook& book, const tasklist::ControlFlow& flow,
          const std::vector<bool>& divergent)
      : selection_(selection), list_(selection.list), book_(book), flow_(flow), divergent_(divergent),
        idoms_(flow.immediate_dominators), outermost_(list_.blocks.size(), no_id) {
    operations_.reserve(list_.operations.size());
    for (const std::string& operation : list_.operations)
      operations_.push_back(facts_of_operation(operation));
    for (std::uint32_t loop = 0; loop < list_.loops.size(); ++loop)
      if (list_.loops[loop].parent == no_id)
        for (const BlockId b : list_.loops[loop].blocks)
          outermost_[b] = loop;
  }

  Extras run() {
    extras_.blocks.resize(list_.blocks.size());
    extras_.reads.resize(list_.tasks.size());
    for (BlockId b = 0; b < list_.blocks.size(); ++b)
      for (std::uint32_t i = 0; i < list_.blocks[b].task_count; ++i)
        if (!selection_.absorbed[list_.blocks[b].first_task + i])
          plan_task(b, list_.blocks[b].first_task + i);
    if (extras_.accesses_matrices)
      place_matrices();
    if (!book_.converge_begin.steps.empty())
      add_convergence();
    return std::move(extras_);
  }

private:
  const OperationFacts& facts_of(const Task& task) const { return operations_[task.operation]; }

  void add_convergence() {
    const Convergence convergence = find_convergence(selection_, flow_, divergent_);
    for (BlockId b = 0; b < list_.blocks.size(); ++b) {
      extras_.blocks[b].convergences_begun = convergence.begun[b];
      extras_.blocks[b].convergences_ended = convergence.ended[b];
    }
  }

  // What the place of a lane's part depends on but for constants behind its address.
  struct MatrixPlace {
    std::uint32_t operation = 0;
    std::vector<tasklist::ValueId> values; // address and stride
    std::vector<std::uint32_t> constants;
    bool operator==(const MatrixPlace&) const = default;
  };

  bool is_of_matrix(const Task& task) const {
    return tasklist::is_memory(task.kind) && facts_of(task).is_matrix;
  }

  MatrixPlace place_of_matrix(const Task& task) const {
    const auto values = list_.uses(task);
    const auto constants = list_.constants_of(task);
    MatrixPlace place{task.operation, {values.begin(), values.end()}, {constants.begin(), constants.end()}};
    if (task.kind == TaskKind::store) { // the data lie between address and stride
      const std::size_t data = task.access_bytes / (facts_of(task).is_f64 ? 8 : 4);
      const std::size_t others = values.size() - std::min(values.size(), data);
      place.values.assign(values.begin(),
                          values.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(others, 1)));
      if (others > 1)
        place.values.push_back(values.back());
    }
    return place;
  }

  void place_matrices() {
    extras_.places_matrix.resize(list_.tasks.size());
    std::vector<MatrixPlace> known;
    for (const tasklist::Block& block : list_.blocks) {
      known.clear();
      for (tasklist::TaskId id = block.first_task; id < block.first_task + block.task_count; ++id) {
        const Task& task = list_.tasks[id];
        if (is_of_matrix(task)) {
          MatrixPlace place = place_of_matrix(task);
          extras_.places_matrix[id] = std::ranges::find(known, place) == known.end();
          if (extras_.places_matrix[id])
            known.push_back(std::move(place));
        }
        for (const tasklist::ValueId v : list_.definitions(task))
          std::erase_if(known, [v](const MatrixPlace& place) {
            return std::ranges::find(place.values, v) != place.values.end();
          });
      }
    }
  }

  void plan_task(BlockId block, std::uint32_t id) {
    const Task& task = list_.tasks[id];
    extras_.accesses_memory |=
        tasklist::is_memory(task.kind) && (task.space == Space::global || task.space == Space::generic);
    extras_.accesses_shared |=
        tasklist::is_memory(task.kind) && (task.space == Space::shared || facts_of(task).is_copy);
    extras_.accesses_matrices |= is_of_matrix(task);
    if (task.constants.count == 0 || book_.constant32.steps.empty())
      return;
    const auto begin = static_cast<std::uint32_t>(extras_.read_pool.size());
    if (tasklist::is_memory(task.kind))
      hold_for_access(block, id);
    else
      hold_surplus(block, id);
    extras_.reads[id] = {begin, static_cast<std::uint32_t>(extras_.read_pool.size()) - begin};
  }

  // Addresses and data lie in registers; a zero is one that needs none, and so is the place of a variable in
  // shared or local memory (LDS [imm]).
  void hold_for_access(BlockId block, tasklist::TaskId id) {
    const Task& task = list_.tasks[id];
    const bool far = task.space == Space::global || task.space == Space::generic;
    for (const std::uint32_t& c : list_.constants_of(task)) {
      const std::string& constant = list_.constants[c];
      const bool is_first = &c == list_.constants_of(task).data();
      if (constant == "0" || (!far && task.space != Space::constant && names_variable(constant)))
        continue;
      if (facts_of(task).is_copy && !is_bank(constant) && !names_variable(constant))
        continue;
      const bool is_base =
          far && (is_bank(constant) || names_variable(constant)) && may_be_address(task, is_first);
      hold(block, id,
           {.constant = c,
            .is_wide = is_base || (facts_of(task).ends_in_64 && !is_bank(constant)),
            .is_loaded = is_loaded(constant),
            .is_uniform = is_base && !book_.uniform64.steps.empty() && !facts_of(task).is_compare_and_swap});
    }
  }

  // Whether a constant of an access may be its address or a base that is added to it, not data: there is no
  // address in a register, or one operand more than that and the data, which comes first.
  bool may_be_address(const Task& task, bool is_first) const {
    const std::uint32_t data = task.kind == TaskKind::load ? 0 : facts_of(task).data;
    const auto is_guard = [&](tasklist::ValueId v) {
      return list_.value_classes[v] == tasklist::ValueClass::predicate;
    };
    const auto guards = static_cast<std::uint32_t>(std::ranges::count_if(list_.uses(task), is_guard));
    return !first_value_is_wide(list_, task, facts_of(task).elements) ||
           (is_first && task.uses.count + task.constants.count > 1 + data + guards);
  }

  void hold_surplus(BlockId block, tasklist::TaskId id) {
    const Task& task = list_.tasks[id];
    const OperationFacts& facts = facts_of(task);
    std::uint32_t room = facts.room;
    bool has_uniform = false;
    // The last ones stay in the instruction: base addresses come last and are read once.
    const auto constants = list_.constants_of(task);
    for (std::size_t i = constants.size(); i-- > 0;) {
      const std::string& constant = list_.constants[constants[i]];
      if (constant == "0")
        continue;
      if (is_loaded(constant)) {
        const bool is_uniform = !facts.is_64 && !has_uniform && takes_uniform(facts);
        has_uniform |= is_uniform;
        hold(block, id,
             {.constant = constants[i], .is_wide = facts.is_64, .is_loaded = true, .is_uniform = is_uniform});
        continue;
      }
      const bool is_split = facts.is_f64 && !is_bank(constant) && has_lower_half(constant);
      if (room > 0 && !is_split)
        room -= room != any_number;
      else
        hold(block, id, {.constant = constants[i], .is_wide = is_split});
    }
  }

  // One operand of an integer instruction may be a uniform register (seen in the code of ptxas 13.0 for
  // sm_90: ISETP, IMAD, LEA, IADD3, not FFMA).
  bool takes_uniform(const OperationFacts& facts) const {
    return !book_.uniform32.steps.empty() && facts.is_of_integers;
  }

  bool is_loaded(std::string_view constant) const {
    return is_bank(constant) && !book_.constant_bank.steps.empty();
  }

  void hold(BlockId block, tasklist::TaskId task, HeldConstant constant) {
    constant.before = outside_of_loops(block, task);
    auto& last_held = last_held_[constant.is_uniform ? 1 : 0];
    if (last_held.empty())
      last_held.assign(list_.constants.size(), no_id);
    std::uint32_t& held = last_held[constant.constant];
    const bool is_near = held != no_id && extras_.constants[held].before <= constant.before &&
                         extras_.constants[held].before >= first_task_of_holder_ &&
                         constant.before - extras_.constants[held].before < longest_held;
    if (!is_near) {
      held = static_cast<std::uint32_t>(extras_.constants.size());
      extras_.constants.push_back(constant);
    }
    extras_.read_pool.push_back(held);
  }

  // The task itself, or the end of the block in front of the outermost loop that it is in.
  tasklist::TaskId outside_of_loops(BlockId block, tasklist::TaskId task) {
    while (outermost_[block] != no_id) {
      const BlockId before = idoms_[list_.loops[outermost_[block]].header];
      if (before == no_id || list_.blocks[before].task_count == 0)
        break;
      block = before;
      task = list_.blocks[block].first_task + list_.blocks[block].task_count - 1;
    }
    first_task_of_holder_ = list_.blocks[block].first_task;
    return task;
  }

  const Selection& selection_;
  const tasklist::Tasklist& list_;
  const RecipeBook& book_;
  const tasklist::ControlFlow& flow_;
  const std::vector<bool>& divergent_; // by value
  std::span<const BlockId> idoms_;
  std::vector<std::uint32_t> outermost_; // by block: loop
  // Of vector and of uniform registers, by constant: index into Extras::constants.
  std::array<std::vector<std::uint32_t>, 2> last_held_;
  std::vector<OperationFacts> operations_;
  tasklist::TaskId first_task_of_holder_ = 0;
  Extras extras_;
};

} // namespace

Extras plan_extras(const Selection& selection, const RecipeBook& book, const tasklist::ControlFlow& flow,
                   const std::vector<bool>& divergent) {
  return Planner(selection, book, flow, divergent).run();
}

} // namespace kerncast::machine
