// Verifying a file that holds PTX beside other things, and printing what it holds.
#pragma once

#include "checks.h"
#include "modules.h"

namespace kerncast::app {

// The file's kind and its PTX, a line each, with kernels; every error and warning of all of it.
Expected<CheckedFile> check_container(const SourceText& file, const ModuleOptions& options);

} // namespace kerncast::app
