// How far a long command is, on standard error: a bar on a terminal, else a line a minute.
//
//   [###########-------------]  4521 of 11000 rows, 95.1 a second, 1:08 left
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace kerncast::app {

class Progress {
public:
  // `what`: "rows". Says nothing for `total` 0.
  Progress(std::string what, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Prints if it is time to.
  void show(std::uint64_t done);
  // Prints a line at once.
  void say(const std::string& line) const;

private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  std::uint64_t total_;
  bool terminal_;
  Clock::time_point began_, shown_;
};

// "4521 of 11000 rows, 95.1 a second, 1:08 left".
std::string progress_text(const std::string& what, std::uint64_t done, std::uint64_t total, double seconds);

} // namespace kerncast::app
