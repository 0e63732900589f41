// Inlining with an explicit stack of functions being copied, so that call depth costs no machine stack.
#include "lowering/inline_calls.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "callee.h"
#include "function_copy.h"
#include "resources.h"

namespace kerncast::lowering {

namespace {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;

// Thirty times the largest function seen in practice; stops call trees that double at every level.
constexpr std::size_t instruction_limit = 1'000'000;

// A result that is moved when the callee has returned.
struct ResultMove {
  Operand actual; // caller's
  Operand formal; // callee's
  ptx::Type type = ptx::Type::none;
};

// A call whose functions are copied: one, or behind a branch to them all that an indirect call may reach.
struct Call {
  const ptx::Instruction* instruction = nullptr;
  std::vector<const ptx::Function*> functions;
  std::size_t next = 0;              // function to copy
  std::vector<ptx::LabelId> entries; // of the functions' copies; none where there is no choice
  ptx::LabelId joined = ptx::no_id;  // behind all of them, and where a call whose guard is false goes on
};

struct Frame {
  FunctionInstance instance;
  std::uint32_t next = 0;             // instruction to copy
  ptx::LabelId returned = ptx::no_id; // where ret goes: before the results; no_id in the kernel itself
  std::optional<Call> call;           // that it has come to
  std::uint64_t local_bytes = 0;      // of its .local variables and those of its callers
  std::vector<ResultMove> results;
  std::optional<Operand> stack; // where it ended before the call, if the callee takes from it
};

// Of a function of the driver, by FunctionCopy::add_system_call.
bool is_kept(const ptx::Function& kernel, const ptx::Instruction& call) {
  const auto arguments = kernel.elements(kernel.operands(call)[2]);
  return !arguments.empty() && arguments[0].kind == OperandKind::reg &&
         kernel.registers[arguments[0].id].name.starts_with(made_register);
}

bool is_guarded_table(const ptx::Instruction& branch) {
  return branch.opcode == Opcode::brx && branch.guard != ptx::no_id;
}

bool takes_stack(const ptx::Function& function) {
  return std::ranges::any_of(function.instructions,
                             [](const ptx::Instruction& i) { return i.opcode == Opcode::alloca; });
}

class Inliner {
public:
  Inliner(const ptx::Module& module, const ptx::Function& kernel)
      : module_(module), addressed_(ptx::addressed_functions(module)), copy_(kernel) {
    stack_.push_back({copy_.start(kernel, {}), 0, ptx::no_id, {}, local_bytes_of(kernel), {}, {}});
    deepest_local_bytes_ = stack_.back().local_bytes;
  }

  Expected<InlinedKernel> run() {
    while (!stack_.empty()) {
      step();
      // Every call makes labels, so that calls of empty functions count too.
      if (std::max(copy_.out().instructions.size(), copy_.out().labels.size()) > instruction_limit) {
        return fail(error(stack_.back().instance.function->place,
                          fmt::format("the calls of '{}' expand to more than {} instructions and labels",
                                      copy_.out().name, instruction_limit),
                          "split the kernel, or let its functions call each other less often"));
      }
    }
    if (!errors_.empty()) {
      return tl::unexpected(std::move(errors_));
    }
    if (auto fits = check_local_memory(module_, copy_.out(), deepest_local_bytes_); !fits) {
      return tl::unexpected(std::move(fits.error()));
    }
    InlinedKernel inlined = std::move(copy_).finish();
    inlined.assumptions = std::move(assumptions_);
    return inlined;
  }

private:
  Diagnostic error(Place at, std::string message, std::string note) const {
    return module_.text().error(at, 1, std::move(message), {std::move(note)});
  }

  void step() {
    Frame& frame = stack_.back();
    copy_.set_call(frame.instance.call);
    if (frame.call) {
      go_on_with_call();
      return;
    }
    copy_.place_labels(frame.instance, frame.next);
    const ptx::Function& function = *frame.instance.function;
    if (frame.next == function.instructions.size()) {
      leave();
      return;
    }
    const ptx::Instruction& instruction = function.instructions[frame.next++];
    if (instruction.opcode == Opcode::call) {
      enter(instruction);
    } else if (is_guarded_table(instruction)) {
      const ptx::LabelId skipped = copy_.new_label(instruction.place);
      copy_.add_branch(frame.instance, instruction, !instruction.guard_negated, skipped);
      ptx::Instruction taken = instruction;
      taken.guard = ptx::no_id;
      copy_.add(frame.instance, taken);
      copy_.place_label(skipped);
    } else if (instruction.opcode == Opcode::ret && frame.returned != ptx::no_id) {
      const bool at_end = frame.next == function.instructions.size() && instruction.guard == ptx::no_id;
      if (!at_end) {
        copy_.add_branch(frame.instance, instruction, instruction.guard_negated, frame.returned);
      }
    } else {
      copy_.add(frame.instance, instruction);
    }
  }

