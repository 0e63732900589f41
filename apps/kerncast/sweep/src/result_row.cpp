#include "sweep/result_row.h"

#include <cassert>
#include <cstring>

#include <fmt/format.h>

namespace kerncast::sweep {
namespace {

class Writer {
public:
  void field(const std::string& text) {
    field(static_cast<double>(text.size()));
    bytes += text;
  }
  void field(double number) {
    char raw[sizeof number];
    std::memcpy(raw, &number, sizeof number);
    bytes.append(raw, sizeof raw);
  }
  template <class List> void count(const List& list) { field(static_cast<double>(list.size())); }
  // A text that often is that of the row before.
  void repeated(const std::string& text) {
    const bool is_same = before_ != nullptr && *before_ == text;
    field(is_same ? 1.0 : 0.0);
    if (!is_same)
      field(text);
    before_ = &text;
  }
  std::string bytes;

private:
  const std::string* before_ = nullptr;
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  void field(std::string& text) {
    const std::size_t size = size_field();
    text = std::string(take(size));
  }
  void field(double& number) { std::memcpy(&number, take(sizeof number).data(), sizeof number); }
  template <class T> void count(std::vector<T>& list) { list.resize(size_field()); }
  void repeated(std::string& text) {
    double is_same = 0;
    field(is_same);
    assert((is_same == 0 || before_ != nullptr) && "the first text is there");
    if (is_same == 0)
      field(text);
    else
      text = *before_;
    before_ = &text;
  }

private:
  std::size_t size_field() {
    double size = 0;
    field(size);
    return static_cast<std::size_t>(size);
  }
  std::string_view take(std::size_t size) {
    assert(size <= bytes_.size() && "a row is decoded from all that it was encoded to");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::string_view bytes_;
  const std::string* before_ = nullptr;
};

// In one order for both directions; `Row` is const when it is written.
template <class Archive, class Row> void fields(Archive& archive, Row& row) {
  for (auto* text : {&row.app, &row.gpu, &row.point, &row.error, &row.gpu_hash})
    archive.field(*text);
  archive.repeated(row.assumptions);
  for (auto* number : {&row.total_time_us, &row.gpu_busy_us})
    archive.field(*number);
  archive.count(row.settings);
  for (auto& setting : row.settings) {
    archive.field(setting.key);
    archive.field(setting.value);
  }
  archive.count(row.kernels);
  for (auto& k : row.kernels) {
    for (auto* text : {&k.kernel, &k.limiter, &k.bound})
      archive.field(*text);
    for (auto* number :
         {&k.launches, &k.time_us, &k.cycles, &k.warp_instructions, &k.ipc_per_sm, &k.ctas_per_sm,
          &k.warps_per_sm, &k.occupancy, &k.registers, &k.l1_hit, &k.l2_hit, &k.l2_bytes, &k.dram_bytes})
      archive.field(*number);
  }
}

} // namespace

Fingerprint key_of(std::string_view app, std::string_view gpu, std::string_view point) {
  return fingerprint(fmt::format("{}\n{}\n{}", app, gpu, point));
}

std::string encode(std::span<const ResultRow> rows) {
  Writer writer;
  writer.count(rows);
  for (const ResultRow& row : rows)
    fields(writer, row);
  return std::move(writer.bytes);
}

std::vector<ResultRow> decode(std::string_view bytes) {
  std::vector<ResultRow> rows;
  Reader reader(bytes);
  reader.count(rows);
  for (ResultRow& row : rows)
    fields(reader, row);
  return rows;
}

} // namespace kerncast::sweep
