// What kerncast validate compares: predictions with what was published or measured.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "explained.h"
#include "statistics/errors.h"
#include "support/diagnostics.h"

namespace kerncast::app {

// Whose what is compared. Rows with equal subjects share statistics.
struct Subject {
  std::string suite;
  std::string kernel;
  std::string gpu; // empty: none
  std::string model;
  std::string quantity; // "time", "cycles", "throughput", ...
  statistics::Scale scale = statistics::Scale::relative;
  bool is_main = true; // what --require speaks of where it names neither model nor quantity
  friend bool operator==(const Subject&, const Subject&) = default;
};

struct PredictedInterval {
  double low = 0;
  double high = 0;
};

struct ComparedRow {
  std::string label; // of the launch, the configuration or the case
  double measured = 0;
  double predicted = 0;
  std::optional<double> warps;     // point of an occupancy curve
  std::optional<double> tolerance; // |predicted - measured| that the source allows
  std::optional<PredictedInterval> interval = {};
};

struct Comparison {
  Subject subject;
  std::vector<ComparedRow> rows;
  statistics::Errors errors;
  std::optional<double> shape_mape;   // of occupancy curves (003, section 6.3)
  std::optional<std::size_t> outside; // rows beyond their tolerance, where rows have one
  // Where rows have intervals: per cent of the rows whose measured value lies inside, and the intervals' mean
  // length in per cent of the predictions.
  std::optional<double> coverage;
  std::optional<double> interval_length;
};

struct Report {
  std::vector<Comparison> comparisons; // in the order of their first rows
  std::vector<StagesOfKernel> stages;  // if they were asked for
  std::vector<WorstOfKernel> worst;    // likewise
  std::vector<std::string> notes;      // what was left out, and why

  void add(const Subject& subject, ComparedRow row);
};

// The statistics of all comparisons from their rows. Fails where rows have no errors.
Expected<void> summarize(Report& report);

} // namespace kerncast::app
