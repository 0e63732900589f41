// The table [uncertain] of a sweep file.
#pragma once

#include "fields.h"

namespace kerncast::sweep {

void read_uncertain(Context& context, const toml::table& table, SweepFile& sweep);

} // namespace kerncast::sweep
