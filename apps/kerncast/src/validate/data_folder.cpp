#include "data_folder.h"

#include <fmt/format.h>

namespace kerncast::app {

Expected<std::filesystem::path> data_folder(const Session& session, std::string_view name) {
  std::string tried;
  for (const std::filesystem::path& configs : session.configs.folders()) {
    const std::filesystem::path folder = configs.parent_path() / "validation" / name;
    std::error_code error;
    if (std::filesystem::is_directory(folder, error))
      return folder;
    tried += (tried.empty() ? "" : ", ") + folder.string();
  }
  return fail(fmt::format("no reference data '{}'", name), fmt::format("looked at {}", tried));
}

} // namespace kerncast::app
