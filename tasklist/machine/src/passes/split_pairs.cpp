// A 64-bit value is a pair of registers, and an operation computes no half that is known beforehand (seen in
// code of ptxas 13.0 for sm_75 to sm_90): a shift by 32 reads the other register of the pair, one by more is
// a shift of one half; zero-extended values, masks, and shifts by 32 and more have a half that is zero, and
// of a logic operation or a sum with it that half is the other operand's. Values that are written once are
// followed. What wants both halves in a pair, an access or IMAD.WIDE, costs moves of those that are zero or
// come from the other place in a pair. Left out: comparisons (both halves are compared all the same).
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/passes.h"
#include "passes/value_writers.h"
#include "tasklist/integer_text.h"
#include "tasklist/operation.h"
#include "tasklist/text_memo.h"

namespace kerncast::machine {
namespace {

using tasklist::Task;
using tasklist::ValueClass;
using tasklist::ValueId;

enum class Role : std::uint8_t {
  none,
  copy,
  zero_extension,
  lower_half,
  shift_left,
  shift_right,
  arithmetic_shift_right,
  logic_and,
  logic_or,
  logic_xor,
  sum,
  product,
  wide_product,
  wide_sum,
  insertion,
};

struct RoleOf {
  std::string_view operation;
  Role role;
  std::string_view of_one_half = {}; // what computes one half alone
};
constexpr RoleOf roles[] = {
    {"mov.b64", Role::copy},
    {"mov.u64", Role::copy},
    {"cvt.u64.u32", Role::zero_extension},
    {"cvt.s64.u32", Role::zero_extension},
    {"cvt.u64.u16", Role::zero_extension},
    {"cvt.u64.u8", Role::zero_extension},
    {"cvt.u32.u64", Role::lower_half},
    {"cvt.u32.s64", Role::lower_half},
    {"cvt.s32.u64", Role::lower_half},
    {"cvt.s32.s64", Role::lower_half},
    {"cvt.u16.u64", Role::lower_half},
    {"cvt.u16.s64", Role::lower_half},
    {"cvt.s16.s64", Role::lower_half},
    {"shl.b64", Role::shift_left, "shl.b32"},
    {"shr.u64", Role::shift_right, "shr.u32"},
    {"shr.b64", Role::shift_right, "shr.u32"},
    {"shr.s64", Role::arithmetic_shift_right, "shr.s32"},
    {"and.b64", Role::logic_and, "and.b32"},
    {"or.b64", Role::logic_or, "or.b32"},
    {"xor.b64", Role::logic_xor, "xor.b32"},
    {"add.s64", Role::sum, "add.s32"},
    {"add.u64", Role::sum, "add.s32"},
    {"mul.lo.s64", Role::product},
    {"mul.lo.u64", Role::product},
    {"mul.wide.s32", Role::wide_product},
    {"mul.wide.u32", Role::wide_product},
    {"mad.wide.s32", Role::wide_sum},
    {"mad.wide.u32", Role::wide_sum},
    {"bfi.b64", Role::insertion, "shl.b32"},
};

const RoleOf* find_role(std::string_view operation) {
  static constexpr RoleOf none = {"", Role::none}, load = {"", Role::zero_extension};
  const auto* const found = std::ranges::find(roles, operation, &RoleOf::operation);
  if (found != std::end(roles))
    return found;
  const std::string_view type = operation.substr(operation.rfind('.') + 1);
  const bool is_extended = (type.starts_with('u') || type.starts_with('b')) && !type.ends_with("64");
  return operation.starts_with("ld.") && is_extended ? &load : &none;
}

// Without these no value has a half that another operation could leave out.
bool makes_halves(Role role) {
  return role >= Role::shift_left && role != Role::sum && role != Role::wide_product &&
         role != Role::wide_sum;
}

// What is known of 32 bits.
enum class Half : std::uint8_t {
  computed,
  displaced, // lies in the other register of a pair that was written whole
  zero,
  ones,
};
struct Pair {
  Half lower = Half::computed, upper = Half::computed;
  bool is_written_whole = true; // into an even register and the next one
};

constexpr int half_bits = 32;

Half half_of(std::uint64_t bits) {
  const auto half = static_cast<std::uint32_t>(bits);
  return half == 0 ? Half::zero : half == UINT32_MAX ? Half::ones : Half::computed;
}

// With or without a sign.
std::optional<std::uint64_t> number(std::string_view text) {
  if (const auto value = tasklist::integer_of(text))
    return static_cast<std::uint64_t>(*value);
  return tasklist::integer_of<std::uint64_t>(text);
}

// One half of a result.
struct Outcome {
  bool is_operation = false;
  Half half = Half::computed;
};

Outcome outcome_of(Role role, Half a, Half b) {
  const Half neutral = role == Role::logic_and ? Half::ones : Half::zero;
  if (a == neutral || b == neutral)
    return {false, a == neutral ? b : a};
  const bool is_decided = role == Role::logic_and
                              ? a == Half::zero || b == Half::zero
                              : role == Role::logic_or && (a == Half::ones || b == Half::ones);
  return {!is_decided, !is_decided ? Half::computed : role == Role::logic_and ? Half::zero : Half::ones};
}

class PairSplitter {
public:
  explicit PairSplitter(Selection& selection) : selection_(selection), list_(selection.list) {
    thread_local tasklist::TextMemo<const RoleOf*> memo;
    for (const std::string& operation : list_.operations)
      roles_.push_back(memo.of(operation, find_role));
  }

