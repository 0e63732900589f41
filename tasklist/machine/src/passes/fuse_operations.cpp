// Instruction combining. The rules name PTX operations of a producer, of its reader and of the two together;
// a rule whose combination is "fused.X" applies where the ISA table has that row, so which architecture has
// which combination is data: LEA, three-input additions and logic, a predicate combined with another one by
// the comparison itself, a product added to a 64-bit base.
//
// The producer's result must have no other reader. A wide product that is added to several bases is repeated
// (ptxas prefers IMAD.WIDE per address to one product and two 64-bit additions).
#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <unordered_map>
#include <utility>

#include "passes/passes.h"
#include "tasklist/operation.h"
#include "tasklist/text_memo.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;
using tasklist::ValueId;

// What becomes of the operands.
enum class Operands : std::uint8_t {
  all,                   // the combined operation reads all of both
  drop_constants,        // the producer's constant (a shift distance) is part of the operation
  subtract_from_shifted, // so it is where the producer's result is what the reader subtracts from
  three_inputs,          // all, and at most three different ones
  test_of_zero,          // the reader compares with the constant 0 alone
  size_or_zero,          // the producer chooses between 0 and a constant, which is part of the operation
};

struct Rule {
  std::string_view producer;
  std::string_view reader;
  std::string_view combined;
  Operands operands = Operands::all;
  bool repeats = false; // every reader gets the producer's operation
};

constexpr Rule rules[] = {
    {"mul.wide.s32", "add.s64", "fused.mad.wide.s32", Operands::all, true},
    {"mul.wide.u32", "add.s64", "fused.mad.wide.u32", Operands::all, true},
    {"mul.wide.s16", "add.s32", "fused.mad.wide.s16"},
    {"mul.wide.u16", "add.s32", "fused.mad.wide.u16"},
    {"mul.lo.s32", "add.s32", "fused.mad.lo.s32"},
    {"mul.lo.s32", "sub.s32", "fused.mad.lo.s32"},
    {"mul.lo.s16", "add.s16", "fused.mad.lo.s16"},
    {"mul.lo.s64", "add.s64", "fused.mad.lo.s64"},
    {"mul.f32", "add.f32", "fused.fma.f32"},
    {"mul.f32", "sub.f32", "fused.fma.f32"},
    {"mul.ftz.f32", "add.ftz.f32", "fused.fma.f32"},
    {"mul.ftz.f32", "sub.ftz.f32", "fused.fma.f32"},
    {"mul.f64", "add.f64", "fused.fma.f64"},
    {"mul.f64", "sub.f64", "fused.fma.f64"},
    {"mul.f16", "add.f16", "fused.fma.f16"},
    {"mul.f16", "sub.f16", "fused.fma.f16"},
    {"mul.f16x2", "add.f16x2", "fused.fma.f16x2"},
    {"mul.f16x2", "sub.f16x2", "fused.fma.f16x2"},
    {"mul.bf16", "add.bf16", "fused.fma.bf16"},
    {"mul.bf16", "sub.bf16", "fused.fma.bf16"},
    {"mul.bf16x2", "add.bf16x2", "fused.fma.bf16x2"},
    {"mul.bf16x2", "sub.bf16x2", "fused.fma.bf16x2"},
    {"cvt.s64.s32", "shl.b64", "mul.wide.s32"},
    {"cvt.u64.u32", "shl.b64", "mul.wide.u32"},
    {"shl.b32", "add.s32", "fused.lea.b32", Operands::drop_constants},
    {"shl.b64", "add.s64", "fused.lea.b64", Operands::drop_constants},
    {"shl.b32", "sub.s32", "fused.lea.b32", Operands::drop_constants},
    {"shr.b32", "add.s32", "fused.lea.hi.b32", Operands::drop_constants},
    {"shr.b32", "sub.s32", "fused.lea.hi.b32", Operands::subtract_from_shifted},
    {"add.s32", "add.s32", "fused.add3.s32", Operands::three_inputs},
    {"sub.s32", "add.s32", "fused.add3.s32", Operands::three_inputs},
    {"add.s32", "sub.s32", "fused.add3.s32", Operands::three_inputs},
    {"sub.s32", "sub.s32", "fused.add3.s32", Operands::three_inputs},
    {"neg.s32", "add.s32", "sub.s32"},
    {"max.s32", "max.s32", "fused.minmax3.b32"},
    {"max.u32", "max.u32", "fused.minmax3.b32"},
    {"min.s32", "min.s32", "fused.minmax3.b32"},
    {"min.u32", "min.u32", "fused.minmax3.b32"},
    {"add.s32", "max.s32", "fused.add.minmax.b32"},
    {"add.s32", "max.u32", "fused.add.minmax.b32"},
    {"add.s32", "min.s32", "fused.add.minmax.b32"},
    {"add.s32", "min.u32", "fused.add.minmax.b32"},
    {"sub.s32", "max.s32", "fused.add.minmax.b32"},
    {"sub.s32", "max.u32", "fused.add.minmax.b32"},
    {"sub.s32", "min.s32", "fused.add.minmax.b32"},
    {"sub.s32", "min.u32", "fused.add.minmax.b32"},
    {"add.s64", "add.s64", "fused.add3.s64", Operands::three_inputs},
    {"sub.s64", "add.s64", "fused.add3.s64", Operands::three_inputs},
    {"logic.b32", "logic.b32", "fused.lop3.b32", Operands::three_inputs},
    {"fused.lop3.b32", "logic.b32", "fused.lop3.b32", Operands::three_inputs},
    {"logic.b32", "fused.lop3.b32", "fused.lop3.b32", Operands::three_inputs},
    {"fused.lop3.b32", "fused.lop3.b32", "fused.lop3.b32", Operands::three_inputs},
    {"logic.b64", "logic.b64", "fused.lop3.b64", Operands::three_inputs},
    {"fused.lop3.b64", "logic.b64", "fused.lop3.b64", Operands::three_inputs},
    {"logic.b64", "fused.lop3.b64", "fused.lop3.b64", Operands::three_inputs},
    {"fused.lop3.b64", "fused.lop3.b64", "fused.lop3.b64", Operands::three_inputs},
    {"logic.b32", "logic.b64", "fused.lop3.b64", Operands::three_inputs}, // of one half (split_pairs.cpp)
    {"fused.lop3.b32", "logic.b64", "fused.lop3.b64", Operands::three_inputs},
    {"logic.b32", "fused.lop3.b64", "fused.lop3.b64", Operands::three_inputs},
    {"fused.lop3.b32", "fused.lop3.b64", "fused.lop3.b64", Operands::three_inputs},
    {"logic.b32", "setp.zero", "fused.lop3.setp.b32", Operands::test_of_zero},
    {"fused.lop3.b32", "setp.zero", "fused.lop3.setp.b32", Operands::test_of_zero},
    {"setp", "logic.pred", "fused.setp.logic"},
    {"not.pred", "logic.pred", ""},
    {"selp.b32", "cp.async", "", Operands::size_or_zero}, // a predicate tells whether the copy reads
    {"cvt.rn.f16.f32", "mov.b32", "fused.f2fp.one"},      // into one half of a register
    {"cvt.rn.f16.f32", "mov.b32.half", "fused.f2fp.one"},
    {"cvt.rn.f16.f32", "fused.f2fp.one", "fused.f2fp.two"},
};

