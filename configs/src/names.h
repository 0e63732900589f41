// Names of GPUs, architectures and units, and the files that they stand for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kerncast::configs {

// Letters, digits, '-', '_' and inner dots: nothing that leads out of a folder.
bool is_name(std::string_view text);

// FOLDER/NAME.toml in the first of the folders that has it.
std::optional<std::filesystem::path> find_file(std::string_view name,
                                               const std::vector<std::filesystem::path>& folders);

// Names of the *.toml files in the folders, ascending, each once; unreadable folders count as empty.
std::vector<std::string> names_in(const std::vector<std::filesystem::path>& folders);

// "did you mean 'h100-pcie' or 'h100-sxm'?", "" if no known name is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

} // namespace kerncast::configs
