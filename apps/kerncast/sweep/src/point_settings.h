// What a point changes of its GPU beside the values of axes.
#pragma once

#include <optional>
#include <vector>

#include "sweep/plan.h"

namespace kerncast::sweep {

Point point_of(std::uint32_t base, std::vector<configs::Setting> settings);

// Changes what the point says of a key, or adds it.
void set(configs::Setting setting, Point& point);

// Of the keys that are expressions, in their order; a value that is no number is empty. `of_gpu`: these are
// over keys that follow others. Nothing where there can be no such GPU.
std::vector<configs::Setting> computed_settings(const SweepFile& sweep, const Plan& plan, const Point& stated,
                                                bool of_gpu);

// A key by a share more than it is stated; nothing where it has no number.
std::optional<configs::Setting> varied(const Uncertain& uncertain, double share, const NumberOf& stated);

} // namespace kerncast::sweep
