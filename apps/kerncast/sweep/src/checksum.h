// checksum_of(value, ...) in SQL: what a row of a result file keeps to show that its values are those that
// were written.
#pragma once

#include <sqlite3.h>

namespace kerncast::sweep {

// 64 bits over numbers and texts, however a table stores them. No protection against intent. SQLite's code of
// success or failure.
int add_checksum_of(sqlite3* db);

} // namespace kerncast::sweep
