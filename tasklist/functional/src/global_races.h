// Finds words of buffers that unordered threads store different values to in one launch: threads of different
// CTAs, of warps of a CTA without a barrier between, or of one instruction. And words that one CTA changes,
// and another one loads.
//
// What is found does not depend on the order of CTAs. Memory is bounded: of buffers with more than
// `most_words` words together, every second, third, ... word is watched, the first ones of buffers always.
// Not seen: stores of less than 4 bytes, variables of modules.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "fault.h"
#include "functional/device_memory.h"

namespace kerncast::functional {

// Who stores, and when as far as the CTA's own order goes.
struct Writer {
  std::uint32_t cta = 0;
  std::uint32_t phase = 0;  // counts the barriers of all warps
  std::uint32_t serial = 0; // of the store instruction
  std::uint32_t line = 0;
  std::uint16_t warp = 0;
  std::uint8_t lane = 0;
};

struct GlobalRace {
  std::uint64_t cta = 0; // the later one of the grid
  Fault fault;
};

class GlobalRaces {
public:
  struct Found {
    std::optional<GlobalRace> stores; // of different values
    std::optional<GlobalRace> loads;  // of what another CTA changes
  };
  static constexpr std::uint64_t most_words = std::uint64_t{1} << 20;

  // `locks`: several threads of the host store. `loads`: buffers whose loads are looked at; empty: none.
  GlobalRaces(const DeviceMemory& memory, bool locks, std::vector<bool> loads);

  const std::vector<bool>& buffers_with_loads() const { return watches_loads_; }
  // Before it is done.
  void store(std::size_t buffer, std::uint64_t offset, std::uint32_t value, const Writer& writer);
  // Of consecutive bytes in a buffer whose loads are looked at.
  void load(std::size_t buffer, std::uint64_t offset, std::uint64_t bytes, std::uint32_t cta,
            std::uint32_t line);
  // Of each kind the first word of the first buffer.
  Found find() const;

private:
  // By its first writer, and of all its writers what a message names.
  struct Word {
    std::uint32_t initial; // before the launch
    std::uint32_t value;
    std::uint32_t cta;
    std::uint32_t phase;
    std::uint32_t serial;
    std::uint32_t lowest_cta;
    std::uint32_t highest_cta;
    std::uint32_t line;
    std::uint16_t warp;
    std::uint16_t highest_warp; // of highest_cta, its last writer
    std::uint8_t highest_lane;
    bool is_used;
    bool changed; // by its first writer's CTA, in order
    bool differs; // from what was there before the launch
    bool is_racing;
  };
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  static void begin(Word& word, std::uint32_t initial, std::uint32_t value, const Writer& writer);
  static void update(Word& word, std::uint32_t value, const Writer& writer);
  static void remember(Word& word, const Writer& writer);
  static bool is_loaded_elsewhere(const Word& word, std::uint32_t loader);
  template <class Visit> void for_each_used(std::size_t buffer, Visit&& visit) const;
  static Fault last_store(const Word& word);
  GlobalRace describe_stores(std::size_t buffer, std::uint64_t at) const;
  GlobalRace describe_load(std::size_t buffer, std::uint64_t at) const;
  std::uint64_t offset_of(std::size_t buffer, std::uint64_t at) const;

  const DeviceMemory& memory_;
  std::uint64_t stride_ = 1;         // words from one that is watched to the next
  std::vector<std::uint64_t> first_; // by buffer, and one behind the last: where its words begin
  std::unique_ptr<Word[], Free> words_;
  std::unique_ptr<std::uint8_t[], Free> used_;   // by block of words: whether any is used
  std::vector<bool> watches_loads_;              // by buffer
  std::unique_ptr<std::uint32_t[], Free> loads_; // by word: the loader; null: not looked at
  std::vector<std::uint32_t> first_lines_;       // by buffer: the lowest one that loads
  const bool locks_;
  std::array<std::atomic_flag, 64> busy_{}; // by word
};

} // namespace kerncast::functional
