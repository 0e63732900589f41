// The "hw" object of a ppt_lanl file.
#pragma once

#include "ppt_gpu_2019/input.h"
#include "json/object_reader.h"

namespace kerncast::ppt_gpu_2019 {

inline constexpr std::uint64_t hardware_shared_bound = 1 << 30; // bytes, of an SM or a block

void read_hardware(json::ValueReader& reader, json::NodeId object, Hardware& into);

} // namespace kerncast::ppt_gpu_2019
