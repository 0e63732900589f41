// What the errors of measured launches come from: the share of each stage of the chain, and the worst rows
// with what parts in them (validate measured, --stages and --worst).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "statistics/errors.h"

namespace kerncast::app {

struct StageErrors {
  std::string given; // "nothing", "registers", "hit_rates"
  statistics::Errors errors;
  std::optional<double> share; // points of MAPE less than with the stage before; none: it is the first
};

// All over the same rows: those that every stage predicts.
struct StagesOfKernel {
  std::string kernel;
  std::string gpu;
  std::string quantity;
  std::size_t left_out = 0; // rows that some stage does not predict
  std::vector<StageErrors> stages;
};

// A quantity between registers and cycles that was measured.
struct ChainError {
  std::string quantity;
  statistics::Scale scale = statistics::Scale::relative;
  double measured = 0;
  double predicted = 0;
  std::optional<double> error; // none: 0 was measured
};

struct WorstRow {
  std::size_t row = 0;                                     // from 1
  std::vector<std::pair<std::string, std::string>> config; // what distinguishes it from other rows
  double measured = 0;                                     // main quantity
  double predicted = 0;
  double error = 0;
  std::vector<ChainError> chain;
  std::string bound;                   // as predict says it
  std::optional<std::string> parts_at; // none: nothing that could part was measured
  std::optional<std::string> farthest; // the quantity off by most of its targets; none: all are within
};

// Rows that part at the same quantity, and what they have of the MAPE.
struct PartShare {
  std::optional<std::string> parts_at;
  std::size_t rows = 0;
  double points = 0;
};

struct WorstOfKernel {
  std::string kernel;
  std::string gpu;
  std::string quantity;
  std::size_t rows = 0;         // all that were compared
  std::vector<PartShare> parts; // of all these rows, the greatest share first
  std::vector<WorstRow> worst;  // the worst first
};

} // namespace kerncast::app
