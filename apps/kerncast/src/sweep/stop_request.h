// When a long command should end early: a signal, or the time it was given.
//
// SIGTERM, SIGINT and SIGUSR1 (Slurm's early warning) ask for it once; a second signal of a kind ends the
// process as usual. Writing past a file size limit becomes an error instead of a signal.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "support/diagnostics.h"

namespace kerncast::app {

// The program's exit code: stopped early with everything finished kept; asked again it goes on.
inline constexpr int exit_stopped = 75;

class StopRequest {
public:
  // `of_several`: the process is one of several ranks, which their launcher ends with signals, too.
  explicit StopRequest(std::optional<std::chrono::seconds> limit, bool of_several = false);

  bool is_made() const;
  // "SIGTERM", "--time-limit"; empty if none is made.
  std::string reason() const;
  // The same, and who sent the signal if that was the launcher of several ranks.
  std::string told() const;

private:
  bool of_several_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

// 90, 90s, 10m, 2h, 1:30:00; nothing for an empty text.
Expected<std::optional<std::chrono::seconds>> parse_time_limit(const std::string& text);

} // namespace kerncast::app
