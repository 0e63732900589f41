// Which modules' variables an application means when it says what its host copies to "table", or to
// "filter.ptx:table" where several modules have a variable of that name.
#pragma once

#include <filesystem>
#include <vector>

#include "input.h"
#include "modules.h"

namespace kerncast::app {

struct FileModule {
  std::filesystem::path path; // of the file that the module is in, as in Application::modules
  SourceModule module;
};

// A plain name stands for the variables of that name in all modules, which must be of one size, except in
// those whose own is stated with the file's name. Every error of all variables.
Expected<std::vector<VariableContents>> resolve_variables(const application::Application& app,
                                                          const std::vector<FileModule>& modules);

} // namespace kerncast::app