// The name that rules use for an operation: signs, moduli and roundings that make no difference left out.
struct Alias {
  std::string_view operation;
  std::string_view name;
};
constexpr Alias aliases[] = {
    {"mul.lo.u32", "mul.lo.s32"}, {"mul.lo.u64", "mul.lo.s64"},
    {"mul.lo.u16", "mul.lo.s16"}, {"add.u32", "add.s32"},
    {"add.u64", "add.s64"},       {"sub.u32", "sub.s32"},
    {"sub.u64", "sub.s64"},       {"add.u16", "add.s16"},
    {"and.b32", "logic.b32"},     {"or.b32", "logic.b32"},
    {"xor.b32", "logic.b32"},     {"not.b32", "logic.b32"},
    {"and.b64", "logic.b64"},     {"or.b64", "logic.b64"},
    {"xor.b64", "logic.b64"},     {"not.b64", "logic.b64"},
    {"and.pred", "logic.pred"},   {"or.pred", "logic.pred"},
    {"xor.pred", "logic.pred"},   {"setp.eq.s32", "setp.zero"},
    {"setp.ne.s32", "setp.zero"}, {"setp.eq.b32", "setp.zero"},
    {"setp.ne.b32", "setp.zero"}, {"setp.eq.u32", "setp.zero"},
    {"setp.ne.u32", "setp.zero"}, {"selp.s32", "selp.b32"},
    {"selp.u32", "selp.b32"},     {"cvt.rn.bf16.f32", "cvt.rn.f16.f32"},
    {"shr.u32", "shr.b32"},       {"shr.s32", "shr.b32"},
};

