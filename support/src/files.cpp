#include "support/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace kerncast {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Diagnostics> file_error(const fs::path& path, std::string message, std::string note) {
  Diagnostic d;
  d.file = path.string();
  d.message = std::move(message);
  d.notes.push_back(std::move(note));
  return fail(std::move(d));
}

Expected<void> write_all(int descriptor, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return fail(std::strerror(errno));
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

} // namespace

Expected<std::string> read_file(const fs::path& path, std::uintmax_t max_bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return file_error(path, "no such file", "check the spelling of the path");
  if (error)
    return file_error(path, "cannot read: " + error.message(), "check the permissions of the path");
  if (fs::is_directory(status))
    return file_error(path, "is a directory, not a file", "name a file in it");
  if (fs::is_regular_file(status) && fs::file_size(path, error) > max_bytes)
    return file_error(path, fmt::format("larger than {} bytes", max_bytes), "split the file");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return file_error(path, fmt::format("cannot open: {}", std::strerror(errno)),
                      "check the permissions of the file");
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad() || (text.fail() && !fs::is_empty(path, error)))
    return file_error(path, "cannot read to the end", "check the disk");
  return std::move(text).str();
}

Expected<SourceText> read_source(const fs::path& path) {
  return read_file(path).map([&](std::string text) { return SourceText(path.string(), std::move(text)); });
}

Expected<void> write_file(const fs::path& path, std::string_view contents) {
  if (path == "-")
    return write_all(STDOUT_FILENO, contents);
  // The process number keeps two jobs that write the same file apart.
  const std::string temporary = fmt::format("{}.{}.tmp", path.string(), ::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return file_error(path, fmt::format("cannot write: {}", std::strerror(errno)),
                      "check that the folder exists and may be written");
  const Expected<void> written = write_all(descriptor, contents);
  const bool flushed = written && ::fsync(descriptor) == 0;
  const int flush_error = errno;
  const bool closed = ::close(descriptor) == 0;
  if (flushed && closed && std::rename(temporary.c_str(), path.c_str()) == 0)
    return {};
  const std::string reason =
      !written ? written.error().front().message : std::strerror(!flushed ? flush_error : errno);
  ::unlink(temporary.c_str());
  return file_error(path, "cannot write: " + reason, "the previous contents, if any, are unchanged");
}

} // namespace kerncast
