// Which instructions only hand a value on: mov, cvta, cvt between integers of equal width, and
// st.param/ld.param of call parameters. Guarded ops do not.
#pragma once

#include "program.h"

namespace kerncast::lowering {

// Of an op whose shape is that of a copy.
bool is_register_copy(const Program& program, std::uint32_t op);
// Of an access to .param: whether its elements and a call parameter's pieces correspond one to one.
bool is_parameter_copy(const Program& program, std::uint32_t op);

// Whether the op's results are its operands unchanged.
inline bool is_copy(const Program& program, std::uint32_t op) {
  const Op& o = program.ops[op];
  if (program.shape_of(o).is_copy) {
    return is_register_copy(program, op);
  }
  return program.traits_of(o).space == tasklist::Space::param && has_call_parameters(program) &&
         is_parameter_copy(program, op);
}

// The value that a copy's `index`-th definition comes from; no_id if it is an immediate or a symbol.
ValueId copy_source(const Program& program, std::uint32_t op, std::uint32_t index);

} // namespace kerncast::lowering
