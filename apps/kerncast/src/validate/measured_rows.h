// Rows of a table of measured launches, each with its prediction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "counters.h"
#include "csv/table.h"
#include "mapping.h"
#include "stages.h"

namespace kerncast::app {

struct MeasuredRow {
  std::size_t number = 0; // from 0
  Facts facts;
  std::string gpu;
  std::optional<PredictedLaunch> predicted; // none: its PTX is not there
  StagePredictions stages;                  // if they were asked for
  Diagnostics errors;
};

// Without those that do not meet the mapping's conditions, which a note counts.
Expected<std::vector<MeasuredRow>> rows_of(const csv::Table& table, const Mapping& mapping,
                                           std::vector<std::string>& notes);

// How a row is predicted.
struct RowPredictor {
  const csv::Table& table;
  const Mapping& mapping;
  const Session& session;
  bool stages = false; // also with what each stage gives

  void predict(MeasuredRow& row) const;
};

struct KernelRows {
  const Quantity* main = nullptr; // whose errors are explained
  std::string kernel;
  std::string gpu;
  std::vector<const MeasuredRow*> rows;
};

// The rows that were predicted and whose main quantity has an error, by kernel and GPU in the order of their
// first rows.
std::vector<KernelRows> by_kernel(const std::vector<MeasuredRow>& rows, const Quantity& main);

} // namespace kerncast::app
