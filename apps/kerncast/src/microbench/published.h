// Numbers that 003 and 004 print, by GPU, table and row.
#pragma once

#include <string_view>
#include <vector>

namespace kerncast::app {

// The row's cells in the order of its columns; empty where nothing is printed, or not of this GPU.
std::vector<std::vector<double>> published_row(std::string_view gpu, std::string_view table,
                                               std::string_view row);

} // namespace kerncast::app
