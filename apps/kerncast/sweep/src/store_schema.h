// The tables of a result file, schema 2 (docs/sweeps.md), and the statements over them.
#pragma once

#include <string>
#include <vector>

#include "sweep/store.h"

namespace kerncast::sweep {

inline constexpr std::int32_t store_application = 0x6b637377; // "kcsw", in the file's header

std::string schema_of(const StoreContents& contents);
std::vector<std::string> row_columns(const StoreContents& contents);

// Makes of a file of schema 1 one of this.
std::string migration_of(const StoreContents& contents);

std::string insert_app();
std::string insert_point(const StoreContents& contents);
std::string insert_prediction();
std::string insert_kernel();
std::string insert_assumptions();
// All columns, ordered by application, GPU and the values of the keys.
std::string select_rows(const StoreContents& contents);
// Application, GPU, point and error of the first row without a prediction, in the same order.
std::string select_first_failed(const StoreContents& contents);

void append_csv_line(const std::vector<std::string>& cells, std::string& text);

} // namespace kerncast::sweep
