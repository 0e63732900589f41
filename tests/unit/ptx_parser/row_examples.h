// Reads tests/data/ptx/rows: modules of example statements, one a line, under the rows that they exercise.
#pragma once

#include <string>
#include <vector>

namespace kerncast::ptx {

struct Rejected {
  std::string statement; // //! add.u32 a, b;
  std::string message;   // //  'add.u32' takes 3 operands, but 2 are given
};

struct RowExamples {
  std::string row; // text of the row, runs of spaces as one
  std::vector<std::string> accepted;
  std::vector<Rejected> rejected;
};

struct ExampleFile {
  std::string path;
  std::string text;
  std::string head; // up to the first row
  std::vector<RowExamples> rows;
};

// In the order of their names.
std::vector<ExampleFile> example_files(const std::string& folder);

// The text with each run of spaces as one.
std::string with_single_spaces(std::string_view text);

} // namespace kerncast::ptx
