#include "support/file_copies.h"

#include <map>
#include <mutex>
#include <utility>

#include "support/byte_parts.h"

namespace kerncast::file_copies {
namespace {

struct Copies {
  std::mutex mutex; // guards what follows
  bool keeps = false;
  std::map<std::string, std::string> kept;     // text by path
  std::map<std::string, std::string> provided; // likewise
  std::set<std::string> known;                 // paths
};

Copies& copies() {
  static Copies of_process;
  return of_process;
}

} // namespace

void begin() {
  const std::lock_guard lock(copies().mutex);
  copies().keeps = true;
}

std::string end() {
  const std::lock_guard lock(copies().mutex);
  copies().keeps = false;
  std::string bytes;
  for (const auto& [path, text] : std::exchange(copies().kept, {})) {
    append_part(path, bytes);
    append_part(text, bytes);
  }
  return bytes;
}

void provide(std::string_view bytes) {
  const std::lock_guard lock(copies().mutex);
  while (!bytes.empty()) {
    const std::string_view path = take_part(bytes);
    copies().provided.insert_or_assign(std::string(path), std::string(take_part(bytes)));
    copies().known.emplace(path);
  }
}

std::set<std::string> known() {
  const std::lock_guard lock(copies().mutex);
  return copies().known;
}

std::optional<std::string> find(const std::filesystem::path& path) {
  const std::lock_guard lock(copies().mutex);
  const auto copy = copies().provided.find(path.string());
  return copy == copies().provided.end() ? std::nullopt : std::optional(copy->second);
}

void keep(const std::filesystem::path& path, const std::string& text) {
  const std::lock_guard lock(copies().mutex);
  copies().known.insert(path.string());
  if (copies().keeps)
    copies().kept.insert_or_assign(path.string(), text);
}

} // namespace kerncast::file_copies
