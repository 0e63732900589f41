// Finds threads of different warps of a CTA that meet at one place of shared memory without a barrier between
// them: one stores what another loads, or both store different values.
//
// Not seen: meetings inside one warp (its lanes execute together), of atomics and volatile accesses, and of
// more than two warps at one word.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace kerncast::functional {

struct Race {
  std::uint32_t other_warp = 0;
  bool other_stored = false;
};

class RaceCheck {
public:
  explicit RaceCheck(std::size_t shared_bytes) : words_((shared_bytes + 3) / 4) {}

  // All warps have met at a barrier, or another CTA begins.
  void next_phase() { ++phase_; }
  // `changes`: the store would write another value than the one that is there.
  std::optional<Race> load(std::uint64_t address, std::uint32_t bytes, std::uint32_t warp);
  std::optional<Race> store(std::uint64_t address, std::uint32_t bytes, std::uint32_t warp, bool changes);

private:
  static constexpr std::uint16_t several = UINT16_MAX;
  // Who touched which bytes of a word in which phase.
  struct Touch {
    std::uint32_t phase = 0;
    std::uint16_t warp = 0;
    std::uint8_t bytes = 0; // a bit per byte
    bool meets(std::uint32_t now, std::uint32_t other, std::uint8_t at) const {
      return phase == now && warp != several && warp != other && (bytes & at) != 0;
    }
    void add(std::uint32_t now, std::uint32_t who, std::uint8_t at) {
      const bool joins = phase == now && warp != who;
      bytes = phase == now ? bytes | at : at;
      warp = joins ? several : static_cast<std::uint16_t>(who);
      phase = now;
    }
  };
  struct Word {
    Touch stored, loaded;
  };
  template <class F> void for_each_word(std::uint64_t address, std::uint32_t bytes, F&& f) {
    for (std::uint64_t at = address; at < address + bytes; at = (at / 4 + 1) * 4) {
      const std::uint64_t end = address + bytes < (at / 4 + 1) * 4 ? address + bytes : (at / 4 + 1) * 4;
      const auto mask = static_cast<std::uint8_t>(((1U << (end - at)) - 1) << (at % 4));
      f(words_[at / 4], mask);
    }
  }

  std::vector<Word> words_;
  std::uint32_t phase_ = 1;
};

inline std::optional<Race> RaceCheck::load(std::uint64_t address, std::uint32_t bytes, std::uint32_t warp) {
  std::optional<Race> race;
  for_each_word(address, bytes, [&](Word& word, std::uint8_t at) {
    if (word.stored.meets(phase_, warp, at))
      race = Race{word.stored.warp, true};
    word.loaded.add(phase_, warp, at);
  });
  return race;
}

inline std::optional<Race> RaceCheck::store(std::uint64_t address, std::uint32_t bytes, std::uint32_t warp,
                                            bool changes) {
  std::optional<Race> race;
  for_each_word(address, bytes, [&](Word& word, std::uint8_t at) {
    if (changes && word.stored.meets(phase_, warp, at))
      race = Race{word.stored.warp, true};
    else if (changes && word.loaded.meets(phase_, warp, at))
      race = Race{word.loaded.warp, false};
    word.stored.add(phase_, warp, at);
  });
  return race;
}

} // namespace kerncast::functional
