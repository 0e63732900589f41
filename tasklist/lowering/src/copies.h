// Which instructions only hand a value on.
#pragma once

#include "program.h"

namespace kerncast::lowering {

// Whether the op's results are its operands unchanged: mov, cvta, cvt between integers of equal width, and
// st.param/ld.param of call parameters. Guarded ops are not.
bool is_copy(const Program& program, std::uint32_t op);

// The value that a copy's `index`-th definition comes from; no_id if it is an immediate or a symbol.
ValueId copy_source(const Program& program, std::uint32_t op, std::uint32_t index);

} // namespace kerncast::lowering
