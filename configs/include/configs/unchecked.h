// What the loader could not check, because something that it compares with is not stated.
#pragma once

#include <string>
#include <vector>

#include "configs/gpu.h"

namespace kerncast::configs {

// "dram.bandwidth_gbps: dram.bus_width_bits is not stated"; empty if everything was checked.
std::vector<std::string> not_checked(const Gpu& gpu);

} // namespace kerncast::configs
