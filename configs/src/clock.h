// Which of the stated clocks the SM runs at.
#pragma once

#include "statements.h"

namespace kerncast::configs {

// clock_mhz by the choice of `clock`. An error if nothing says what it is, if both say something else, or if
// a file states a base or boost clock that a farther file's clock_mhz leaves without effect.
void choose_clock(Gpu& gpu, const Statements& statements, const std::string& file, Diagnostics& errors);

} // namespace kerncast::configs
