#include "rewrite/unroll_loops.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "rewrite/function_rewrite.h"
#include "rewrite/loop_registers.h"

namespace kerncast::lowering {

namespace {

using ptx::Operand;
using ptx::OperandKind;
using ptx::RegisterId;

class Unroller {
public:
  Unroller(const InlinedKernel* inlined, const Program& program, std::span<const std::uint32_t> trips)
      : rewrite_(*program.function, inlined), program_(program), reads_(program), old_trips_(trips),
        current_(program.function->registers.size()), in_trip_(program.function->registers.size()) {
    std::iota(current_.begin(), current_.end(), RegisterId{0});
  }

  UnrolledKernel run(std::span<const CompleteLoop> loops) {
    std::size_t next = 0;
    const auto count = static_cast<std::uint32_t>(rewrite_.old().instructions.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      if (next < loops.size() && loops[next].first == i) {
        unroll(loops[next]);
        i = loops[next++].last;
      } else {
        note_old_trips(i);
        rewrite_.keep(i);
      }
    }
    return {std::move(rewrite_).finish(), std::move(trips_)};
  }

private:
  // Trips of loops unrolled before, where this instruction begins them.
  void note_old_trips(std::uint32_t index) {
    const auto [first, last] = std::ranges::equal_range(old_trips_, index);
    trips_.insert(trips_.end(), static_cast<std::size_t>(last - first), rewrite_.size());
  }

  void unroll(const CompleteLoop& loop) {
    const std::vector<LoopRegister> registers = reads_.written_in(loop);
    for (const LoopRegister& as : registers) {
      in_trip_[as.id] = as;
    }
    const std::vector<ptx::LabelId> inside = labels_inside(loop);
    for (std::uint32_t trip = 0; trip < loop.trips; ++trip) {
      is_last_trip_ = trip + 1 == loop.trips;
      for (const LoopRegister& as : registers) {
        in_trip_[as.id].writes = as.writes;
      }
      labels_.clear();
      if (trip > 0) {
        for (const ptx::LabelId label : inside) {
          labels_[label] = rewrite_.new_label(label);
        }
      }
      copy_trip(loop, trip == 0);
    }
    for (const LoopRegister& as : registers) {
      current_[as.id] = as.id;
    }
  }

  // Targets of the body's own branches.
  std::vector<ptx::LabelId> labels_inside(const CompleteLoop& loop) const {
    std::vector<ptx::LabelId> inside;
    const auto& labels = rewrite_.old().labels;
    for (ptx::LabelId label = 0; label < labels.size(); ++label) {
      if (labels[label].instruction > loop.first && labels[label].instruction <= loop.last) {
        inside.push_back(label);
      }
    }
    return inside;
  }

  void copy_trip(const CompleteLoop& loop, bool is_first_trip) {
    trips_.push_back(rewrite_.size());
    for (std::uint32_t i = loop.first; i <= loop.last; ++i) {
      if (is_first_trip) {
        rewrite_.stand_for(i);
      }
      for (const auto& [old, made] : labels_) {
        if (rewrite_.old().labels[old].instruction == i) {
          rewrite_.place_label(made);
        }
      }
      note_old_trips(i);
      if (i != loop.last) { // the way back
        copy(i);
      }
    }
  }

  void copy(std::uint32_t index) {
    const ptx::Function& old = rewrite_.old();
    ptx::Instruction copied = old.instructions[index];
    if (copied.guard != ptx::no_id) {
      copied.guard = current_[copied.guard];
    }
    const auto operands = old.operands(copied);
    const std::size_t results = program_.traits_of(program_.ops[index]).has_result ? 1 : 0;
    renamed_.assign(operands.begin(), operands.end());
    for (std::size_t i = results; i < renamed_.size(); ++i) {
      rename(renamed_[i], false);
    }
    for (std::size_t i = 0; i < std::min(results, renamed_.size()); ++i) {
      rename(renamed_[i], true);
    }
    copied.operands = rewrite_.add_operands(renamed_);
    rewrite_.add(copied, index);
  }

  // Depth is bounded by the grammar: address coordinates and vectors hold plain operands.
  void rename(Operand& operand, bool is_result) {
    const bool is_register =
        operand.kind == OperandKind::reg || (operand.kind == OperandKind::address && operand.name.empty());
    if (is_register && operand.id != ptx::no_id) {
      operand.id = is_result ? written(operand.id) : current_[operand.id];
    }
    if (operand.kind == OperandKind::label && labels_.contains(operand.id)) {
      operand.id = labels_.at(operand.id);
    }
    if (operand.has_elements) {
      const auto elements = rewrite_.old().elements(operand);
      std::vector<Operand> renamed(elements.begin(), elements.end());
      for (Operand& element : renamed) {
        rename(element, is_result);
      }
      operand.set_elements(rewrite_.add_operands(renamed));
    }
  }

  // The name that a write gives its register.
  RegisterId written(RegisterId r) {
    LoopRegister& as = in_trip_[r];
    const bool is_last_write = --as.writes == 0;
    const bool keeps =
        as.naming == Naming::kept || (as.naming == Naming::until_last_trip && is_last_trip_ && is_last_write);
    current_[r] = keeps ? r : rewrite_.new_register(r);
    return current_[r];
  }

  FunctionRewrite rewrite_;
  const Program& program_;
  RegisterReads reads_;
  std::span<const std::uint32_t> old_trips_;
  std::vector<std::uint32_t> trips_; // of the new kernel
  std::vector<RegisterId> current_;  // by register: its name at this place
  // By register: those that the loop writes, with the writes that are left of this trip.
  std::vector<LoopRegister> in_trip_;
  std::vector<Operand> renamed_;                          // of the instruction at hand
  std::unordered_map<ptx::LabelId, ptx::LabelId> labels_; // of this trip
  bool is_last_trip_ = false;
};

} // namespace

UnrolledKernel unroll_loops(const InlinedKernel* inlined, const Program& program,
                            std::span<const CompleteLoop> loops, std::span<const std::uint32_t> trips) {
  return Unroller(inlined, program, trips).run(loops);
}

} // namespace kerncast::lowering
