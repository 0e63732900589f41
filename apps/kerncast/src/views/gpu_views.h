// GPU descriptions as tables and JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "configs/loader.h"
#include "json_text.h"

namespace kerncast::app {

// "titan-x, NVIDIA GeForce GTX TITAN X: compute capability 5.2, 24 SMs at 1000 MHz"
std::string gpu_summary(const configs::Gpu& gpu);

// A line each, "assumption: ..." and "not checked: ...", and how many values are guesses; empty if there is
// none.
std::string check_lines(const configs::Gpu& gpu);

std::string gpu_list_table(const std::vector<configs::Gpu>& gpus);
Json gpu_list_json(const std::vector<configs::Gpu>& gpus);

std::string gpu_table(const configs::Gpu& gpu);
Json gpu_json(const configs::Gpu& gpu);

// configs::resolved_values as an object, numbers as numbers.
Json resolved_json(const std::vector<std::pair<std::string, std::string>>& values);

} // namespace kerncast::app
