#include "global_races.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace kerncast::functional {
namespace {

constexpr std::uint64_t word_bytes = 4;
constexpr std::uint64_t words_of_block = 256;

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

// Who loads a word: nobody, one CTA, whose number is one less, or several. Whoever comes first.
constexpr std::uint32_t nobody = 0, several = UINT32_MAX;
std::uint32_t joined(std::uint32_t loader, std::uint32_t cta) {
  return loader == nobody || loader == cta ? cta : several;
}

void join_atomically(std::uint32_t& loader, std::uint32_t cta) {
  const std::atomic_ref<std::uint32_t> value(loader);
  std::uint32_t old = value.load(std::memory_order_relaxed);
  while (joined(old, cta) != old &&
         !value.compare_exchange_weak(old, joined(old, cta), std::memory_order_relaxed)) {
  }
}

void lower_atomically(std::uint32_t& lowest, std::uint32_t to) {
  const std::atomic_ref<std::uint32_t> value(lowest);
  std::uint32_t old = value.load(std::memory_order_relaxed);
  while (to < old && !value.compare_exchange_weak(old, to, std::memory_order_relaxed)) {
  }
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
  used_.reset(zeros<std::uint8_t>(watched / words_of_block + 1));
  if (std::find(watches_loads_.begin(), watches_loads_.end(), true) != watches_loads_.end())
    loads_.reset(zeros<std::uint32_t>(watched));
  if (loads_ == nullptr)
    watches_loads_.assign(memory.buffer_count(), false);
  first_lines_.assign(memory.buffer_count(), UINT32_MAX);
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
  if (words_ == nullptr || used_ == nullptr || number % stride_ != 0 || buffer >= memory_.buffer_count() ||
      offset + word_bytes > memory_.buffer(buffer).size())
    return;
  const std::uint64_t at = first_[buffer] + number / stride_;
  Word& word = words_[at];
  std::atomic_ref(used_[at / words_of_block]).store(1, std::memory_order_relaxed);
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

void GlobalRaces::load(std::size_t buffer, std::uint64_t offset, std::uint64_t bytes, std::uint32_t cta,
                       std::uint32_t line) {
  const std::uint64_t begin = (offset / word_bytes + stride_ - 1) / stride_,
                      end = ((offset + bytes + word_bytes - 1) / word_bytes + stride_ - 1) / stride_;
  std::uint32_t* loaders = &loads_[first_[buffer]];
  lower_atomically(first_lines_[buffer], line);
  if (locks_)
    for (std::uint64_t at = begin; at < end; ++at)
      join_atomically(loaders[at], cta + 1);
  else
    for (std::uint64_t at = begin; at < end; ++at)
      loaders[at] = joined(loaders[at], cta + 1);
}

// Calls visit(number) for the words that are stored to, and perhaps some of their neighbours.
template <class Visit> void GlobalRaces::for_each_used(std::size_t buffer, Visit&& visit) const {
  const std::uint64_t end = first_[buffer + 1];
  for (std::uint64_t at = first_[buffer]; at < end;) {
    const std::uint64_t end_of_block = std::min(end, (at / words_of_block + 1) * words_of_block);
    if (used_[at / words_of_block] != 0)
      for (; at < end_of_block; ++at)
        visit(at);
    at = end_of_block;
  }
}

GlobalRaces::Found GlobalRaces::find() const {
  Found found;
  if (words_ == nullptr || used_ == nullptr)
    return found;
  for (std::size_t b = 0; b + 1 < first_.size(); ++b)
    for_each_used(b, [&](std::uint64_t at) {
      if (words_[at].is_racing && !found.stores)
        found.stores = describe_stores(b, at);
      if (watches_loads_[b] && !found.loads && is_loaded_elsewhere(words_[at], loads_[at]))
        found.loads = describe_load(b, at);
    });
  return found;
}

std::uint64_t GlobalRaces::offset_of(std::size_t buffer, std::uint64_t at) const {
  return (at - first_[buffer]) * stride_ * word_bytes;
}

// Not only by the one CTA that stores.
bool GlobalRaces::is_loaded_elsewhere(const Word& word, std::uint32_t loader) {
  return loader != nobody && word.is_used && word.differs &&
         (word.lowest_cta != word.highest_cta || loader != word.highest_cta + 1);
}

Fault GlobalRaces::last_store(const Word& word) {
  Fault fault;
  fault.line = word.line;
  fault.warp = word.highest_warp;
  fault.lane = word.highest_lane;
  return fault;
}

GlobalRace GlobalRaces::describe_stores(std::size_t buffer, std::uint64_t at) const {
  const Word& word = words_[at];
  const std::string who = word.lowest_cta == word.highest_cta
                              ? "threads of one CTA"
                              : fmt::format("threads of CTAs {} and {}", word.lowest_cta, word.highest_cta);
  Fault fault = last_store(word);
  fault.message = fmt::format("race: {} store different values to byte {} of buffer '{}'", who,
                              offset_of(buffer, at), memory_.buffer(buffer).name());
  fault.note = "which of them stays is undefined; give each thread a place of its own, or use atomics";
  return {word.highest_cta, std::move(fault)};
}

GlobalRace GlobalRaces::describe_load(std::size_t buffer, std::uint64_t at) const {
  const Word& word = words_[at];
  const std::string who =
      loads_[at] == several ? "several CTAs load" : fmt::format("CTA {} loads", loads_[at] - 1);
  Fault fault = last_store(word);
  fault.message = fmt::format("race: changes byte {} of buffer '{}', which {}", offset_of(buffer, at),
                              memory_.buffer(buffer).name(), who);
  fault.note = fmt::format("which value is loaded is undefined (line {} is the first that loads from the "
                           "buffer); change and load it in different launches",
                           first_lines_[buffer]);
  return {word.highest_cta, std::move(fault)};
}

} // namespace kerncast::functional
