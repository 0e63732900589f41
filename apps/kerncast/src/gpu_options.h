// --gpu and --set, as every command that needs a GPU has them.
#pragma once

#include <string>
#include <vector>

#include "cli.h"
#include "configs/loader.h"

namespace kerncast::app {

struct GpuOptions {
  std::vector<std::string> gpus;     // names or files
  std::vector<std::string> settings; // KEY=VALUE
};

// An option that may be given several times, one value each time.
CLI::Option* add_repeatable(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                            const std::string& help);

CLI::Option* add_settings(CLI::App& command, std::vector<std::string>& settings);

// Loads every GPU asked for; every error of all of them.
Expected<std::vector<configs::Gpu>> load_gpus(const GpuOptions& options, const configs::ConfigPath& path);
Expected<configs::Gpu> load_gpu(const std::string& name, const std::vector<std::string>& settings,
                                const configs::ConfigPath& path);

} // namespace kerncast::app
