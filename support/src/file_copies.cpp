#include "support/file_copies.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace kerncast::file_copies {
namespace {

struct Copies {
  std::mutex mutex; // guards what follows
  bool keeps = false;
  std::map<std::string, std::string> kept;     // text by path
  std::map<std::string, std::string> provided; // likewise
};

Copies& copies() {
  static Copies of_process;
  return of_process;
}

void append(std::string_view text, std::string& bytes) {
  const std::uint64_t size = text.size();
  char raw[sizeof size];
  std::memcpy(raw, &size, sizeof size);
  bytes.append(raw, sizeof raw);
  bytes += text;
}

std::string take(std::string_view& bytes) {
  std::uint64_t size = 0;
  assert(bytes.size() >= sizeof size && "copies are provided as they were kept");
  std::memcpy(&size, bytes.data(), sizeof size);
  std::string text(bytes.substr(sizeof size, size));
  bytes.remove_prefix(sizeof size + size);
  return text;
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
    append(path, bytes);
    append(text, bytes);
  }
  return bytes;
}

void provide(std::string_view bytes) {
  const std::lock_guard lock(copies().mutex);
  while (!bytes.empty()) {
    std::string path = take(bytes);
    copies().provided.insert_or_assign(std::move(path), take(bytes));
  }
}

std::optional<std::string> find(const std::filesystem::path& path) {
  const std::lock_guard lock(copies().mutex);
  const auto copy = copies().provided.find(path.string());
  return copy == copies().provided.end() ? std::nullopt : std::optional(copy->second);
}

void keep(const std::filesystem::path& path, const std::string& text) {
  const std::lock_guard lock(copies().mutex);
  if (copies().keeps)
    copies().kept.insert_or_assign(path.string(), text);
}

} // namespace kerncast::file_copies
