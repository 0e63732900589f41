// A sweep that runs beside the test.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace kerncast::test {

// Starts the program itself, so that a signal reaches it and not a shell. What it says on standard error goes
// to the file, standard output nowhere.
pid_t start_sweep(const std::string& file, const std::string& results,
                  const std::vector<std::string>& options = {}, const std::string& err = "/dev/null");

// Its exit code, or -N if signal N ended it.
int end_of(pid_t child);
bool has_ended(pid_t child);

} // namespace kerncast::test
