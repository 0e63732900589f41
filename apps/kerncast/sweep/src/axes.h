// The table [axes]: which keys are changed, to what, and which of them together.
#pragma once

#include "fields.h"

namespace kerncast::sweep {

void read_axes(Context& context, const toml::table& table, SweepFile& sweep);

} // namespace kerncast::sweep
