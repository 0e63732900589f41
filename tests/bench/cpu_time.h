// CPU time of this process, user and system: what the measuring programs report.
#pragma once

#include <ctime>

namespace kerncast::bench {

inline double cpu_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace kerncast::bench
