#include "global_races.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace kerncast::functional {
namespace {

constexpr std::uint64_t word_bytes = 4;

std::uint64_t words_of(const Buffer& buffer) { return (buffer.size() + word_bytes - 1) / word_bytes; }

// Zeros, whose pages cost nothing until they are touched.
template <class T> T* zeros(std::uint64_t count) {
  return static_cast<T*>(std::calloc(std::max<std::uint64_t>(count, 1), sizeof(T)));
}

std::uint32_t word_at(const Buffer& buffer, std::uint64_t offset) {
  std::uint32_t word = 0;
  std::memcpy(&word, &buffer.bytes()[offset], sizeof word);
  return word;
}

std::uint32_t lowest_of(std::uint64_t ctas) { return ~static_cast<std::uint32_t>(ctas >> 32); }
std::uint32_t highest_of(std::uint64_t ctas) { return static_cast<std::uint32_t>(ctas) - 1; }

// Of the upper and of the lower halves.
std::uint64_t joined(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t lower = 0xffffffff;
  return std::max(a & ~lower, b & ~lower) | std::max(a & lower, b & lower);
}

std::string named(std::uint32_t lowest, std::uint32_t highest) {
  return lowest == highest ? fmt::format("CTA {} loads", lowest)
                           : fmt::format("CTAs {} and {} load", lowest, highest);
}

} // namespace

GlobalRaces::GlobalRaces(const DeviceMemory& memory, bool locks, std::vector<bool> loads)
    : memory_(memory), watches_loads_(std::move(loads)), locks_(locks) {
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
  words_.reset(zeros<Word>(watched));
  if (std::find(watches_loads_.begin(), watches_loads_.end(), true) != watches_loads_.end())
    loads_.reset(zeros<Loads>(watched));
  if (loads_ == nullptr)
    watches_loads_.assign(memory.buffer_count(), false);
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

void GlobalRaces::begin(Word& word, std::uint32_t initial, std::uint32_t value, const Writer& writer) {
  word.is_used = true;
  word.initial = initial;
  word.differs = value != initial;
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
  word.differs |= value != word.initial;
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
  if (words_ == nullptr || number % stride_ != 0 || buffer >= memory_.buffer_count() ||
      offset + word_bytes > memory_.buffer(buffer).size())
    return;
  const std::uint64_t at = first_[buffer] + number / stride_;
  Word& word = words_[at];
  std::atomic_flag& busy = busy_[at % busy_.size()];
  while (locks_ && busy.test_and_set(std::memory_order_acquire)) {
  }
  if (word.is_used)
    update(word, value, writer);
  else
    begin(word, word_at(memory_.buffer(buffer), offset), value, writer);
  if (locks_)
    busy.clear(std::memory_order_release);
}

void GlobalRaces::note(Loads& loads, std::uint64_t ctas, std::uint32_t line) const {
  if (!locks_) {
    loads.ctas = joined(loads.ctas, ctas);
    loads.line = std::max(loads.line, line);
    return;
  }
  const std::atomic_ref<std::uint64_t> all(loads.ctas);
  std::uint64_t old = all.load(std::memory_order_relaxed);
  while (joined(old, ctas) != old &&
         !all.compare_exchange_weak(old, joined(old, ctas), std::memory_order_relaxed)) {
  }
  const std::atomic_ref<std::uint32_t> first(loads.line);
  std::uint32_t known = first.load(std::memory_order_relaxed);
  while (known < line && !first.compare_exchange_weak(known, line, std::memory_order_relaxed)) {
  }
}

void GlobalRaces::load(std::size_t buffer, std::uint64_t offset, std::uint64_t bytes, std::uint32_t cta,
                       std::uint32_t line) {
  const std::uint64_t ctas = std::uint64_t{~cta} << 32 | (cta + 1);
  const std::uint64_t end = (offset + bytes + word_bytes - 1) / word_bytes;
  for (std::uint64_t number = (offset / word_bytes + stride_ - 1) / stride_ * stride_; number < end;
       number += stride_)
    note(loads_[first_[buffer] + number / stride_], ctas, ~line);
}

std::optional<GlobalRace> GlobalRaces::first() const {
  for (std::size_t b = 0; words_ != nullptr && b + 1 < first_.size(); ++b)
    for (std::uint64_t at = first_[b]; at < first_[b + 1]; ++at) {
      const Word& word = words_[at];
      if (!word.is_racing)
        continue;
      const std::uint64_t offset = offset_of(b, at);
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

std::uint64_t GlobalRaces::offset_of(std::size_t buffer, std::uint64_t at) const {
  return (at - first_[buffer]) * stride_ * word_bytes;
}

// Not only by the one CTA that stores.
bool GlobalRaces::is_loaded_elsewhere(const Word& word, const Loads& loads) {
  return word.is_used && word.differs && loads.ctas != 0 &&
         (word.lowest_cta != word.highest_cta || lowest_of(loads.ctas) != word.lowest_cta ||
          highest_of(loads.ctas) != word.highest_cta);
}

GlobalRace GlobalRaces::describe_load(std::size_t buffer, std::uint64_t at) const {
  const Word& word = words_[at];
  const Loads& loads = loads_[at];
  Fault fault;
  fault.message = fmt::format("race: changes byte {} of buffer '{}', which {} in line {}",
                              offset_of(buffer, at), memory_.buffer(buffer).name(),
                              named(lowest_of(loads.ctas), highest_of(loads.ctas)), ~loads.line);
  fault.note = "which value is loaded is undefined; change and load it in different launches";
  fault.line = word.line;
  fault.warp = word.highest_warp;
  fault.lane = word.highest_lane;
  return {word.highest_cta, std::move(fault)};
}

std::optional<GlobalRace> GlobalRaces::first_load() const {
  for (std::size_t b = 0; loads_ != nullptr && words_ != nullptr && b < watches_loads_.size(); ++b)
    for (std::uint64_t at = first_[b]; watches_loads_[b] && at < first_[b + 1]; ++at)
      if (is_loaded_elsewhere(words_[at], loads_[at]))
        return describe_load(b, at);
  return std::nullopt;
}

} // namespace kerncast::functional
