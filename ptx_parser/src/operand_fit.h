// Whether one operand is what a form asks for: kind, type, vector length (PTX ISA, sections 9.4 and 9.4.1,
// and what ptxas 13.0 makes of them).
#pragma once

#include "signature.h"
#include "state.h"

namespace kerncast::ptx {

class OperandFit {
public:
  // Of an instruction with so many operands.
  OperandFit(const State& state, const Signature& signature, std::size_t operands)
      : s_(state), signature_(signature), operands_(operands) {}

  bool accepts(const OperandForm& form, const Operand& o) const;

private:
  bool accepts_pair(const OperandForm& form, const Operand& o) const;
  bool accepts_single(const OperandForm& form, const Operand& o) const;
  bool accepts_vector(const OperandForm& form, const Operand& o) const;
  bool accepts_element(const OperandForm& form, const Operand& o) const;
  bool accepts_elements(const OperandForm& form, std::span<const Operand> all) const;
  bool moves_bits(const OperandForm& form, Type vector) const;
  bool accepts_scalar(const OperandForm& form, const Operand& o, bool is_element) const;
  bool accepts_special(const OperandForm& form, const Operand& o, bool is_element) const;
  bool accepts_video_selector(const OperandForm& form, const Operand& o) const;
  bool accepts_register(const OperandForm& form, const Operand& o) const;
  bool accepts_symbol(const OperandForm& form, const Operand& o) const;
  bool takes_constants(const OperandForm& form) const;
  bool accepts_constant(const OperandForm& form, const Operand& o, bool is_element) const;
  static bool is_destination(const OperandForm& form) {
    return form.kind == FormKind::destination || form.kind == FormKind::video_destination;
  }
  std::span<const Operand> elements(const Operand& o) const { return s_.function->elements(o); }

  const State& s_;
  const Signature& signature_;
  std::size_t operands_;
};

} // namespace kerncast::ptx
