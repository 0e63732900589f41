#include "operand_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "address_check.h"
#include "operand_fit.h"
#include "operand_text.h"

namespace kerncast::ptx {
namespace {

class Checker {
public:
  Checker(const State& state, const Signature& signature, std::span<const Operand> operands)
      : s_(state), signature_(signature), operands_(operands), fit_(state, signature, operands.size()) {}

  // As many operands as forms, and each fits: nearly every instruction.
  bool all_fit(std::span<const OperandForm> forms) const {
    if (forms.size() != operands_.size())
      return false;
    for (std::size_t i = 0; i < forms.size(); ++i)
      if (!fit_.accepts(forms[i], operands_[i]))
        return false;
    return true;
  }
  // Every operand in its place, optional ones left out where they do not fit.
  bool matches(std::span<const OperandForm> forms, std::size_t form = 0, std::size_t operand = 0);
  // What is wrong with the operand that got furthest with these forms.
  std::string explain(std::span<const OperandForm> forms) const;
  std::size_t furthest() const { return furthest_; }

private:
  const State& s_;
  const Signature& signature_;
  std::span<const Operand> operands_;
  OperandFit fit_;
  std::size_t furthest_ = 0;      // operand
  std::size_t furthest_form_ = 0; // what it was compared with
};

bool Checker::matches(std::span<const OperandForm> forms, std::size_t form, std::size_t operand) {
  for (; form < forms.size(); ++form, ++operand) {
    const bool good = operand < operands_.size() && fit_.accepts(forms[form], operands_[operand]);
    if (operand >= furthest_ && !good) {
      furthest_ = operand;
      furthest_form_ = form;
    }
    if (forms[form].optional && (!good || !matches(forms, form + 1, operand + 1))) {
      --operand; // left out
      continue;
    }
    if (forms[form].optional)
      return true;
    if (!good)
      return false;
  }
  if (operand == operands_.size())
    return true;
  if (operand >= furthest_) {
    furthest_ = operand;
    furthest_form_ = forms.size();
  }
  return false;
}

std::string Checker::explain(std::span<const OperandForm> forms) const {
  if (furthest_ >= operands_.size() || furthest_form_ >= forms.size()) {
    std::size_t least = 0;
    for (const OperandForm& f : forms)
      least += f.optional ? 0 : 1;
    const std::string count =
        least == forms.size() ? fmt::format("{}", least) : fmt::format("{} to {}", least, forms.size());
    return fmt::format("'{}' takes {} operand{}, but {} {} given", signature_.text, count,
                       forms.size() == 1 ? "" : "s", operands_.size(), operands_.size() == 1 ? "is" : "are");
  }
  return fmt::format("operand {} of '{}' must be {}, but is {}", furthest_ + 1, signature_.text,
                     wanted(forms[furthest_form_]),
                     found(*s_.function, signature_.opcode, operands_[furthest_]));
}

bool check_constants(State& s, const Signature& signature, std::span<const Operand> operands) {
  for (const ImmediateRule& rule : signature.immediate_rules) {
    if (rule.operand >= operands.size())
      continue;
    const Operand& o = operands[rule.operand];
    if (const std::string why = broken(rule, signature.modifiers, o); !why.empty())
      return s.error(o.place, 1, fmt::format("operand {} of '{}' {}", rule.operand + 1, signature.text, why),
                     {"the hardware has no other values"});
  }
  return true;
}

} // namespace

bool check_operands(State& s, const Signature& signature, std::span<const Operand> operands, Place opcode) {
  std::string best;
  std::size_t furthest = 0;
  for (const std::vector<OperandForm>& forms : signature.operand_lists) {
    Checker checker(s, signature, operands);
    if (checker.all_fit(forms) || checker.matches(forms))
      return check_addresses(s, signature, operands) && check_constants(s, signature, operands);
    if (best.empty() || checker.furthest() > furthest) {
      best = checker.explain(forms);
      furthest = checker.furthest();
    }
  }
  std::vector<std::string> notes;
  constexpr std::size_t rows_shown = 3;
  for (std::size_t i = 0; i < std::min(signature.rows.size(), rows_shown); ++i)
    notes.push_back(fmt::format("the form is: {}", signature.rows[i]->text));
  const bool at_operand = furthest < operands.size();
  return s.error(at_operand ? operands[furthest].place : opcode, at_operand ? 1 : signature.text.size(),
                 std::move(best), std::move(notes));
}

} // namespace kerncast::ptx
