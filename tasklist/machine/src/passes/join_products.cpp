// Both halves of a product of 32-bit numbers, mul.lo and mul.hi of the same operands, are one IMAD.WIDE (seen
// in code of ptxas 13.0 for sm_75 to sm_90, for either order and sign). Within blocks, of operands that are
// written once. Left out: mad.lo and mad.hi.
#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "passes/passes.h"
#include "passes/value_writers.h"
#include "support/mix_bits.h"

namespace kerncast::machine {
namespace {

using tasklist::Task;
using tasklist::TaskId;
using tasklist::ValueId;

enum class ProductHalf : std::uint8_t { lower, upper };
struct HalfOf {
  std::string_view operation;
  ProductHalf half;
  std::string_view product; // that has both
};
constexpr HalfOf halves[] = {
    {"mul.lo.u32", ProductHalf::lower, ""},
    {"mul.lo.s32", ProductHalf::lower, ""},
    {"mul.hi.u32", ProductHalf::upper, "mul.wide.u32"},
    {"mul.hi.s32", ProductHalf::upper, "mul.wide.s32"},
};

class ProductJoiner {
public:
  explicit ProductJoiner(Selection& selection) : selection_(selection), list_(selection.list) {
    for (const std::string& operation : list_.operations) {
      const auto* const found = std::ranges::find(halves, operation, &HalfOf::operation);
      halves_.push_back(found == std::end(halves) ? nullptr : found);
    }
  }

  void run() {
    const auto is_upper = [](const HalfOf* half) {
      return half != nullptr && half->half == ProductHalf::upper;
    };
    if (std::ranges::none_of(halves_, is_upper))
      return;
    writers_ = writers_of_values(list_);
    for (const tasklist::Block& block : list_.blocks) {
      first_of_.clear();
      for (TaskId id = block.first_task; id < block.first_task + block.task_count; ++id)
        if (is_half(id))
          join_with_other(id);
    }
  }

private:
  bool is_half(TaskId id) const {
    const Task& task = list_.tasks[id];
    const auto is_written_once = [this](ValueId v) { return writers_[v] <= 1; };
    return task.operation < halves_.size() && halves_[task.operation] != nullptr &&
           !selection_.absorbed[id] && !task.predicated &&
           std::ranges::all_of(list_.uses(task), is_written_once) &&
           std::ranges::all_of(list_.definitions(task), is_written_once);
  }

  // The first one brings both results.
  void join_with_other(TaskId id) {
    const auto [known, is_new] = first_of_.try_emplace(key_of(list_.tasks[id]), id);
    if (is_new)
      return;
    Task& first = list_.tasks[known->second];
    const Task& second = list_.tasks[id];
    const HalfOf *one = halves_[first.operation], *other = halves_[second.operation];
    if (one->half == other->half || !has_same_operands(first, second))
      return;
    const std::array results = {list_.definitions(first).front(), list_.definitions(second).front()};
    selection_.set_operation(first, one->half == ProductHalf::upper ? one->product : other->product);
    selection_.set_definitions(first, results);
    selection_.absorbed[id] = true;
    first_of_.erase(known);
  }

  // The same in either order.
  std::uint64_t key_of(const Task& task) const {
    std::uint64_t key = 0;
    for (const ValueId v : list_.uses(task))
      key += mix_bits(v + 1);
    for (const std::uint32_t c : list_.constants_of(task))
      key += mix_bits(~static_cast<std::uint64_t>(c));
    return key;
  }

  bool has_same_operands(const Task& a, const Task& b) const {
    return std::ranges::is_permutation(list_.uses(a), list_.uses(b)) &&
           std::ranges::equal(list_.constants_of(a), list_.constants_of(b));
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  std::vector<const HalfOf*> halves_;                  // by operation of the list as it was
  std::vector<std::uint8_t> writers_;                  // by value; two stand for more
  std::unordered_map<std::uint64_t, TaskId> first_of_; // in the block, by operands
};

} // namespace

// Not where a wide product is made of several.
void join_products(Selection& selection, const configs::IsaTable& isa) {
  const configs::IsaRow* const product = isa.find("mul.wide.u32");
  if (product != nullptr && product->machine.size() == 1 && product->machine.front().count == 1)
    ProductJoiner(selection).run();
}

} // namespace kerncast::machine