  void leave() {
    const Frame frame = std::move(stack_.back());
    stack_.pop_back();
    if (frame.returned == ptx::no_id) {
      return;
    }
    copy_.set_call(stack_.back().instance.call);
    copy_.place_label(frame.returned);
    if (frame.stack) {
      copy_.restore_stack(*frame.stack, frame.instance.function->place);
    }
    for (const ResultMove& result : frame.results) {
      copy_.add_move(result.actual, result.formal, result.type, frame.instance.function->place);
    }
  }

  // What a call may go to, and of it the functions that are being called already.
  struct Reached {
    Candidates candidates;
    std::vector<const ptx::Function*> functions, recursive;
  };

  void enter(const ptx::Instruction& call) {
    Frame& frame = stack_.back();
    const FunctionInstance& caller = frame.instance;
    const Expected<Reached> reached = reached_by(*caller.function, call);
    if (!reached) {
      errors_.insert(errors_.end(), reached.error().begin(), reached.error().end());
      return;
    }
    if (!reached->functions.front()->has_body) {
      keep(caller, call, *reached->functions.front());
      return;
    }
    Call entered{&call, reached->functions, 0, {}, copy_.new_label(call.place)};
    if (call.guard != ptx::no_id) {
      copy_.add_branch(caller, call, !call.guard_negated, entered.joined);
    }
    if (is_indirect(*caller.function, call)) {
      dispatch(caller, reached->candidates, entered);
      assume(call, "is taken as a branch to the functions that it may reach", reached->functions);
      assume(call, "is taken not to reach functions that are being called", reached->recursive);
    }
    frame.call = std::move(entered);
  }

  Expected<Reached> reached_by(const ptx::Function& caller, const ptx::Instruction& call) const {
    auto candidates = candidates_of(caller, call);
    if (!candidates) {
      return tl::unexpected(std::move(candidates.error()));
    }
    Reached reached{std::move(*candidates), {}, {}};
    for (const ptx::Function* function : reached.candidates.functions) {
      if (function != nullptr) {
        (is_being_called(function) ? reached.recursive : reached.functions).push_back(function);
      }
    }
    if (reached.functions.empty()) {
      return fail(error(call.place, fmt::format("'{}' calls itself", reached.recursive.front()->name),
                        "recursion cannot be inlined; rewrite it as a loop"));
    }
    return reached;
  }

  Expected<Candidates> candidates_of(const ptx::Function& caller, const ptx::Instruction& call) const {
    if (is_indirect(caller, call)) {
      return find_candidates(module_, addressed_, caller, call);
    }
    const auto callee = find_callee(module_, caller, call);
    if (!callee) {
      return tl::unexpected(callee.error());
    }
    return Candidates{(*callee)->name, {*callee}};
  }

  bool is_being_called(const ptx::Function* function) const {
    return std::ranges::any_of(stack_, [&](const Frame& f) { return f.instance.function == function; });
  }

  // A branch by the functions' addresses; candidates that are not reached have no target.
  void dispatch(const FunctionInstance& caller, const Candidates& candidates, Call& entered) {
    const ptx::Instruction& call = *entered.instruction;
    std::vector<ptx::LabelId> targets;
    for (const ptx::Function* function : candidates.functions) {
      const bool is_reached = function != nullptr && !is_being_called(function);
      targets.push_back(is_reached ? copy_.new_label(call.place) : ptx::no_id);
      if (is_reached) {
        entered.entries.push_back(targets.back());
      }
    }
    copy_.add_dispatch(copy_.copy(caller, caller.function->operands(call)[1]), targets, candidates.first,
                       call.place);
  }

