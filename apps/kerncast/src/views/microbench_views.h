// What the microbenchmarks found.
#pragma once

#include <string>

#include "configs/gpu.h"
#include "microbench/finding.h"
#include "microbench/paper_tables.h"
#include "views/json_text.h"

namespace kerncast::app {

std::string microbench_table(const configs::Gpu& gpu, const Findings& findings);
Json microbench_json(const configs::Gpu& gpu, const Findings& findings);

// "0.25 (0.25)": found, and in brackets what the paper prints.
std::string paper_text(const configs::Gpu& gpu, const std::vector<PaperTable>& tables);
Json paper_json(const configs::Gpu& gpu, const std::vector<PaperTable>& tables);

} // namespace kerncast::app
