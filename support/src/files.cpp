#include "support/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "support/compressed_text.h"
#include "support/file_copies.h"

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

// Of pipes and devices, which do not say beforehand how much they have.
constexpr std::uintmax_t max_stream_bytes = std::uintmax_t{1} << 28;

tl::unexpected<Diagnostics> too_large(const fs::path& path, std::uintmax_t max_bytes) {
  return file_error(path, fmt::format("larger than {} bytes", max_bytes), "split the file");
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

// A device or a pipe has no old contents to keep, and renaming a file over it would remove it.
bool is_device_or_pipe(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

using Produce = std::function<Expected<void>(const WriteText& write)>;

Expected<void> write_to_descriptor(const fs::path& path, int descriptor, const std::string& note,
                                   const Produce& produce) {
  return produce([&](std::string_view piece) -> Expected<void> {
    const Expected<void> written = write_all(descriptor, piece);
    if (written)
      return {};
    return file_error(path, "cannot write: " + written.error().front().message, note);
  });
}

constexpr const char* stream_note = "check that whatever reads it is still there and has room";
constexpr const char* file_note = "the previous contents, if any, are unchanged";

Expected<void> write_to_device(const fs::path& path, const Produce& produce) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0)
    return file_error(path, fmt::format("cannot write: {}", std::strerror(errno)), "check its permissions");
  Expected<void> written = write_to_descriptor(path, descriptor, stream_note, produce);
  ::close(descriptor);
  return written;
}

// -1 for paths that are none of the process's own streams. They may be redirected to a file, which must not
// be opened a second time: writing would begin at its start again.
int own_stream(const fs::path& path) {
  if (path == "-" || path == "/dev/stdout")
    return STDOUT_FILENO;
  return path == "/dev/stderr" ? STDERR_FILENO : -1;
}

// A link keeps pointing to the file that is written, also if that is not there yet.
fs::path target_of(fs::path path) {
  constexpr int most_links = 40; // as of Linux
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(path, error); ++i)
    path = path.parent_path() / fs::read_symlink(path, error);
  return path;
}

// The process number keeps two jobs that write the same file apart.
std::string temporary_of(const fs::path& path) { return fmt::format("{}.{}.tmp", path.string(), ::getpid()); }

// Its descriptor.
Expected<int> make_temporary(const fs::path& path) {
  const int descriptor = ::open(temporary_of(path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor >= 0)
    return descriptor;
  return file_error(path, fmt::format("cannot write: {}", std::strerror(errno)),
                    "check that the folder exists and may be written");
}

} // namespace

fs::path written_path(const fs::path& path) {
  std::error_code error;
  const fs::path target = target_of(fs::absolute(path, error));
  const fs::path found = fs::weakly_canonical(target, error);
  return error ? target : found;
}

bool is_stream(const fs::path& path) { return own_stream(path) >= 0 || is_device_or_pipe(path); }

Expected<void> check_writable(const fs::path& named) {
  if (is_stream(named))
    return {};
  const fs::path path = target_of(named);
  if (std::error_code error; fs::is_directory(path, error))
    return file_error(path, "is a directory, not a file", "name a file in it");
  return make_temporary(path).map([&](int descriptor) {
    ::close(descriptor);
    ::unlink(temporary_of(path).c_str());
  });
}

Expected<std::string> read_file(const fs::path& path, std::uintmax_t max_bytes) {
  if (std::optional<std::string> copy = file_copies::find(path); copy && copy->size() <= max_bytes)
    return *std::move(copy);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return file_error(path, "no such file", "check the spelling of the path");
  if (error)
    return file_error(path, "cannot read: " + error.message(), "check the permissions of the path");
  if (fs::is_directory(status))
    return file_error(path, "is a directory, not a file", "name a file in it");
  const bool has_size = fs::is_regular_file(status);
  const std::uintmax_t size = has_size ? fs::file_size(path, error) : 0;
  if (!has_size)
    max_bytes = std::min(max_bytes, max_stream_bytes);
  if (size > max_bytes)
    return too_large(path, max_bytes);
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return file_error(path, fmt::format("cannot open: {}", std::strerror(errno)),
                      "check the permissions of the file");
  // A device may never end, so the limit also holds for what has no size.
  std::string text;
  constexpr std::size_t chunk_bytes = 1 << 16;
  text.reserve(size + chunk_bytes); // growing would copy a large file again and again, and hold it twice
  while (in && text.size() <= max_bytes) {
    const std::size_t before = text.size();
    text.resize(before + chunk_bytes);
    in.read(text.data() + before, chunk_bytes);
    text.resize(before + static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > max_bytes)
    return too_large(path, max_bytes);
  if (in.bad())
    return file_error(path, "cannot read to the end", "check the disk");
  file_copies::keep(path, text);
  return text;
}

Expected<SourceText> read_source(const fs::path& path) {
  Expected<std::string> text = read_file(path);
  if (text && is_compressed(path.string()))
    text = decompress_text(path.string(), *text);
  return std::move(text).map([&](std::string&& read) { return SourceText(path.string(), std::move(read)); });
}

Expected<void> write_file(const fs::path& path, std::string_view contents) {
  return write_file_in_pieces(path, [&](const WriteText& write) { return write(contents); });
}

Expected<void> write_file_in_pieces(const fs::path& named, const Produce& produce) {
  if (const int stream = own_stream(named); stream >= 0)
    return write_to_descriptor(stream == STDOUT_FILENO ? "standard output" : named, stream, stream_note,
                               produce);
  if (is_device_or_pipe(named))
    return write_to_device(named, produce);
  const fs::path path = target_of(named);
  const std::string temporary = temporary_of(path);
  const Expected<int> made = make_temporary(path);
  if (!made)
    return tl::unexpected(made.error());
  const int descriptor = *made;
  Expected<void> written = write_to_descriptor(path, descriptor, file_note, produce);
  const bool flushed = written && ::fsync(descriptor) == 0;
  const int flush_error = errno;
  const bool closed = ::close(descriptor) == 0;
  if (flushed && closed && std::rename(temporary.c_str(), path.c_str()) == 0)
    return {};
  const std::string reason = std::strerror(written && !flushed ? flush_error : errno);
  ::unlink(temporary.c_str());
  return written ? file_error(path, "cannot write: " + reason, file_note) : std::move(written);
}

} // namespace kerncast
