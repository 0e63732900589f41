// Initial contents of .global and .const variables.
#pragma once

#include "functional/device_memory.h"
#include "ptx_parser/module.h"
#include "warp/memory_map.h"

namespace kerncast::functional {

ModuleVariables initial_variables(const ptx::Module& module, const ptx::Function& kernel,
                                  const warp::MemoryMap& map);

} // namespace kerncast::functional