// Numbers of the names that rules use for operations, from 1 on; 0: no rule names the operation.
using NameNumber = std::uint8_t;

class NameTable {
public:
  // Of the producers or of the readers.
  explicit NameTable(std::string_view Rule::*part) {
    for (std::size_t i = 0; i < std::size(rules); ++i)
      of_rule[i] = numbers_.emplace(rules[i].*part, static_cast<NameNumber>(i + 1)).first->second;
    for (const Alias& alias : aliases)
      if (const NameNumber name = find(alias.name); name != 0)
        numbers_.insert_or_assign(alias.operation, name);
  }
  NameNumber find(std::string_view operation) const {
    const auto name = numbers_.find(operation);
    return name == numbers_.end() ? NameNumber{0} : name->second;
  }

  std::array<NameNumber, std::size(rules)> of_rule{};

private:
  std::unordered_map<std::string_view, NameNumber> numbers_;
};

const NameTable& producers() {
  static const NameTable table(&Rule::producer);
  return table;
}

const NameTable& readers() {
  static const NameTable table(&Rule::reader);
  return table;
}

struct RuleNames {
  NameNumber producer = 0, reader = 0;
};

// Rules by the names of both operations: the first one, and from rule to rule the next.
class RuleTable {
public:
  static constexpr std::uint8_t none = std::size(rules);

  RuleTable() {
    for (auto& of_producer : first_)
      of_producer.fill(none);
    for (std::uint8_t i = none; i-- > 0;) {
      const NameNumber producer = producers().of_rule[i];
      next_[i] = std::exchange(first_[producer][readers().of_rule[i]], i);
      repeats_[producer] = repeats_[producer] || rules[i].repeats;
    }
  }

  std::uint8_t first(NameNumber producer, NameNumber reader) const { return first_[producer][reader]; }
  std::uint8_t next(std::uint8_t rule) const { return next_[rule]; }
  // Whether some rule repeats such a producer.
  bool repeats(NameNumber producer) const { return repeats_[producer]; }

private:
  std::array<std::array<std::uint8_t, std::size(rules) + 1>, std::size(rules) + 1> first_{};
  std::array<std::uint8_t, std::size(rules)> next_{};
  std::array<bool, std::size(rules) + 1> repeats_{};
};

const RuleTable& rule_table() {
  static const RuleTable table;
  return table;
}

// As a producer any comparison is a comparison, as a reader any asynchronous copy of an element a copy.
RuleNames find_names(std::string_view operation) {
  const bool is_copy = operation.starts_with("cp.async.ca.") || operation.starts_with("cp.async.cg.");
  return {producers().find(operation.starts_with("setp.") ? "setp" : operation),
          readers().find(is_copy ? "cp.async" : operation)};
}

RuleNames names_of(std::string_view operation) {
  thread_local tasklist::TextMemo<RuleNames> memo;
  return memo.of(operation, find_names);
}

class Fuser {
public:
  Fuser(Selection& selection, const configs::IsaTable& isa)
      : selection_(selection), list_(selection.list), isa_(isa), reads_(list_.value_classes.size(), 0),
        writers_(list_.value_classes.size(), 0), writer_(list_.value_classes.size(), no_id),
        last_write_(list_.value_classes.size(), no_id) {
    operations_.fill(no_id);
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      count_values(id);
  }

  void run() {
    name_operations();
    for (const tasklist::Block& block : list_.blocks)
      combine_block(block);
    repeat_wide_products();
  }

private:
  void count_values(TaskId id) {
    for (const ValueId v : list_.uses(list_.tasks[id]))
      ++reads_[v];
    for (const ValueId v : list_.definitions(list_.tasks[id])) {
      ++writers_[v];
      writer_[v] = id;
    }
  }

  // Rules by the operations of the list: names are compared once per operation, not per task.
  void name_operations() {
    for (std::size_t i = producers_.size(); i < list_.operations.size(); ++i) {
      const RuleNames names = names_of(list_.operations[i]);
      producers_.push_back(names.producer);
      readers_.push_back(names.reader);
    }
  }

  // The first rule whose combination the architecture has.
  const Rule* rule_for(const Task& producer, const Task& reader) {
    const NameNumber first = producers_[producer.operation], second = readers_[reader.operation];
    for (std::uint8_t rule = table_.first(first, second); rule != RuleTable::none; rule = table_.next(rule))
      if (is_there(rule))
        return &rules[rule];
    return nullptr;
  }