  void run() {
    if (std::ranges::none_of(roles_, [](const RoleOf* r) { return makes_halves(r->role); }))
      return;
    count();
    pairs_.resize(list_.value_classes.size());
    shifts_.resize(list_.value_classes.size());
    for (tasklist::TaskId id = 0; id < list_.tasks.size(); ++id)
      if (Task& task = list_.tasks[id]; !selection_.absorbed[id] && !task.predicated && is_of_pair(task))
        visit(task, id);
    for (const ValueId v : of_one_register_)
      list_.value_classes[v] = ValueClass::b32;
  }

private:
  // By a constant, of a value that is written once.
  struct Shift {
    ValueId source = tasklist::no_id;
    tasklist::TaskId task = tasklist::no_id;
    bool is_left = false;
    int distance = 0;
  };

  void count() {
    writers_ = writers_of_values(list_);
    readers_.assign(list_.value_classes.size(), 0);
    needs_upper_.assign(list_.value_classes.size(), false);
    is_read_whole_.assign(list_.value_classes.size(), false);
    is_wide_product_.assign(list_.value_classes.size(), false);
    for (const Task& task : list_.tasks)
      count_reads(task);
  }

  void count_reads(const Task& task) {
    const Role role = role_of(task).role;
    const bool is_whole = tasklist::is_memory(task.kind) || role == Role::wide_sum ||
                          (role == Role::sum && adds_wide_product(task));
    for (const ValueId v : list_.uses(task)) {
      count_one(readers_[v]);
      needs_upper_[v] = needs_upper_[v] || role != Role::lower_half;
      is_read_whole_[v] = is_read_whole_[v] || is_whole;
    }
    if (role == Role::wide_product)
      for (const ValueId v : list_.definitions(task))
        is_wide_product_[v] = true;
  }

  // Becomes one IMAD.WIDE with it.
  bool adds_wide_product(const Task& sum) const {
    return std::ranges::any_of(list_.uses(sum), [this](ValueId v) { return is_wide_product_[v]; });
  }

  const RoleOf& role_of(const Task& task) const { return *roles_[task.operation]; }

  bool is_of_pair(const Task& task) const {
    if (role_of(task).role == Role::none || task.definitions.count != 1)
      return false;
    const ValueId result = list_.definitions(task).front();
    return list_.value_classes[result] == ValueClass::b64 && writers_[result] == 1;
  }

