// From axes to settings: which values are taken together, and how numbers are written.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "configs/loader.h"
#include "sweep/sweep_file.h"

namespace kerncast::sweep {

// Nine significant digits at most, which hides the last bits of computed values; rounded to a multiple.
std::string number_text(double value, std::optional<double> round);

// Values of a key that stand for all of them: of a list all, of a range its ends and some between.
std::vector<Text> sample_values(const Axis& axis, const AxisKey& key);

// The values that the first key of an axis takes, in their order.
std::vector<std::string> values_of(const Axis& axis);

// The settings of an axis at its first or last value.
std::vector<configs::Setting> end_of(const Axis& axis, bool last);

// Calls `f` with the settings of every point, computed keys left out, until it returns false.
void for_each_setting(const SweepFile& sweep, const std::function<bool(std::vector<configs::Setting>)>& f);

} // namespace kerncast::sweep