  void assume(const ptx::Instruction& call, std::string_view what,
              const std::vector<const ptx::Function*>& functions) {
    std::string text = fmt::format("line {}: this call through a register {}", call.place.line, what);
    for (const ptx::Function* function : functions) {
      text += fmt::format("{} {}", function == functions.front() ? ":" : ",", function->name);
    }
    if (!functions.empty() && std::ranges::find(assumptions_, text) == assumptions_.end()) {
      assumptions_.push_back(std::move(text));
    }
  }

  // Enters the next function that the call may reach, or leaves the call behind the last one.
  void go_on_with_call() {
    Frame& caller = stack_.back();
    Call& call = *caller.call;
    if (call.next == call.functions.size()) {
      copy_.place_label(call.joined);
      caller.call.reset();
      return;
    }
    if (call.next != 0) {
      copy_.add_branch(call.joined, call.instruction->place);
    }
    if (!call.entries.empty()) {
      copy_.place_label(call.entries[call.next]);
    }
    enter_function(caller.instance, *call.instruction, *call.functions[call.next++]);
  }

  void enter_function(const FunctionInstance& caller, const ptx::Instruction& call,
                      const ptx::Function& callee) {
    const ptx::LabelId returned = copy_.new_label(call.place);
    std::optional<Operand> stack;
    if (takes_stack(callee)) {
      stack = copy_.save_stack(module_.address_bits, call.place);
    }
    Frame frame = bind(caller, call, callee);
    frame.stack = stack;
    frame.returned = returned;
    frame.local_bytes = stack_.back().local_bytes + local_bytes_of(callee);
    deepest_local_bytes_ = std::max(deepest_local_bytes_, frame.local_bytes);
    stack_.push_back(std::move(frame));
  }

  // A function of the driver.
  void keep(const FunctionInstance& caller, const ptx::Instruction& call, const ptx::Function& callee) {
    if (call.guard == ptx::no_id) {
      copy_.add_system_call(caller, call, callee);
      return;
    }
    const ptx::LabelId skipped = copy_.new_label(call.place);
    copy_.add_branch(caller, call, !call.guard_negated, skipped);
    copy_.add_system_call(caller, call, callee);
    copy_.place_label(skipped);
  }

  // .param variables of caller and callee become one; registers and constants are moved.
  Frame bind(const FunctionInstance& caller, const ptx::Instruction& call, const ptx::Function& callee) {
    const auto operands = caller.function->operands(call);
    const auto results = caller.function->elements(operands[0]);
    const auto arguments = caller.function->elements(operands[2]);
    NameBindings bindings;
    const auto bind_all = [&](std::span<const Operand> actuals, std::span<const ptx::Variable> formals) {
      for (std::size_t i = 0; i < formals.size(); ++i) {
        if (formals[i].space != ptx::Space::reg && actuals[i].kind == OperandKind::symbol) {
          bindings.emplace(formals[i].name, copy_.copy(caller, actuals[i]).name);
        }
      }
    };
    bind_all(arguments, callee.parameters);
    bind_all(results, callee.return_parameters);
    Frame frame{copy_.start(callee, bindings), 0, ptx::no_id, {}, 0, {}, {}};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const ptx::Variable& formal = callee.parameters[i];
      if (bindings.count(formal.name) == 0) {
        copy_.add_move(copy_.formal(frame.instance, formal), copy_.copy(caller, arguments[i]), formal.type,
                       call.place);
      }
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      const ptx::Variable& formal = callee.return_parameters[i];
      if (bindings.count(formal.name) == 0) {
        frame.results.push_back(
            {copy_.copy(caller, results[i]), copy_.formal(frame.instance, formal), formal.type});
      }
    }
    return frame;
  }

  const ptx::Module& module_;
  const std::vector<ptx::AddressedFunction> addressed_;
  FunctionCopy copy_;
  std::vector<Frame> stack_;
  std::uint64_t deepest_local_bytes_ = 0;
  Diagnostics errors_;
  std::vector<std::string> assumptions_;
};

} // namespace

bool needs_inlining(const ptx::Function& kernel) {
  return std::ranges::any_of(kernel.instructions, [&](const ptx::Instruction& i) {
    return is_guarded_table(i) || (i.opcode == Opcode::call && !is_kept(kernel, i));
  });
}

Expected<InlinedKernel> inline_calls(const ptx::Module& module, const ptx::Function& kernel) {
  return Inliner(module, kernel).run();
}

} // namespace kerncast::lowering
