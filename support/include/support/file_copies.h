// Files that a job of many processes reads once: one process keeps copies of what it reads, the others get
// these instead of asking the file system, too.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace kerncast::file_copies {

// From now on read_file keeps a copy of every file.
void begin();
// No longer; all copies as bytes, for another process.
std::string end();
// From now on read_file answers with these, whatever has happened to the files since. The bytes come from
// `end`.
void provide(std::string_view bytes);

// All files that this process has read so far, or was provided with, by the paths that it used.
std::set<std::string> known();

// For read_file.
std::optional<std::string> find(const std::filesystem::path& path);
void keep(const std::filesystem::path& path, const std::string& text);

} // namespace kerncast::file_copies