  void visit(Task& task, tasklist::TaskId id) {
    const RoleOf role = role_of(task);
    Pair& result = pairs_[list_.definitions(task).front()];
    switch (role.role) {
    case Role::copy:
      if (task.uses.count == 1 && task.constants.count == 0)
        result = pairs_[list_.uses(task).front()];
      return;
    case Role::zero_extension:
      result = {Half::computed, Half::zero, false};
      return;
    case Role::shift_left:
    case Role::shift_right:
    case Role::arithmetic_shift_right:
      note_shift(task, role, id);
      return shift(task, role, result);
    case Role::sum:
      if (is_rotation(task))
        return rotate(task);
      [[fallthrough]];
    case Role::logic_and:
    case Role::logic_or:
    case Role::logic_xor:
      return combine(task, role, result);
    case Role::product:
      return multiply(task);
    case Role::insertion:
      return insert(task, role, result);
    case Role::wide_product:
    case Role::wide_sum:
    case Role::none:
    case Role::lower_half:
      return;
    }
  }

  void shift(Task& task, const RoleOf& role, Pair& result) {
    if (task.uses.count == 0 || list_.value_classes[list_.uses(task).front()] != ValueClass::b64)
      return;
    const bool is_left = role.role == Role::shift_left;
    auto [from, to, is_written_whole] = pairs_[list_.uses(task).front()];
    // Bits go from the half that is left behind to the other one.
    if (!is_left)
      std::swap(from, to);
    const int distance = distance_of(task);
    const bool is_far = distance >= half_bits;
    const bool keeps_sign = role.role == Role::arithmetic_shift_right && from != Half::zero;
    const bool leaves_zero = !keeps_sign && (is_far || from == Half::zero);
    const bool shifts = distance != half_bits && (from != Half::zero || (!is_far && to != Half::zero));
    const Half shifted = !shifts && is_written_whole ? Half::displaced : Half::computed;
    const Half left = leaves_zero ? Half::zero : Half::computed;
    result = is_left ? Pair{left, shifted, false} : Pair{shifted, left, false};
    const bool is_left_out = !is_left && !needs_upper_[list_.definitions(task).front()];
    set_operations(task, shifts + !(leaves_zero || is_left_out), role.of_one_half);
  }

  void note_shift(const Task& task, const RoleOf& role, tasklist::TaskId id) {
    if (task.uses.count != 1 || task.constants.count != 1 || role.role == Role::arithmetic_shift_right)
      return;
    const ValueId source = list_.uses(task).front();
    if (writers_[source] == 1 && list_.value_classes[source] == ValueClass::b64)
      shifts_[list_.definitions(task).front()] = {source, id, role.role == Role::shift_left,
                                                  distance_of(task)};
  }

  // A sum of one value shifted to both sides is two SHF, each of both halves (with `or` ptxas does not see
  // it).
  bool is_rotation(const Task& sum) const {
    const auto values = list_.uses(sum);
    if (values.size() != 2 || selection_.isa == nullptr || !selection_.isa->has_row("fused.rotate.b64"))
      return false;
    const Shift &a = shifts_[values[0]], &b = shifts_[values[1]];
    return a.source != tasklist::no_id && a.source == b.source && a.is_left != b.is_left &&
           a.distance + b.distance == 2 * half_bits && a.distance != half_bits && readers_[values[0]] == 1 &&
           readers_[values[1]] == 1;
  }

  void rotate(Task& sum) {
    const Shift a = shifts_[list_.uses(sum)[0]], b = shifts_[list_.uses(sum)[1]];
    selection_.absorbed[a.task] = selection_.absorbed[b.task] = true;
    selection_.set_operation(sum, "fused.rotate.b64");
    selection_.set_uses(sum, std::span(&a.source, 1));
  }

  // Of a distance in a register nothing is known.
  int distance_of(const Task& task) const {
    const auto distance = task.uses.count == 1 && task.constants.count == 1
                              ? number(list_.constants[list_.constants_of(task).front()])
                              : std::nullopt;
    return distance ? static_cast<int>(std::min<std::uint64_t>(*distance, 2 * half_bits)) : 1;
  }

