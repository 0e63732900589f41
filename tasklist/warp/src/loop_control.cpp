// Backwards from the loop's branches over the operations in it, to a fixed point.
#include "warp/loop_control.h"

#include <algorithm>
#include <set>

namespace kerncast::warp {
namespace {

using Slot = std::pair<Pool, std::uint32_t>;

Slot key(SlotId slot) { return {slot.pool, slot.index}; }

class ControlFinder {
public:
  ControlFinder(const Program& program, std::uint32_t loop) : program_(program) {
    for (std::uint32_t b = 0; b < program.blocks.size(); ++b)
      if (program.is_within(program.blocks[b].loop, loop))
        blocks_.push_back(b);
  }

  std::optional<LoopControl> run() {
    for (const std::uint32_t b : blocks_)
      add_deciding(b);
    while (changed_) {
      changed_ = false;
      for (const std::uint32_t b : blocks_)
        for_each_step(b, [this](const Step& step) { follow(step); });
    }
    for (const std::uint32_t b : blocks_)
      for_each_step(b, [this](const Step& step) { refuse_other_writers(step); });
    if (!is_closed_)
      return std::nullopt;
    LoopControl control;
    for (const Slot& slot : written_)
      control.slots.push_back({slot.first, slot.second});
    return control;
  }

private:
  template <class F> void for_each_step(std::uint32_t block, F&& f) const {
    const BlockProgram& b = program_.blocks[block];
    for (std::uint32_t s = b.first_step; s < b.first_step + b.step_count; ++s)
      f(program_.steps[s]);
  }

  void add(SlotId slot) {
    if (slot.pool != Pool::none)
      changed_ = deciding_.insert(key(slot)).second || changed_;
  }

  void add_deciding(std::uint32_t block) {
    const Terminator& t = program_.blocks[block].terminator;
    add(t.guard);
    add(t.index);
    is_closed_ = is_closed_ && (t.kind != Terminator::Kind::indirect || t.index.pool != Pool::none);
    for_each_step(block, [this](const Step& step) {
      if (step.kind == Step::Kind::exit || step.kind == Step::Kind::stop)
        add(step.guard);
    });
  }

  void follow(const Step& step) {
    if (step.kind != Step::Kind::compute)
      return;
    const MicroOp& op = program_.ops[step.index];
    if (!deciding_.contains(key(op.destination)))
      return;
    written_.insert(key(op.destination));
    // Clocks have no sources.
    is_closed_ = is_closed_ && op.source_count > 0 && !has_unknown_result(op.rule);
    add(step.guard);
    for (std::uint32_t i = 0; i < op.source_count; ++i)
      add(op.sources[i]);
  }

  bool decides(SlotId slot) const { return deciding_.contains(key(slot)); }

  // What is not computed must not be among what decides.
  void refuse_other_writers(const Step& step) {
    switch (step.kind) {
    case Step::Kind::compute:
    case Step::Kind::access:
    case Step::Kind::exit:
    case Step::Kind::members:
    case Step::Kind::stop:
      return;
    case Step::Kind::memory: {
      const MemoryOp& op = program_.memory_ops[step.index];
      const bool reads = op.kind == MemoryOp::Kind::load || op.kind == MemoryOp::Kind::atomic;
      is_closed_ =
          is_closed_ && (!reads || std::ranges::none_of(op.data, [this](SlotId d) { return decides(d); }));
      return;
    }
    case Step::Kind::barrier:
      is_closed_ = is_closed_ && !decides(program_.barriers[step.index].destination);
      return;
    default:
      is_closed_ = false;
    }
  }

  const Program& program_;
  std::vector<std::uint32_t> blocks_;
  std::set<Slot> deciding_, written_;
  bool changed_ = false;
  bool is_closed_ = true;
};

const std::uint64_t* equal_lanes(LaneFile& file, SlotId slot, const std::uint64_t* values) {
  if (slot.pool == Pool::predicate)
    return file.predicate(slot.index) == *values ? values + 1 : nullptr;
  const auto same = [&](const auto& lanes) { return std::equal(lanes.begin(), lanes.end(), values); };
  const bool is_same = slot.pool == Pool::word ? same(file.lanes<std::uint32_t>(slot.index))
                                               : same(file.lanes<std::uint64_t>(slot.index));
  return is_same ? values + lanes_per_warp : nullptr;
}

} // namespace

std::vector<std::optional<LoopControl>> loop_controls(const Program& program) {
  std::vector<std::optional<LoopControl>> controls;
  for (std::uint32_t l = 0; l < program.loops.size(); ++l)
    controls.push_back(ControlFinder(program, l).run());
  return controls;
}

void RepeatedStates::remember(Seen& seen, const LoopControl& control, LaneFile& file) const {
  seen.values.clear();
  for (const SlotId slot : control.slots)
    append_lanes(file, slot, seen.values);
  seen.next = 2 * seen.headers;
}

bool RepeatedStates::equals(const Seen& seen, const LoopControl& control, LaneFile& file) {
  const std::uint64_t* values = seen.values.data();
  for (const SlotId slot : control.slots) {
    values = equal_lanes(file, slot, values);
    if (values == nullptr)
      return false;
  }
  return true;
}

bool RepeatedStates::repeats(std::uint32_t loop, std::size_t stack_depth, LaneMask lanes, LaneFile& file) {
  const std::optional<LoopControl>& control = (*controls_)[loop];
  if (!control)
    return false;
  Seen& seen = seen_[loop];
  const bool is_first = seen.headers == 0;
  ++seen.headers;
  if (!is_first && seen.stack_depth == stack_depth && seen.lanes == lanes && equals(seen, *control, file))
    return true;
  if (is_first || seen.headers >= seen.next) {
    seen.stack_depth = stack_depth;
    seen.lanes = lanes;
    remember(seen, *control, file);
  }
  return false;
}

} // namespace kerncast::warp
