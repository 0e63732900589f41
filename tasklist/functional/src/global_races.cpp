#include "global_races.h"

#include <algorithm>

#include <fmt/format.h>

namespace kerncast::functional {
namespace {

constexpr std::uint64_t word_bytes = 4;

std::uint64_t words_of(const Buffer& buffer) { return (buffer.size() + word_bytes - 1) / word_bytes; }

} // namespace

GlobalRaces::GlobalRaces(const DeviceMemory& memory, bool locks) : memory_(memory), locks_(locks) {
  std::uint64_t all = 0;
  for (std::size_t b = 0; b < memory.buffer_count(); ++b)
    all += words_of(memory.buffer(b));
  stride_ = std::max<std::uint64_t>(1, (all + most_words - 1) / most_words);
  std::uint64_t watched = 0;
  for (std::size_t b = 0; b < memory.buffer_count(); ++b) {
    first_.push_back(watched);
    watched += (words_of(memory.buffer(b)) + stride_ - 1) / stride_;
  }
  first_.push_back(watched);
  // Zeros, whose pages cost nothing until they are touched.
  words_.reset(static_cast<Word*>(std::calloc(std::max<std::uint64_t>(watched, 1), sizeof(Word))));
}

void GlobalRaces::remember(Word& word, const Writer& writer) {
  word.lowest_cta = std::min(word.lowest_cta, writer.cta);
  word.line = std::min(word.line, writer.line);
  if (writer.cta < word.highest_cta)
    return;
  word.highest_cta = writer.cta;
  word.highest_warp = writer.warp;
  word.highest_lane = writer.lane;
}

void GlobalRaces::begin(Word& word, std::uint32_t value, const Writer& writer) {
  word.is_used = true;
  word.value = value;
  word.cta = word.lowest_cta = word.highest_cta = writer.cta;
  word.phase = writer.phase;
  word.serial = writer.serial;
  word.warp = writer.warp;
  word.line = writer.line;
  remember(word, writer);
}

void GlobalRaces::update(Word& word, std::uint32_t value, const Writer& writer) {
  remember(word, writer);
  const bool differs = word.value != value;
  if (word.cta != writer.cta) {
    word.is_racing |= differs || word.changed;
    return;
  }
  const bool is_ordered =
      word.warp == writer.warp ? word.serial != writer.serial : word.phase != writer.phase;
  word.is_racing |= differs && !is_ordered;
  word.changed |= differs;
  word.value = value;
  word.phase = writer.phase;
  word.serial = writer.serial;
  word.warp = writer.warp;
}

void GlobalRaces::store(std::size_t buffer, std::uint64_t offset, std::uint32_t value, const Writer& writer) {
  const std::uint64_t number = offset / word_bytes;
  if (words_ == nullptr || number % stride_ != 0)
    return;
  const std::uint64_t at = first_[buffer] + number / stride_;
  Word& word = words_[at];
  std::atomic_flag& busy = busy_[at % busy_.size()];
  while (locks_ && busy.test_and_set(std::memory_order_acquire)) {
  }
  if (word.is_used)
    update(word, value, writer);
  else
    begin(word, value, writer);
  if (locks_)
    busy.clear(std::memory_order_release);
}

std::optional<GlobalRace> GlobalRaces::first() const {
  for (std::size_t b = 0; words_ != nullptr && b + 1 < first_.size(); ++b)
    for (std::uint64_t at = first_[b]; at < first_[b + 1]; ++at) {
      const Word& word = words_[at];
      if (!word.is_racing)
        continue;
      const std::uint64_t offset = (at - first_[b]) * stride_ * word_bytes;
      const std::string who =
          word.lowest_cta == word.highest_cta
              ? "threads of one CTA"
              : fmt::format("threads of CTAs {} and {}", word.lowest_cta, word.highest_cta);
      Fault fault;
      fault.message = fmt::format("race: {} store different values to byte {} of buffer '{}'", who, offset,
                                  memory_.buffer(b).name());
      fault.note = "which of them stays is undefined; give each thread a place of its own, or use atomics";
      fault.line = word.line;
      fault.warp = word.highest_warp;
      fault.lane = word.highest_lane;
      return GlobalRace{word.highest_cta, std::move(fault)};
    }
  return std::nullopt;
}

} // namespace kerncast::functional