  void combine(Task& task, const RoleOf& role, Pair& result) {
    if (task.uses.count + task.constants.count != 2 || task.uses.count == 0)
      return;
    const auto [a, b] = operands_of(task);
    result.is_written_whole = role.role == Role::sum && adds_wide_product(task);
    if (role.role == Role::sum && a.lower != Half::zero && b.lower != Half::zero)
      return; // it carries
    const Outcome lower = outcome_of(role.role, a.lower, b.lower);
    const Outcome upper = outcome_of(role.role, a.upper, b.upper);
    result = {lower.half, upper.half, false};
    set_operations(task, lower.is_operation + upper.is_operation, role.of_one_half);
  }

  // Two values, or one and a constant.
  std::pair<Pair, Pair> operands_of(const Task& task) const {
    const auto values = list_.uses(task);
    if (values.size() == 2)
      return {pairs_[values[0]], pairs_[values[1]]};
    const auto constant = number(list_.constants[list_.constants_of(task).front()]);
    return {pairs_[values.front()],
            constant ? Pair{half_of(*constant), half_of(*constant >> half_bits)} : Pair{}};
  }

  // IMAD.WIDE of two zero-extended values.
  void multiply(Task& task) {
    if (task.uses.count + task.constants.count != 2 || task.uses.count == 0)
      return;
    const auto [a, b] = operands_of(task);
    if (a.upper == Half::zero && b.upper == Half::zero)
      selection_.set_operation(task, "mul.wide.u32");
  }

  // The lower half of the first operand in one half of the second. Equal constants are listed once.
  void insert(Task& task, const RoleOf& role, Pair& result) {
    if (task.uses.count != 2 || task.constants.count == 0 || task.constants.count > 2)
      return;
    const auto constants = list_.constants_of(task);
    const std::string_view position = list_.constants[constants.front()],
                           length = list_.constants[constants.back()];
    if (length != "32" || (position != "0" && position != "32"))
      return;
    const auto [inserted, base] = operands_of(task);
    result =
        position == "0" ? Pair{inserted.lower, base.upper, false} : Pair{base.lower, inserted.lower, false};
    set_operations(task, 0, role.of_one_half);
  }

  // Halves that are there are no operation, unless they have to lie side by side. One that is zero needs no
  // register.
  void set_operations(Task& task, int operations, std::string_view of_one_half) {
    const ValueId result = list_.definitions(task).front();
    const auto [lower, upper, is_written_whole] = pairs_[result];
    if (is_read_whole_[result])
      operations += moves(lower) + moves(upper);
    else if (lower == Half::zero || upper == Half::zero)
      of_one_register_.push_back(result);
    if (operations == 0) {
      selection_.set_operation(task, "mov.b64");
      selection_.set_constants(task, {});
    } else if (operations == 1) {
      selection_.set_operation(task, of_one_half);
    }
  }

  static int moves(Half half) { return half == Half::zero || half == Half::displaced ? 1 : 0; }

  Selection& selection_;
  tasklist::Tasklist& list_;
  std::vector<const RoleOf*> roles_;  // by operation of the list as it was
  std::vector<std::uint8_t> writers_; // by value; two stand for more
  std::vector<std::uint8_t> readers_; // by value; two stand for more
  std::vector<bool> needs_upper_;     // by value
  // By value: an access or IMAD.WIDE wants both halves side by side.
  std::vector<bool> is_read_whole_;
  std::vector<bool> is_wide_product_; // by value
  std::vector<ValueId> of_one_register_;
  std::vector<Shift> shifts_; // by value
  std::vector<Pair> pairs_;   // by value: what is known of those of 64 bits that are written once
};

} // namespace

void split_pairs(Selection& selection) { PairSplitter(selection).run(); }

} // namespace kerncast::machine
