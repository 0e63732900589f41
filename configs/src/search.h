// The folders of the database: gpus/ with the GPUs, gpus/base/ with what they inherit from, isa/.
#pragma once

#include <filesystem>
#include <vector>

#include "configs/loader.h"

namespace kerncast::configs {

std::vector<std::filesystem::path> gpu_folders(const ConfigPath& path);
std::vector<std::filesystem::path> base_folders(const ConfigPath& path);
std::vector<std::filesystem::path> isa_folders(const ConfigPath& path);

} // namespace kerncast::configs
