#include "program.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

namespace kerncast::test {

namespace fs = std::filesystem;

std::string Folder::write(const std::string& name, const std::string& contents) const {
  std::ofstream(folder_.path() / name, std::ios::binary) << contents;
  return path(name);
}

std::size_t Folder::entries() const {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::string data(const std::string& name) { return KERNCAST_SOURCE_DIR "/tests/data/apps/" + name; }

Ended run(const std::string& command, const std::string& out_file) {
  const Folder streams;
  const std::string out = out_file.empty() ? streams.path("out") : out_file;
  const int status =
      std::system((command + " >" + out + " 2>" + streams.path("err") + " </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out_file.empty() ? read(out) : "",
          read(streams.path("err"))};
}

std::string on_ranks(int ranks) {
  return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0 "
         "mpirun --oversubscribe -n " +
         std::to_string(ranks);
}

Ended kerncast(const std::string& arguments, const std::string& before, const std::string& out_file) {
  return run(before + " " KERNCAST_BINARY_DIR "/bin/kerncast " + arguments, out_file);
}

} // namespace kerncast::test
