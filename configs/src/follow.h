// Values that follow from a --set.
#pragma once

#include "statements.h"

namespace kerncast::configs {

// A --set of one of DRAM bandwidth, bus width and data rate, or of one of a unit's issue_interval and lanes,
// changes what follows from it, so that a sweep over one key needs no second one.
void follow_settings(Gpu& gpu, const Statements& statements);

// What follows lies in the range of its key, too.
void check_followed(const Gpu& gpu, Diagnostics& errors);

} // namespace kerncast::configs
