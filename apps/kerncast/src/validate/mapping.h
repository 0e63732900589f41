// How the rows of a table of measured launches become launches of kernels: a JSON file (docs/accuracy.md).
//
// Texts may hold {NAME}: a column of the table, a member of the row's `config` or `counters`, or {row}, the
// number of the row from 1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv/table.h"

namespace kerncast::app {

struct Condition {
  std::string name; // of a number of the row
  bool at_most = true;
  double value = 0;
};

// What the errors of a row are those of.
enum class MainQuantity : std::uint8_t { time, cycles };
std::string_view name(MainQuantity quantity);

struct Mapping {
  std::map<std::string, std::string> gpus; // as the table names them -> as kerncast does
  std::string ptx;
  std::string kernel; // empty: as the table names it
  std::vector<std::string> arguments;
  std::map<std::string, std::vector<std::string>> arguments_of; // kernel -> in place of `arguments`
  std::vector<std::string> branches;                            // LINE=P, or empty for a row that states none
  std::string registers;                                        // empty: estimated
  std::string spill_stores;                                     // bytes, empty: estimated
  std::string divisions;                                        // "slow"; empty: fast
  std::string repeat;                                           // launches in a row; empty: one
  std::string l1_hit;                                           // empty: predicted
  std::string l2_hit;
  std::vector<std::string> settings; // KEY=VALUE of the GPU
  std::vector<Condition> where;      // rows that do not meet one are left out
  MainQuantity main = MainQuantity::time;
  std::string folder; // that the path of the PTX starts at
};

Expected<Mapping> read_mapping(const std::string& file);

// What a row says: name -> text of the value.
using Facts = std::map<std::string, std::string, std::less<>>;
Expected<Facts> facts_of(const csv::Table& table, std::size_t row);

// The text with every {NAME} replaced. Fails where the row says nothing of that name.
Expected<std::string> expand(const std::string& text, const Facts& facts);

std::optional<double> number_of(const Facts& facts, std::string_view name);

} // namespace kerncast::app
