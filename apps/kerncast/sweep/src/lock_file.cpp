#include "lock_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

namespace kerncast::sweep {
namespace {

tl::unexpected<Diagnostics> refuse(const std::filesystem::path& path, std::string message, std::string note) {
  Diagnostic d;
  d.file = path.string();
  d.message = std::move(message);
  d.notes.push_back(std::move(note));
  return fail(std::move(d));
}

} // namespace

Expected<LockedFile> LockedFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return refuse(path, fmt::format("cannot write: {}", std::strerror(errno)),
                  "name a file in a folder that exists and can be written to");
  LockedFile file(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return file;
  if (errno == EWOULDBLOCK)
    return refuse(path, "another job writes to this file",
                  "wait until it has ended, or name another file; results of two jobs do not mix");
  return refuse(path, fmt::format("cannot be locked: {}", std::strerror(errno)),
                "name a file on a file system with locks, such as a local disk");
}

LockedFile::~LockedFile() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

LockedFile::LockedFile(LockedFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

} // namespace kerncast::sweep
