#include "gpu_options.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace kerncast::app {
namespace {

bool is_set(const std::string& key, const std::vector<configs::Setting>& settings) {
  return std::any_of(settings.begin(), settings.end(),
                     [&](const configs::Setting& setting) { return setting.key == key; });
}

Diagnostic twice(const std::string& key) {
  Diagnostic d;
  d.message = fmt::format("--set: {} is set twice", key);
  d.notes = {"leave one of the two out"};
  return d;
}

Expected<std::vector<configs::Setting>> parse_settings(const std::vector<std::string>& texts) {
  std::vector<configs::Setting> settings;
  Diagnostics errors;
  for (const std::string& text : texts) {
    Expected<configs::Setting> setting = configs::parse_setting(text);
    if (setting && is_set(setting->key, settings))
      errors.push_back(twice(setting->key));
    else if (setting)
      settings.push_back(std::move(*setting));
    else
      errors.insert(errors.end(), setting.error().begin(), setting.error().end());
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return settings;
}

} // namespace

CLI::Option* add_repeatable(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                            const std::string& help) {
  return command.add_option(name, values, help)->allow_extra_args(false);
}

CLI::Option* add_settings(CLI::App& command, std::vector<std::string>& settings) {
  return add_repeatable(command, "--set", settings, "KEY=VALUE: changes one key of the GPU description")
      ->check([](const std::string& text) {
        return configs::parse_setting(text) ? std::string() : fmt::format("'{}' is not KEY=VALUE", text);
      });
}

Expected<configs::Gpu> load_gpu(const std::string& name, const std::vector<std::string>& settings,
                                const configs::ConfigPath& path) {
  return parse_settings(settings).and_then(
      [&](const std::vector<configs::Setting>& parsed) { return configs::load_gpu(name, parsed, path); });
}

Expected<std::vector<configs::Gpu>> load_gpus(const GpuOptions& options, const configs::ConfigPath& path) {
  const Expected<std::vector<configs::Setting>> settings = parse_settings(options.settings);
  if (!settings)
    return tl::unexpected(settings.error());
  std::vector<configs::Gpu> gpus;
  Diagnostics errors;
  for (const std::string& name : options.gpus) {
    Expected<configs::Gpu> gpu = configs::load_gpu(name, *settings, path);
    if (gpu)
      gpus.push_back(std::move(*gpu));
    else
      errors.insert(errors.end(), gpu.error().begin(), gpu.error().end());
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return gpus;
}

} // namespace kerncast::app
