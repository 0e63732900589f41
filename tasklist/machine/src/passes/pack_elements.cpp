// Elements of 8 and 16 bits that a vector load brings, or a vector store takes, lie side by side in
// registers: code takes them apart and puts them together (PRMT). Found in code of ptxas 13.0 for sm_75 to
// sm_90:
// - a byte is taken out by whatever reads it, a half if it is the upper one; conversions to floating point,
//   arithmetic in half precision and stores that put halves together choose it themselves, if they are not
//   another operation than that of bytes (I2FP on sm_90); of signed bytes the first one is extended for
//   nothing;
// - a store puts bytes together in one operation less than they are, halves in one per pair, but not what a
//   load brought side by side;
// - half a register is filled up with a constant, as where bf16 becomes f32, in one.
// Left out: loads narrowed to the elements that are read.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "isa_rows.h"
#include "passes/passes.h"

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::Task;
using tasklist::TaskId;
using tasklist::TaskKind;
using tasklist::ValueId;

struct Elements {
  std::uint32_t count = 0; // 0: no vector of such elements
  bool are_bytes = false, are_signed = false;
};

Elements small_elements_of(std::string_view operation) {
  const std::string_view type = operation.substr(operation.rfind('.') + 1);
  const bool are_bytes = type == "u8" || type == "s8" || type == "b8";
  if (!are_bytes && type != "u16" && type != "s16" && type != "b16")
    return {};
  const std::uint32_t count = elements_of(operation);
  return {count > 1 ? count : 0, are_bytes, type.front() == 's'};
}

class Packer {
public:
  explicit Packer(Selection& selection)
      : selection_(selection), list_(selection.list),
        byte_conversion_(row_of(selection.isa, "cvt.rn.f32.u8")) {
    for (const std::string& operation : list_.operations)
      elements_.push_back(small_elements_of(operation));
  }

  void run() {
    const auto is_vector = [](const Elements& elements) { return elements.count != 0; };
    if (std::ranges::none_of(elements_, is_vector))
      return;
    loaded_.resize(list_.value_classes.size());
    taken_out_.assign(list_.tasks.size(), 0);
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (!selection_.absorbed[id])
        visit(id);
    for (TaskId id = 0; id < list_.tasks.size(); ++id)
      if (const auto operations = static_cast<std::uint32_t>(std::popcount(taken_out_[id])); operations != 0)
        rename(list_.tasks[id], "unpack", operations);
  }

private:
  struct Element {
    TaskId load = no_id;
    std::uint32_t index = 0;
  };

  void visit(TaskId id) {
    Task& task = list_.tasks[id];
    // Passes before this one add operations that are no vectors.
    const Elements elements = task.operation < elements_.size() ? elements_[task.operation] : Elements{};
    const bool packs = task.kind == TaskKind::store && elements.count != 0;
    if (!packs || !stores_as_loaded(task, elements))
      for (const ValueId v : list_.uses(task))
        read(v, task, packs && !elements.are_bytes);
    if (packs)
      pack(task, elements);
    const auto results = list_.definitions(task);
    for (std::uint32_t i = 0; i < results.size(); ++i)
      loaded_[results[i]] =
          task.kind == TaskKind::load && elements.count == results.size() ? Element{id, i} : Element{};
  }

  void read(ValueId v, const Task& reader, bool puts_halves_together) {
    const auto [load, index] = loaded_[v];
    if (load == no_id)
      return;
    const Elements elements = elements_[list_.tasks[load].operation];
    const bool is_ready =
        elements.are_bytes ? elements.are_signed && index == 0 : index % 2 == 0 || puts_halves_together;
    if (!is_ready && !chooses(reader, elements))
      taken_out_[load] |= 1u << index;
  }

  // Whether an operation can read part of a register.
  bool chooses(const Task& reader, const Elements& elements) const {
    const std::string_view operation = selection_.operation(reader);
    if (!elements.are_bytes &&
        (operation.find(".f16") != operation.npos || operation.find(".bf16") != operation.npos))
      return true;
    if (!operation.starts_with("cvt.") || operation.find(".f") == operation.npos)
      return false;
    return !elements.are_bytes || is_like_byte_conversion(selection_.rows[reader.operation]);
  }

  bool is_like_byte_conversion(const configs::IsaRow* row) const {
    return row != nullptr && byte_conversion_ != nullptr && !row->machine.empty() &&
           !byte_conversion_->machine.empty() &&
           row->machine.front().unit == byte_conversion_->machine.front().unit;
  }

  bool stores_as_loaded(const Task& store, const Elements& elements) const {
    const auto uses = list_.uses(store);
    for (std::size_t first = 0; first + elements.count <= uses.size(); ++first) {
      const TaskId load = loaded_[uses[first]].load;
      if (load != no_id && elements_[list_.tasks[load].operation].are_bytes == elements.are_bytes &&
          std::ranges::equal(list_.definitions(list_.tasks[load]), uses.subspan(first, elements.count)))
        return true;
    }
    return false;
  }

  void pack(Task& store, const Elements& elements) {
    const auto is_data = [&](ValueId v) { return list_.value_classes[v] == tasklist::ValueClass::b16; };
    if (stores_as_loaded(store, elements) || std::ranges::none_of(list_.uses(store), is_data))
      return;
    rename(store, "pack", elements.are_bytes ? elements.count - 1 : elements.count / 2);
  }

  void rename(Task& task, std::string_view what, std::uint32_t operations) {
    selection_.set_operation(task, fmt::format("{}.{}{}", selection_.operation(task), what, operations));
  }

  Selection& selection_;
  tasklist::Tasklist& list_;
  const configs::IsaRow* byte_conversion_;
  std::vector<Elements> elements_;       // by operation of the list as it was
  std::vector<Element> loaded_;          // by value: at this place
  std::vector<std::uint32_t> taken_out_; // by task: of a load, a bit for each element
};

// mov.b32 d, {0, h}: one half and a constant.
bool fills_up_half(const tasklist::Tasklist& list, const Task& task) {
  const auto uses = list.uses(task), results = list.definitions(task);
  return uses.size() == 1 && results.size() == 1 &&
         list.value_classes[uses.front()] == tasklist::ValueClass::b16 &&
         list.value_classes[results.front()] == tasklist::ValueClass::b32;
}

void name_filled_halves(Selection& selection) {
  tasklist::Tasklist& list = selection.list;
  const auto move = std::ranges::find(list.operations, "mov.b32") - list.operations.begin();
  for (TaskId id = 0; id < list.tasks.size(); ++id)
    if (Task& task = list.tasks[id];
        task.operation == move && !selection.absorbed[id] && fills_up_half(list, task))
      selection.set_operation(task, "mov.b32.half");
}

} // namespace

void pack_elements(Selection& selection, const configs::IsaTable& isa) {
  if (isa.has_row("st.pack1"))
    Packer(selection).run();
  if (isa.has_row("mov.half"))
    name_filled_halves(selection);
}

} // namespace kerncast::machine
