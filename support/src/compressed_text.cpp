// Decompresses twice, the first time to learn the size and whether the data are whole: the text then takes as
// much memory as it needs, and a small file that would become a huge one takes none.
#include "support/compressed_text.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace kerncast {
namespace {

class Decompressor {
public:
  explicit Decompressor(std::string_view packed) : in_{packed.data(), packed.size(), 0} {}

  // The next bytes of the text; empty: no more can be read.
  std::string_view next() {
    ZSTD_outBuffer out{piece_.data(), piece_.size(), 0};
    while (out.pos < out.size && error_ == ZSTD_error_no_error && (in_frame_ || in_.pos < in_.size)) {
      const std::size_t before = in_.pos + out.pos;
      const std::size_t left = ZSTD_decompressStream(stream_.get(), &out, &in_);
      error_ = ZSTD_getErrorCode(left);
      in_frame_ = left != 0;
      if (in_.pos + out.pos == before) // the frame goes on behind the end of the data
        break;
    }
    return std::string_view(piece_).substr(0, out.pos);
  }

  bool ended_in_frame() const { return in_frame_; }
  ZSTD_ErrorCode error() const { return error_; }

private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  std::string piece_ = std::string(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer in_;
  bool in_frame_ = true; // a file has at least one
  ZSTD_ErrorCode error_ = ZSTD_error_no_error;
};

tl::unexpected<Diagnostics> refuse(const std::string& name, std::string message, std::string note) {
  return fail(SourceText(name, {}).error({}, 1, std::move(message), {std::move(note)}));
}

struct Extent {
  std::uint64_t bytes = 0;
  std::uint64_t line = 1;
};

// Why the text ends where it does, although the data are not at their end or their last frame is not.
tl::unexpected<Diagnostics> damaged(const std::string& name, ZSTD_ErrorCode error, Extent read) {
  const std::string as_far =
      fmt::format("the text could be read up to byte {}, in line {}", read.bytes, read.line);
  if (error == ZSTD_error_no_error)
    return refuse(name, "the zstd data end too early: " + as_far, "the file was cut; copy or write it again");
  if (error == ZSTD_error_prefix_unknown && read.bytes == 0)
    return refuse(name, "no zstd data, which the name promises",
                  "compress it ('zstd FILE') or leave .zst out of the name");
  if (error == ZSTD_error_frameParameter_windowTooLarge)
    return refuse(name, "the zstd data need more than 128 MiB for their window: " + as_far,
                  "compress it again, with --long=27 at most");
  return refuse(name, fmt::format("damaged zstd data ({}): {}", ZSTD_getErrorString(error), as_far),
                "the file is damaged; copy or write it again");
}

// Bytes of the text.
Expected<std::uint64_t> measure(const std::string& name, std::string_view packed, std::uint64_t max_bytes) {
  Decompressor data(packed);
  Extent read;
  for (std::string_view piece = data.next(); !piece.empty(); piece = data.next()) {
    read.bytes += piece.size();
    read.line += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
    if (read.bytes > max_bytes)
      return refuse(name,
                    fmt::format("{} compressed bytes that become more than {}", packed.size(), max_bytes),
                    "split the file");
  }
  if (data.ended_in_frame())
    return damaged(name, data.error(), read);
  return read.bytes;
}

} // namespace

std::string_view uncompressed_name(std::string_view name) {
  constexpr std::string_view ending = ".zst";
  const bool compressed = name.ends_with(".json.zst") || name.ends_with(".jsonl.zst");
  return compressed ? name.substr(0, name.size() - ending.size()) : name;
}

bool is_compressed(std::string_view name) { return uncompressed_name(name).size() < name.size(); }

Expected<std::string> decompress_text(const std::string& name, std::string_view packed,
                                      std::uint64_t max_bytes) {
  return measure(name, packed, max_bytes).map([&](std::uint64_t bytes) {
    std::string text;
    text.reserve(bytes);
    Decompressor data(packed);
    for (std::string_view piece = data.next(); !piece.empty(); piece = data.next())
      text += piece;
    return text;
  });
}

} // namespace kerncast
