// Whether grid and CTA have a size that a GPU can launch.
#pragma once

#include "support/diagnostics.h"
#include "tasklist/launch.h"

namespace kerncast::slice {

Expected<void> check_geometry(const tasklist::Launch& launch);

} // namespace kerncast::slice
