// The "tasklist" array of a ppt_lanl file.
#pragma once

#include "ppt_gpu_2019/input.h"
#include "json/object_reader.h"

namespace kerncast::ppt_gpu_2019 {

void read_items(json::ValueReader& reader, json::NodeId array, Input& into);

} // namespace kerncast::ppt_gpu_2019
