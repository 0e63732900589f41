// Payload to text. The size that a file states is believed only as far as its compressed size makes likely.
#include <algorithm>

#include <lz4.h>
#include <zstd.h>

#include "bytes.h"
#include "containers/container.h"

namespace kerncast::containers {
namespace {

constexpr std::uint64_t largest_text_bytes = std::uint64_t{1} << 29;
// PTX of generated kernels shrinks to a few hundredths; text of one repeated letter shrinks more.
constexpr std::uint64_t largest_ratio = 1024;
constexpr std::uint64_t ratio_allowance_bytes = std::uint64_t{1} << 20;

std::uint64_t limit_of(std::uint64_t packed_bytes) {
  return std::min(largest_text_bytes, ratio_allowance_bytes + largest_ratio * packed_bytes);
}

// Bytes written, or nothing for what is damaged or has another size than stated.
bool decompress(std::string_view packed, Encoding encoding, std::string& out) {
  if (encoding == Encoding::zstd)
    return ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) == out.size();
  return LZ4_decompress_safe(packed.data(), out.data(), static_cast<int>(packed.size()),
                             static_cast<int>(out.size())) == static_cast<int>(out.size());
}

Expected<std::string> decompressed(const SourceText& file, const Entry& entry, std::string_view packed) {
  const std::uint64_t limit = limit_of(packed.size());
  if (packed.size() > largest_text_bytes || entry.unpacked_bytes > limit)
    return fail_at(file, entry.offset,
                   fmt::format("{} compressed bytes that become {}: more than {} is refused", packed.size(),
                               entry.unpacked_bytes, limit),
                   {"give the PTX itself (nvcc --ptx)"});
  std::string text(entry.unpacked_bytes, '\0');
  if (!decompress(packed, entry.encoding, text))
    return fail_at(file, entry.offset,
                   fmt::format("damaged {} data", entry.encoding == Encoding::lz4 ? "LZ4" : "zstd"),
                   {"the file is damaged; copy or build it again"});
  return text;
}

} // namespace

Expected<std::string> unpack(const SourceText& file, const Entry& entry) {
  const std::string_view payload = file.text().substr(entry.offset, entry.bytes);
  const auto without_padding = [&](std::string text) {
    text.resize(text.find_last_not_of('\0') + 1);
    if (entry.encoding == Encoding::debug_lines)
      std::replace(text.begin(), text.end(), '\0', '\n');
    return text;
  };
  if (entry.encoding == Encoding::lz4 || entry.encoding == Encoding::zstd)
    return decompressed(file, entry, payload).map(without_padding);
  return without_padding(std::string(payload));
}

} // namespace kerncast::containers
