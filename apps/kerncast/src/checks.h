// Verifying one file of any kind.
#pragma once

#include <filesystem>
#include <string>

#include "configs/loader.h"
#include "support/diagnostics.h"

namespace kerncast::app {

struct CheckOptions {
  const configs::ConfigPath& configs;
  std::size_t error_limit = 20; // per file; 0: all
  std::string entry = {};       // which PTX of a container is taken
};

struct CheckedFile {
  std::string summary; // what is in the file, in one line
  Diagnostics warnings;
};

Expected<CheckedFile> check_file(const std::filesystem::path& path, const CheckOptions& options);

// The PTX of a file as its syntax tree holds it, a statement a line; an error for files without PTX.
Expected<std::string> print_ptx(const std::filesystem::path& path, const CheckOptions& options);

} // namespace kerncast::app
