// Verifying one file of any kind.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "configs/loader.h"
#include "kernels.h"
#include "support/diagnostics.h"

namespace kerncast::app {

struct CheckOptions {
  const configs::ConfigPath& configs;
  std::size_t error_limit = 20; // per file; 0: all
  std::string entry = {};       // which PTX of a container is taken
  std::size_t threads = 0;      // that the modules of one file are read on; 0: all
};

struct CheckedFile {
  std::string summary; // what is in the file, in one line
  Diagnostics warnings;
};

// "1 kernel", "2 kernels".
std::string counted(std::size_t count, std::string_view thing);

// "PTX 9.0 for sm_75, zstd: 2 kernels (scale, shift)"; `encoding`: in a container, else empty.
std::string module_summary(const CheckedModule& module, std::string_view encoding = {});

Expected<CheckedFile> check_file(const std::filesystem::path& path, const CheckOptions& options);

// The PTX of a file as its syntax tree holds it, a statement a line; an error for files without PTX.
Expected<std::string> print_ptx(const std::filesystem::path& path, const CheckOptions& options);

} // namespace kerncast::app
