// Loading GPU descriptions.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "configs/gpu.h"
#include "configs/isa.h"
#include "support/diagnostics.h"

namespace kerncast::configs {

// Folders searched for gpus/NAME.toml and isa/ARCH.toml, in order.
class ConfigPath {
public:
  explicit ConfigPath(std::vector<std::filesystem::path> folders) : folders_(std::move(folders)) {}
  // share/kerncast/configs beside the running program's folder (build tree, install prefix), then
  // $KERNCAST_CONFIG_PATH (colon-separated).
  static ConfigPath standard();
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

private:
  std::vector<std::filesystem::path> folders_;
};

struct Setting { // one --set KEY=VALUE
  std::string key;
  std::string value;
};
Expected<Setting> parse_setting(std::string_view text);

// `name_or_file`: a name of the database or a path that ends in .toml. Unknown names get suggestions.
Expected<Gpu> load_gpu(std::string_view name_or_file, const std::vector<Setting>& settings,
                       const ConfigPath& path);

// Names in the database, ascending.
std::vector<std::string> list_gpus(const ConfigPath& path);

struct KeyDescription {
  std::string key; // "l1.kib", "units.NAME.latency"
  std::string unit;
  std::string meaning;
  std::string values;        // "1 to 4096, whole", "base, boost"
  std::string default_value; // "required" if there is none
};
std::vector<KeyDescription> describe_keys();

// "specified", "measured", "guess", "stated", "follows".
std::string_view name(Evidence evidence);

// (key, value as text) of the resolved description, in the table's order.
std::vector<std::pair<std::string, std::string>> resolved_values(const Gpu& gpu);

} // namespace kerncast::configs