  // Looked up for the rules that are asked for, each once.
  bool is_there(std::size_t rule) {
    if (!is_known_[rule]) {
      is_known_[rule] = true;
      is_there_[rule] = !rules[rule].combined.starts_with("fused.") || isa_.has_row(rules[rule].combined);
    }
    return is_there_[rule];
  }

  bool is_candidate(const Task& producer) const {
    return producers_[producer.operation] != 0 && !producer.predicated && producer.definitions.count == 1 &&
           producer.kind == TaskKind::compute;
  }

  // What the producer reads is the same where the reader is: it has one writer, or none in between in the one
  // block that both are in.
  bool operands_last_until(TaskId producer, TaskId reader) {
    const auto is_same = [&](ValueId v) { return writers_[v] <= 1; };
    const auto uses = list_.uses(list_.tasks[producer]);
    if (std::ranges::all_of(uses, is_same))
      return true;
    return producer < reader && block_of(producer) == block_of(reader) &&
           std::ranges::all_of(
               uses, [&](ValueId v) { return is_same(v) || !is_written_between(v, producer, reader); });
  }

  std::ptrdiff_t block_of(TaskId id) const {
    return std::ranges::upper_bound(list_.blocks, id, {}, &tasklist::Block::first_task) -
           list_.blocks.begin();
  }

  bool is_written_between(ValueId v, TaskId first, TaskId last) {
    if (rewrites_.empty())
      find_rewrites();
    const auto next = std::ranges::lower_bound(rewrites_, std::pair{v, first});
    return next != rewrites_.end() && next->first == v && next->second < last;
  }

  void find_rewrites() {
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      for (const ValueId v : list_.definitions(list_.tasks[id]))
        if (writers_[v] > 1)
          rewrites_.emplace_back(v, id);
    std::ranges::sort(rewrites_);
  }

  // A wide product whose readers are all additions goes into each of them, in whatever block its operands
  // last.
  void repeat_wide_products() {
    if (std::ranges::none_of(producers_, [&](NameNumber producer) { return table_.repeats(producer); }))
      return;
    std::vector<std::uint32_t> additions(list_.value_classes.size(), 0);
    const auto product_of = [&](const Task& sum) { // the first, if it adds two
      const auto uses = list_.uses(sum);
      const auto product =
          std::ranges::find_if(uses, [&](ValueId v) { return producer_to_repeat(v, sum) != no_id; });
      return product == uses.end() ? no_id : *product;
    };
    for_each_reader([&](Task& task) {
      if (const ValueId product = product_of(task); product != no_id)
        ++additions[product];
    });
    for_each_reader([&](Task& task) {
      if (const ValueId product = product_of(task); product != no_id && additions[product] == reads_[product])
        absorb(writer_[product], task, product, *rule_for(list_.tasks[writer_[product]], task));
    });
  }

  template <class Visit> void for_each_reader(Visit visit) {
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (!selection_.absorbed[id] && readers_[list_.tasks[id].operation] != 0)
        visit(list_.tasks[id]);
  }

  TaskId producer_to_repeat(ValueId v, const Task& reader) {
    if (writers_[v] != 1)
      return no_id;
    const Task& producer = list_.tasks[writer_[v]];
    if (!table_.repeats(producers_[producer.operation]))
      return no_id;
    const Rule* rule = is_candidate(producer) ? rule_for(producer, reader) : nullptr;
    const auto reader_id = static_cast<TaskId>(&reader - list_.tasks.data());
    return rule != nullptr && rule->repeats && operands_last_until(writer_[v], reader_id) ? writer_[v]
                                                                                          : no_id;
  }

  void combine_block(const tasklist::Block& block) {
    for (TaskId id = block.first_task; id < block.first_task + block.task_count; ++id) {
      while (readers_[list_.tasks[id].operation] != 0 && combine_with_producer(block, id)) {
      }
      for (const ValueId v : list_.definitions(list_.tasks[id]))
        last_write_[v] = id;
    }
  }

  bool combine_with_producer(const tasklist::Block& block, TaskId id) {
    Task& reader = list_.tasks[id];
    for (const ValueId v : list_.uses(reader)) {
      const TaskId producer = writers_[v] == 1 && reads_[v] == 1 ? writer_[v] : no_id;
      if (producer == no_id || producer < block.first_task || producer >= id || selection_.absorbed[producer])
        continue;
      const Task& task = list_.tasks[producer];
      const Rule* rule =
          is_candidate(task) && operands_last_from(producer) ? rule_for(task, reader) : nullptr;
      if (rule == nullptr || !operands_fit(*rule, task, reader))
        continue;
      absorb(producer, reader, v, *rule);
      return true;
    }
    return false;
  }

