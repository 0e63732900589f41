#include "progress.h"

#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

namespace kerncast::app {
namespace {

constexpr std::chrono::milliseconds bar_interval{200};
constexpr std::chrono::seconds line_interval{60};
constexpr std::uint64_t bar_width = 24;

std::string left_text(double seconds) {
  const auto s = static_cast<std::uint64_t>(seconds);
  return s >= 3600 ? fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
                   : fmt::format("{}:{:02}", s / 60, s % 60);
}

} // namespace

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)), total_(total), terminal_(::isatty(STDERR_FILENO) == 1), began_(Clock::now()),
      shown_(began_) {}

Progress::~Progress() {
  if (terminal_ && total_ != 0)
    std::fputs("\r\x1b[K", stderr); // what follows is said in words
}

void Progress::show(std::uint64_t done) {
  const Clock::time_point now = Clock::now();
  if (total_ == 0 || (terminal_ ? now - shown_ < bar_interval : now - shown_ < line_interval))
    return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const std::string text = progress_text(what_, done, total_, seconds);
  if (!terminal_) {
    std::fputs((text + '\n').c_str(), stderr);
    return;
  }
  const std::uint64_t filled = bar_width * done / total_;
  std::fputs(
      fmt::format("\r[{}{}] {}\x1b[K", std::string(filled, '#'), std::string(bar_width - filled, '-'), text)
          .c_str(),
      stderr);
}

void Progress::say(const std::string& line) const {
  std::fputs(((terminal_ ? "\r\x1b[K" : "") + line + '\n').c_str(), stderr);
}

std::string progress_text(const std::string& what, std::uint64_t done, std::uint64_t total, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const std::string left =
      rate > 0 ? left_text(static_cast<double>(total - done) / rate) + " left" : "time left unknown";
  return fmt::format("{} of {} {}, {:.1f} a second, {}", done, total, what, rate, left);
}

} // namespace kerncast::app
