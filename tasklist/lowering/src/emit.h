// The working form as a tasklist.
#pragma once

#include "program.h"

namespace kerncast::lowering {

// Live ops become tasks; values are numbered in the order in which they appear.
tasklist::Tasklist emit(const Program& program);

} // namespace kerncast::lowering
