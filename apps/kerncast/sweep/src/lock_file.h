// A file that one process at a time may hold; the system lets go of it when the process ends, however.
#pragma once

#include <filesystem>

#include "support/diagnostics.h"

namespace kerncast::sweep {

class LockedFile {
public:
  // Makes the file if it is not there. Fails if another process holds it, or if it cannot be written.
  static Expected<LockedFile> open(const std::filesystem::path& path);
  ~LockedFile();
  LockedFile(LockedFile&& other) noexcept;
  LockedFile& operator=(LockedFile&&) = delete;

private:
  explicit LockedFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

} // namespace kerncast::sweep
