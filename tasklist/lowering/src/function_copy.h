// Copies functions, instruction by instruction, into one function with fresh registers, labels and variables.
#pragma once

#include <map>
#include <string_view>
#include <unordered_map>

#include "lowering/inline_calls.h"

namespace kerncast::lowering {

// How names of registers begin that stand for no register of the text; no name in PTX has a dot.
inline constexpr std::string_view made_register = "%call.";

using NameBindings = std::unordered_map<std::string_view, std::string_view>;

// One copy of one function: where its registers, labels and names lie in the result.
struct FunctionInstance {
  const ptx::Function* function = nullptr;
  std::uint32_t call = ptx::no_id; // index of the call, no_id: the kernel
  std::uint32_t register_base = 0;
  std::uint32_t label_base = 0;
  std::uint32_t next_label = 0;            // in the function's labels by instruction
  std::uint32_t next_pragma = 0;           // in the function's pragmas
  std::vector<std::string_view> variables; // new names of function->variables
  NameBindings parameters;                 // new names of formal parameters
};

class FunctionCopy {
public:
  // The result has the kernel's signature and directives.
  explicit FunctionCopy(const ptx::Function& kernel);

  const ptx::Function& out() const { return out_; }
  InlinedKernel finish() &&;

  // Reserves registers, labels and variables. Parameters without a binding get variables of their own,
  // except the kernel's.
  FunctionInstance start(const ptx::Function& function, const NameBindings& bindings);

  // Of which call the instructions that are added from now on are (FunctionInstance::call).
  void set_call(std::uint32_t call) { call_ = call; }

  // The labels and pragmas before instruction `next` of the instance come to lie here.
  void place_labels(FunctionInstance& instance, std::uint32_t next);
  ptx::LabelId new_label(Place place);
  void place_label(ptx::LabelId label);

  void add(const FunctionInstance& instance, const ptx::Instruction& instruction);
  // A branch under the guard of `like`, if it has one.
  void add_branch(const FunctionInstance& instance, const ptx::Instruction& like, bool guard_negated,
                  ptx::LabelId target);
  // An unconditional one.
  void add_branch(ptx::LabelId target, Place place);
  // A branch to the target of the function whose address the register holds: a brx.idx with the register, the
  // list of targets (no_id: none, which must not be reached) and the name of the function of the first one,
  // whose addresses follow each other.
  void add_dispatch(const ptx::Operand& address, const std::vector<ptx::LabelId>& targets,
                    std::string_view first_function, Place place);
  // Between operands of the result: a mov, or st.param or ld.param where one side is a .param variable.
  // Nothing if the callee never names the register that one side is.
  void add_move(const ptx::Operand& to, const ptx::Operand& from, ptx::Type type, Place place);

  // What alloca takes in a function is free again when the function returns.
  ptx::Operand save_stack(std::uint32_t address_bits, Place place);
  void restore_stack(const ptx::Operand& saved, Place place);

  // The call itself, of registers: what its .param variables hold is loaded before and stored behind it.
  void add_system_call(const FunctionInstance& caller, const ptx::Instruction& call,
                       const ptx::Function& callee);

  ptx::Operand copy(const FunctionInstance& instance, const ptx::Operand& operand);
  // The operand that stands for a formal parameter of the instance: its register or its variable.
  ptx::Operand formal(const FunctionInstance& instance, const ptx::Variable& parameter) const;

private:
  // What is copied once per function, however often it is called.
  struct Shared {
    std::uint32_t modifier_base = 0;
    std::uint32_t source_base = 0;
    std::vector<ptx::LabelId> labels;                                           // by instruction
    std::unordered_map<std::string_view, std::vector<std::uint32_t>> variables; // by name, in text order
    std::vector<std::string_view> names; // of variables that all calls share, else empty
  };
  const Shared& shared_of(const ptx::Function& function);
  Shared share(const ptx::Function& function);
  std::string_view new_name(std::string_view name);
  std::string_view name_of(const FunctionInstance& instance, const ptx::Operand& operand);
  std::string_view add_variable(ptx::Variable variable, std::string_view name);
  void append(ptx::Instruction instruction);
  ptx::Operand new_register(ptx::Type type, Place place);
  ptx::Operand vector_of(const std::vector<ptx::Operand>& elements, Place place);
  ptx::Range copy_range(const FunctionInstance& instance, ptx::Range range);
  ptx::Range add_operands(std::initializer_list<ptx::Operand> operands);
  ptx::Range add_modifiers(std::initializer_list<std::string_view> names);

  const ptx::Function& kernel_;
  ptx::Function out_;
  std::uint32_t call_ = ptx::no_id;
  std::vector<std::uint32_t> call_of_;
  std::vector<std::string_view> calls_;
  std::shared_ptr<std::deque<std::string>> names_;
  std::map<const ptx::Function*, Shared> shared_; // looked up only, never iterated
};

} // namespace kerncast::lowering
