#include "sweep/stop_request.h"

#include <atomic>
#include <charconv>
#include <csignal>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

namespace kerncast::app {
namespace {

struct Signal {
  int number;
  const char* name;
};
constexpr Signal signals[] = {{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGUSR1, "SIGUSR1"}};

// Lock-free, so a handler may write them.
std::atomic<int> caught = 0;
std::atomic<bool> caught_of_parent = false; // sent by the process that started this one

void on_signal(int number, siginfo_t* signal, void* /*context*/) {
  caught_of_parent.store(signal->si_pid == ::getppid(), std::memory_order_relaxed);
  caught.store(number, std::memory_order_relaxed);
}

constexpr std::uint64_t most = 1'000'000'000; // seconds, or whatever is counted

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most)
    return std::nullopt;
  return value;
}

// H:MM:SS or MM:SS.
std::optional<std::uint64_t> colon_seconds(std::string_view text) {
  std::uint64_t seconds = 0;
  for (std::size_t parts = 0;; ++parts) {
    const std::size_t colon = text.find(':');
    const std::optional<std::uint64_t> part = whole(text.substr(0, colon));
    if (!part || parts == 3)
      return std::nullopt;
    seconds = seconds * 60 + *part;
    if (colon == std::string_view::npos)
      return seconds;
    text.remove_prefix(colon + 1);
  }
}

std::optional<std::uint64_t> seconds_in(std::string_view text) {
  constexpr std::pair<char, std::uint64_t> units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
  for (const auto& [letter, seconds] : units)
    if (text.ends_with(letter)) {
      text.remove_suffix(1);
      const std::optional<std::uint64_t> count = whole(text);
      return count ? std::optional(*count * seconds) : std::nullopt;
    }
  return colon_seconds(text);
}

} // namespace

StopRequest::StopRequest(std::optional<std::chrono::seconds> limit, bool of_several)
    : of_several_(of_several) {
  if (limit)
    deadline_ = std::chrono::steady_clock::now() + *limit;
  caught = 0;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART | SA_SIGINFO;
  for (const Signal& signal : signals)
    sigaction(signal.number, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool StopRequest::is_made() const {
  return caught.load(std::memory_order_relaxed) != 0 ||
         (deadline_ && std::chrono::steady_clock::now() >= *deadline_);
}

std::string StopRequest::reason() const {
  const int number = caught.load(std::memory_order_relaxed);
  for (const Signal& signal : signals)
    if (signal.number == number)
      return signal.name;
  return is_made() ? "--time-limit" : "";
}

std::string StopRequest::told() const {
  return of_several_ && caught != 0 && caught_of_parent
             ? reason() + " from the launcher of the ranks, which was asked to end them or has lost one"
             : reason();
}

Expected<std::optional<std::chrono::seconds>> parse_time_limit(const std::string& text) {
  if (text.empty())
    return std::optional<std::chrono::seconds>();
  const std::optional<std::uint64_t> seconds = seconds_in(text);
  if (!seconds || *seconds == 0 || *seconds > most)
    return fail(fmt::format("--time-limit: '{}' is no time, or more than 10^9 seconds", text),
                "for example: 90s, 10m, 2h or 1:30:00");
  return std::optional(std::chrono::seconds(*seconds));
}

} // namespace kerncast::app
