// Numbers of 64 bits, least significant byte first: key, fields, and last the sum of all before it.
#include "encode.h"

#include <bit>
#include <utility>
#include <vector>

namespace kerncast::engine {
namespace {

constexpr std::size_t word_bytes = 8;

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < word_bytes; ++i)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << 8 * i;
  return word;
}

// FNV-1a over words, with a rotation so that every bit reaches every other.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (std::size_t at = 0; at + word_bytes <= bytes.size(); at += word_bytes)
    sum = std::rotl((sum ^ word_at(bytes, at)) * 0x100000001b3ULL, 29);
  return sum;
}

class Writer {
public:
  void number(std::uint64_t word) {
    for (std::size_t i = 0; i < word_bytes; ++i)
      bytes.push_back(static_cast<char>(word >> 8 * i & 0xff));
  }
  void number(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  // How many elements follow.
  template <class T> void list(const std::vector<T>& values) { number(std::uint64_t{values.size()}); }

  std::string bytes;
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  void number(std::uint64_t& word) {
    whole_ = whole_ && at_ + word_bytes <= bytes_.size();
    if (!whole_)
      return;
    word = word_at(bytes_, at_);
    at_ += word_bytes;
  }
  void number(double& value) {
    std::uint64_t word = 0;
    number(word);
    value = std::bit_cast<double>(word);
  }
  template <class T> void list(std::vector<T>& values) {
    std::uint64_t size = 0;
    number(size);
    whole_ = whole_ && size <= (bytes_.size() - at_) / word_bytes; // every element has a word at least
    values.resize(whole_ ? size : 0);
  }
  bool ended_whole() const { return whole_ && at_ == bytes_.size(); }

private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool whole_ = true;
};

template <class Archive, class States> void states(Archive& archive, States& cycles) {
  for (auto& one : cycles)
    archive.number(one);
}

// The fields in one order for both directions; `Result` is const when it is written.
template <class Archive, class Result> void fields(Archive& archive, Result& r) {
  for (auto* value : {&r.cycles, &r.trigger_cycles, &r.prologue_cycles})
    archive.number(*value);
  archive.number(r.warp_instructions);
  states(archive, r.warp_state_cycles);
  archive.number(r.resident_warp_cycles);
  archive.list(r.unit_busy_cycles);
  for (auto& busy : r.unit_busy_cycles)
    archive.number(busy);
  for (auto* value : {&r.l2_bytes, &r.l2_data_bytes, &r.l2_request_bytes, &r.l2_fetched_bytes, &r.dram_bytes,
                      &r.dram_queueing, &r.issue_cycles, &r.memory_port_cycles, &r.hottest_turns})
    archive.number(*value);
  archive.number(r.broken_barriers);
  archive.number(r.simulated_warp_instructions);
  auto& continued = r.continued;
  for (auto* value : {&continued.ctas, &continued.all_ctas, &continued.iterations, &continued.all_iterations})
    archive.number(*value);
  archive.number(continued.error);
  archive.list(r.ops);
  for (auto& op : r.ops) {
    archive.number(op.issued);
    states(archive, op.state_cycles);
  }
  archive.number(r.residency.bin_cycles);
  archive.list(r.residency.warp_cycles);
  for (auto& cycles : r.residency.warp_cycles)
    archive.number(cycles);
  archive.list(r.others);
  for (auto& other : r.others)
    fields(archive, other);
}

} // namespace

std::string encode(const WorkloadKey& key, const SmResult& result) {
  Writer writer;
  writer.number(key.high);
  writer.number(key.low);
  fields(writer, result);
  writer.number(checksum(writer.bytes));
  return std::move(writer.bytes);
}

std::optional<SmResult> decode(const WorkloadKey& key, std::string_view bytes) {
  if (bytes.size() < 3 * word_bytes || bytes.size() % word_bytes != 0)
    return std::nullopt;
  const std::string_view contents = bytes.substr(0, bytes.size() - word_bytes);
  if (word_at(bytes, contents.size()) != checksum(contents) || word_at(bytes, 0) != key.high ||
      word_at(bytes, word_bytes) != key.low)
    return std::nullopt;
  Reader reader(contents.substr(2 * word_bytes));
  SmResult result;
  fields(reader, result);
  return reader.ended_whole() ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace kerncast::engine
