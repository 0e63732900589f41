#include "started_sweep.h"

#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

namespace kerncast::test {

pid_t start_sweep(const std::string& file, const std::string& results,
                  const std::vector<std::string>& options, const std::string& err) {
  std::vector<const char*> words = {"kerncast",      "sweep",     file.c_str(), "-o",
                                    results.c_str(), "--threads", "2"};
  for (const std::string& option : options)
    words.push_back(option.c_str());
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    std::freopen(err.c_str(), "w", stderr);
    std::freopen("/dev/null", "w", stdout);
    ::execv(KERNCAST_BINARY_DIR "/bin/kerncast", const_cast<char* const*>(words.data()));
    ::_exit(127);
  }
  return child;
}

int end_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool has_ended(pid_t child) {
  siginfo_t ended{};
  return ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         ended.si_pid == child;
}

} // namespace kerncast::test
