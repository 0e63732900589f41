// The microbenchmarks' answers for one GPU in the layout of two papers' tables, beside what they print where
// the GPU is one of theirs:
//
//   004: Lemeire et al., Microbenchmarks for GPU characteristics, 2016: Tables II and III
//   003: Lemeire et al., Analysis of the analytical performance models for GPUs, 2023: Tables 4 to 6
#pragma once

#include <string>
#include <vector>

#include "laboratory.h"

namespace kerncast::app {

// One number, or those of instruction-level parallelism 1, 2 and 4, or of the levels of memory.
struct PaperCell {
  std::vector<double> found;
  std::vector<double> published; // empty: the papers have none
};

struct PaperTable {
  struct Row {
    std::string name;
    std::vector<PaperCell> cells; // as many as columns; of an operation that the GPU lacks none
  };
  std::string title;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

Expected<std::vector<PaperTable>> paper_tables(const Laboratory& laboratory);

} // namespace kerncast::app
