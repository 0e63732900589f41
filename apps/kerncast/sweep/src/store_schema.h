// The tables of a result file, schema 3 (docs/sweeps.md), and the statements over them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/store.h"

namespace kerncast::sweep {

inline constexpr std::int32_t store_application = 0x6b637377; // "kcsw", in the file's header

// Those whose rows have a checksum of their values, in the last column.
enum class Table : std::uint8_t { apps, points, predictions, kernel_predictions };
inline constexpr Table all_tables[] = {Table::apps, Table::points, Table::predictions,
                                       Table::kernel_predictions};
std::string_view name_of(Table table);
// But for the checksum.
std::vector<std::string> columns_of(Table table, const StoreContents& contents);

std::string schema_of(const StoreContents& contents);
std::vector<std::string> row_columns(const StoreContents& contents);

// Makes of a file of an older schema one of this.
std::string migration_of(int schema, const StoreContents& contents);

std::string insert_row(Table table, const StoreContents& contents);
// The checksum of the point that was inserted last: its columns may store a text that was bound as a number.
std::string update_latest_point(const StoreContents& contents);
std::string insert_assumptions();
// These columns, and whether the row has the checksum of its values.
std::string select_checked(Table table, const std::string& columns, const StoreContents& contents);
// All columns, ordered by application, GPU and the values of the keys.
std::string select_rows(const StoreContents& contents);
// Application, GPU, point and error of the first row without a prediction, in the same order.
std::string select_first_failed(const StoreContents& contents);

void append_csv_line(const std::vector<std::string>& cells, std::string& text);

} // namespace kerncast::sweep
