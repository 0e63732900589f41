// Where the reference data of kerncast validate lie: share/kerncast/validation beside the GPU database.
#pragma once

#include <filesystem>
#include <string_view>

#include "command.h"

namespace kerncast::app {

// Fails naming the folders that were looked at.
Expected<std::filesystem::path> data_folder(const Session& session, std::string_view name);

} // namespace kerncast::app
