// Where the database lies.
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "configs/loader.h"
#include "names.h"
#include "search.h"

namespace kerncast::configs {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> below(const ConfigPath& path, const fs::path& folder) {
  std::vector<fs::path> folders;
  for (const fs::path& root : path.folders())
    folders.push_back(root / folder);
  return folders;
}

void add_beside_program(std::vector<fs::path>& folders) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path().parent_path() / "share/kerncast/configs";
  if (!error && fs::is_directory(folder, error))
    folders.push_back(folder);
}

} // namespace

ConfigPath ConfigPath::standard() {
  std::vector<fs::path> folders;
  add_beside_program(folders);
  const char* stated = std::getenv("KERNCAST_CONFIG_PATH");
  for (std::string_view rest = stated != nullptr ? stated : ""; !rest.empty();) {
    const std::size_t colon = rest.find(':');
    if (const std::string_view folder = rest.substr(0, colon); !folder.empty())
      folders.emplace_back(folder);
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return ConfigPath(std::move(folders));
}

std::vector<fs::path> gpu_folders(const ConfigPath& path) { return below(path, "gpus"); }
std::vector<fs::path> base_folders(const ConfigPath& path) { return below(path, "gpus/base"); }
std::vector<fs::path> isa_folders(const ConfigPath& path) { return below(path, "isa"); }

std::vector<std::string> list_gpus(const ConfigPath& path) { return names_in(gpu_folders(path)); }

} // namespace kerncast::configs
