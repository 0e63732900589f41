// Whether a database is a result file, whole, and of this sweep: all that can be said before its rows are
// read.
#pragma once

#include <filesystem>

#include "sqlite.h"
#include "sweep/store.h"

namespace kerncast::sweep {

// The schema of a file of ours; 0: it is empty.
Expected<int> known_schema(const Connection& file);

// A file of one of our schemas.
Expected<void> check_file(const Connection& file, const StoreContents& contents);

// That the tables and views are those that this schema makes.
Expected<void> check_schema(const Connection& file, const StoreContents& contents);

} // namespace kerncast::sweep
