// JSON text compressed with zstd (RFC 8878): one frame, or several one behind the other. Dictionaries and
// windows above 128 MiB are not read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/diagnostics.h"
#include "support/files.h"

namespace kerncast {

// Largest text that a compressed file may become: that of a plain file.
inline constexpr std::uint64_t max_decompressed_bytes = max_text_file_bytes;

// "a.jsonl" of "a.jsonl.zst", "a.json" of "a.json.zst"; other names as they are.
std::string_view uncompressed_name(std::string_view name);

// Whether the file's contents are compressed, by its name.
bool is_compressed(std::string_view name);

// The text of the file `name`. Fails on data that are damaged, end too early or become more than the limit;
// no memory is taken for the text of such.
Expected<std::string> decompress_text(const std::string& name, std::string_view packed,
                                      std::uint64_t max_bytes = max_decompressed_bytes);

} // namespace kerncast