  // What the producer reads is not written again before the task at hand.
  bool operands_last_from(TaskId producer) const {
    return std::ranges::all_of(list_.uses(list_.tasks[producer]), [&](ValueId v) {
      return last_write_[v] == no_id || last_write_[v] < producer;
    });
  }

  // Of the producer and, but for its result, of the reader.
  std::size_t different_inputs(const Task& producer, const Task& reader) const {
    const auto count = [](auto of_producer, auto of_reader) {
      return of_producer.size() + std::ranges::count_if(of_reader, [&](auto input) {
               return std::ranges::find(of_producer, input) == of_producer.end();
             });
    };
    return count(list_.uses(producer), list_.uses(reader)) - 1 +
           count(list_.constants_of(producer), list_.constants_of(reader));
  }

  bool operands_fit(const Rule& rule, const Task& producer, const Task& reader) const {
    switch (rule.operands) {
    case Operands::all:
      return true;
    case Operands::subtract_from_shifted:
      if (reader.uses.count != 2 || list_.uses(reader).front() != list_.definitions(producer).front())
        return false;
      [[fallthrough]];
    case Operands::drop_constants:
      return producer.uses.count == 1 && producer.constants.count == 1;
    case Operands::three_inputs:
      return different_inputs(producer, reader) <= 3;
    case Operands::size_or_zero:
      return producer.uses.count == 1 && producer.constants.count == 2 &&
             list_.constants[list_.constants_of(producer)[1]] == "0";
    case Operands::test_of_zero:
      return reader.constants.count == 1 && list_.constants[list_.constants_of(reader)[0]] == "0";
    }
    return false;
  }

  static bool drops_constants(const Rule& rule) {
    return rule.operands == Operands::drop_constants || rule.operands == Operands::subtract_from_shifted ||
           rule.operands == Operands::size_or_zero;
  }

  void absorb(TaskId producer, Task& reader, ValueId result, const Rule& rule) {
    const Task task = list_.tasks[producer];
    uses_.clear();
    constants_.clear();
    const auto add = [](auto& to, auto from) {
      if (std::ranges::find(to, from) == to.end())
        to.push_back(from);
    };
    for (const ValueId v : list_.uses(task))
      add(uses_, v);
    for (const ValueId v : list_.uses(reader))
      if (v != result)
        add(uses_, v);
    if (!drops_constants(rule))
      for (const std::uint32_t c : list_.constants_of(task))
        add(constants_, c);
    for (const std::uint32_t c : list_.constants_of(reader))
      add(constants_, c);
    // All readers of a repeated product are rewritten, so its operands are counted in place of it.
    for (const ValueId v : list_.uses(task))
      reads_[v] += selection_.absorbed[producer] ? 1 : 0;
    selection_.absorbed[producer] = true;
    selection_.set_uses(reader, uses_);
    selection_.set_constants(reader, constants_);
    if (rule.combined.empty())
      return;
    std::uint32_t& operation = operations_[static_cast<std::size_t>(&rule - rules)];
    if (operation == no_id) {
      selection_.set_operation(reader, rule.combined);
      operation = reader.operation;
      name_operations();
    }
    reader.operation = operation;
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  const configs::IsaTable& isa_;
  const RuleTable& table_ = rule_table();
  std::bitset<std::size(rules)> is_known_, is_there_; // by rule
  std::array<std::uint32_t, std::size(rules)>
      operations_;                                   // by rule: that of its combination, once it is named
  std::vector<std::uint32_t> reads_;                 // by value
  std::vector<std::uint32_t> writers_;               // by value
  std::vector<TaskId> writer_;                       // by value: the last
  std::vector<TaskId> last_write_;                   // by value: the last before the task at hand
  std::vector<NameNumber> producers_, readers_;      // by operation: their names in the rules
  std::vector<std::pair<ValueId, TaskId>> rewrites_; // of values with several writers, by value
  std::vector<ValueId> uses_;                        // of the combination at hand
  std::vector<std::uint32_t> constants_;
};

} // namespace

void fuse_operations(Selection& selection, const configs::IsaTable& isa) { Fuser(selection, isa).run(); }

} // namespace kerncast::machine
