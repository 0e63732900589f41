// The "hw" object of a ppt_lanl file.
#pragma once

#include "json_fields.h"
#include "ppt_gpu_2019/input.h"

namespace kerncast::ppt_gpu_2019 {

inline constexpr double hardware_shared_bound = 1 << 30; // bytes, of an SM or a block

Hardware read_hardware(JsonFields& fields, const JsonNode& object);

} // namespace kerncast::ppt_gpu_2019
