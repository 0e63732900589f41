// The results of one sweep in an SQLite file: written by one process, row by row as they are found.
//
// Rows are committed before `add` returns, in WAL mode: killing the process loses none of them. The schema is
// described in docs/sweeps.md; nothing in it depends on when or in which order rows were found.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/diagnostics.h"
#include "support/files.h"
#include "sweep/fingerprint.h"
#include "sweep/plan.h"
#include "sweep/result_row.h"
#include "sweep/times.h"

namespace kerncast::sweep {

inline constexpr int store_schema = 3;

// What the rows of a file have in common.
struct StoreContents {
  std::string name;              // of the sweep
  std::string program;           // that computed the rows
  Fingerprint inputs;            // points, GPUs and applications
  std::vector<std::string> keys; // that points change: a column each
};

// Rows without a prediction.
struct FailedRows {
  std::uint64_t count = 0;
  // The first in the order of the CSV.
  std::string app, gpu, point, error;
};

class ResultStore {
public:
  // Opens the file, or makes it. Fails if it cannot be written, is damaged (every row has a checksum of its
  // values), holds something else, was written by a newer program, or is being written by another job. A file
  // that is refused stays as it was.
  static Expected<ResultStore> open(const std::filesystem::path& path, const StoreContents& contents);
  ~ResultStore();
  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;

  // Fails if there are rows of other applications, or at other points.
  Expected<void> check_names(const Plan& plan, const std::vector<std::string>& apps) const;
  // Keys of the rows that are there, ascending.
  Expected<std::vector<Fingerprint>> keys() const;
  // All or none of them; rows that are there stay as they are.
  Expected<void> add(std::span<const ResultRow> rows);
  // All rows behind a line of column names, ordered by application, GPU and the values of the keys.
  Expected<void> csv(const WriteText& write) const;
  // Of these applications (ascending names) at the points of the plan.
  Expected<Times> times(const Plan& plan, const std::vector<std::string>& apps) const;
  Expected<FailedRows> failed() const;
  // Puts everything into the one file.
  Expected<void> close();

private:
  struct Database;
  explicit ResultStore(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

} // namespace kerncast::sweep
