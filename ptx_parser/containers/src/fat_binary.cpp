#include "fat_binary.h"

#include "bytes.h"

namespace kerncast::containers {
namespace {

constexpr std::uint64_t magic = 0xBA55ED50;
constexpr std::uint64_t header_bytes = 16;
constexpr std::uint64_t entry_header_bytes = 64;
constexpr std::uint64_t lz4_flag = 0x2000;
constexpr std::uint64_t zstd_flag = 0x8000;
// The largest libraries have some thousands; overlapping sections must not multiply them without end.
constexpr std::size_t most_entries = std::size_t{1} << 16;

std::vector<std::string> damaged() { return {"the file is damaged or truncated; copy or build it again"}; }

Payload payload_of(std::uint64_t kind) {
  return kind == 1 ? Payload::ptx : kind == 2 ? Payload::machine_code : Payload::other;
}

// Reads [begin, end) of a file.
class FatBinaryReader {
public:
  FatBinaryReader(const SourceText& file, std::uint64_t begin, std::uint64_t end, std::uint32_t& unit,
                  std::vector<Entry>& out)
      : file_(file), bytes_(file.text()), at_(begin), end_(end), unit_(unit), out_(out) {}

  Expected<void> run() {
    for (skip_padding(); at_ < end_; skip_padding()) {
      if (Expected<void> read = fat_binary(); !read)
        return read;
      ++unit_;
    }
    return {};
  }

private:
  void skip_padding() {
    while (at_ < end_ && bytes_[at_] == 0)
      ++at_;
  }

  Expected<void> fat_binary() {
    if (!lies_within(at_, header_bytes, end_) || number_at(bytes_, at_, 4) != magic)
      return fail_at(file_, at_, "no fat binary begins here", damaged());
    if (const std::uint64_t version = number_at(bytes_, at_ + 4, 2); version != 1)
      return fail_at(file_, at_ + 4, fmt::format("a fat binary of version {}, not 1", version),
                     {"give the PTX itself (nvcc --ptx)"});
    const std::uint64_t header = number_at(bytes_, at_ + 6, 2);
    const std::uint64_t size = number_at(bytes_, at_ + 8, 8);
    if (header < header_bytes || !lies_within(at_, header, end_) || !lies_within(at_ + header, size, end_))
      return fail_at(file_, at_ + 6,
                     fmt::format("a fat binary of {} + {} bytes, but {} are left", header, size, end_ - at_),
                     damaged());
    at_ += header;
    for (const std::uint64_t stop = at_ + size; at_ < stop;)
      if (Expected<void> read = entry(stop); !read)
        return read;
    return {};
  }

  Expected<void> entry(std::uint64_t stop) {
    if (out_.size() >= most_entries)
      return fail_at(file_, at_, fmt::format("more than {} programs in one file", most_entries),
                     {"give the fat binary or the PTX of the kernels in question"});
    if (!lies_within(at_, entry_header_bytes, stop))
      return fail_at(file_, at_, "the header of a program ends behind its fat binary", damaged());
    const std::uint64_t header = number_at(bytes_, at_ + 4, 4);
    const std::uint64_t padded = number_at(bytes_, at_ + 8, 8);
    if (header < entry_header_bytes || !lies_within(at_, header, stop) ||
        !lies_within(at_ + header, padded, stop))
      return fail_at(file_, at_ + 4,
                     fmt::format("a program of {} + {} bytes, but {} are left", header, padded, stop - at_),
                     damaged());
    Expected<Entry> read = described(padded);
    if (!read)
      return tl::unexpected(read.error());
    read->offset = at_ + header;
    out_.push_back(*read);
    at_ += header + padded;
    return {};
  }

  Expected<Entry> described(std::uint64_t padded) const {
    Entry entry;
    entry.payload = payload_of(number_at(bytes_, at_, 2));
    entry.version_minor = static_cast<std::uint32_t>(number_at(bytes_, at_ + 24, 2));
    entry.version_major = static_cast<std::uint32_t>(number_at(bytes_, at_ + 26, 2));
    entry.architecture = static_cast<std::uint32_t>(number_at(bytes_, at_ + 28, 4));
    entry.unit = unit_;
    entry.bytes = padded;
    const std::uint64_t flags = number_at(bytes_, at_ + 40, 8) & (lz4_flag | zstd_flag);
    if (flags == 0)
      return entry;
    if (flags == (lz4_flag | zstd_flag))
      return fail_at(file_, at_ + 40, "a program compressed both with LZ4 and with zstd", damaged());
    entry.encoding = flags == lz4_flag ? Encoding::lz4 : Encoding::zstd;
    entry.bytes = number_at(bytes_, at_ + 16, 4);
    entry.unpacked_bytes = number_at(bytes_, at_ + 56, 8);
    if (entry.bytes > padded)
      return fail_at(file_, at_ + 16,
                     fmt::format("{} compressed bytes in a program of {} bytes", entry.bytes, padded),
                     damaged());
    return entry;
  }

  const SourceText& file_;
  std::string_view bytes_;
  std::uint64_t at_;
  std::uint64_t end_;
  std::uint32_t& unit_;
  std::vector<Entry>& out_;
};

} // namespace

bool is_fat_binary(std::string_view bytes) { return bytes.size() >= 4 && number_at(bytes, 0, 4) == magic; }

Expected<void> read_fat_binaries(const SourceText& file, std::uint64_t offset, std::uint64_t bytes,
                                 std::uint32_t& unit, std::vector<Entry>& out) {
  return FatBinaryReader(file, offset, offset + bytes, unit, out).run();
}

} // namespace kerncast::containers
