// What the result file of a sweep holds, while a job writes it too.
#pragma once

#include <set>
#include <string>

namespace kerncast::test {

// Every row with its kernels; empty if there is no table yet.
std::set<std::string> rows_in(const std::string& results);

// Asks for the sweep, which must end well.
std::string csv_of(const std::string& file, const std::string& results);

} // namespace kerncast::test
