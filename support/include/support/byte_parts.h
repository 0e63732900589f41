// Texts and plain values one after the other as bytes, for other processes of the same program. Each text has
// the number of its bytes before it.
#pragma once

#include <cassert>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kerncast {

void append_part(std::string_view part, std::string& bytes);

// The first part, which `bytes` then no longer begins with; they come from `append_part`.
std::string_view take_part(std::string_view& bytes);

template <class Plain> void append_plain(const Plain& plain, std::string& bytes) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  bytes.append(reinterpret_cast<const char*>(&plain), sizeof plain);
}

template <class Plain> Plain take_plain(std::string_view& bytes) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  assert(bytes.size() >= sizeof(Plain) && "values are taken as they were appended");
  Plain plain;
  std::memcpy(&plain, bytes.data(), sizeof plain);
  bytes.remove_prefix(sizeof plain);
  return plain;
}

template <class Plain> void append_plains(const std::vector<Plain>& plains, std::string& bytes) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  append_part({reinterpret_cast<const char*>(plains.data()), plains.size() * sizeof(Plain)}, bytes);
}

template <class Plain> std::vector<Plain> take_plains(std::string_view& bytes) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  const std::string_view part = take_part(bytes);
  std::vector<Plain> plains(part.size() / sizeof(Plain));
  if (!plains.empty()) // memcpy takes no null pointers, even for nothing
    std::memcpy(plains.data(), part.data(), part.size());
  return plains;
}

} // namespace kerncast
