// Reading input files and writing output files so that a reader never sees half of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace kerncast {

// Largest text file read into memory; bigger ones are refused with a diagnostic.
inline constexpr std::uintmax_t max_text_file_bytes = std::uintmax_t{1} << 31;

// The whole file. Fails on unreadable paths, directories and files above the limit.
Expected<std::string> read_file(const std::filesystem::path& path,
                                std::uintmax_t max_bytes = max_text_file_bytes);

// The whole file as named text for diagnostics that point into it. Of a compressed one (its name ends in
// .json.zst or .jsonl.zst) what it becomes.
Expected<SourceText> read_source(const std::filesystem::path& path);

// Writes to a temporary name in the same folder, flushes to the disk and renames: the file has its old
// contents or the new ones, never a part. "-" is standard output; devices and pipes are written directly.
Expected<void> write_file(const std::filesystem::path& path, std::string_view contents);

// What write_file writes directly: standard output and error, devices and pipes.
bool is_stream(const std::filesystem::path& path);

// That write_file can begin, to know before there is anything to write.
Expected<void> check_writable(const std::filesystem::path& path);

// The file that is written there, by its full path: links are followed, also those to files that are not
// there yet.
std::filesystem::path written_path(const std::filesystem::path& path);

// Takes a text piece by piece.
using WriteText = std::function<Expected<void>(std::string_view piece)>;

// Likewise, what `produce` hands over. Its own errors are passed on; the file then has its old contents.
Expected<void> write_file_in_pieces(const std::filesystem::path& path,
                                    const std::function<Expected<void>(const WriteText& write)>& produce);

} // namespace kerncast
