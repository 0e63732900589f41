// Applications and traces, cut off anywhere and changed in many ways, always the same ones, are read or
// refused with a place and words; what is read ends.
#include <filesystem>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "application_fuzzer.h"
#include "support/files.h"

namespace kerncast::application {
namespace {

const std::filesystem::path corpus = KERNCAST_SOURCE_DIR "/tests/fuzz/application/corpus";

struct Seed {
  std::string name;
  std::string text;
};

std::vector<Seed> seeds() {
  std::vector<Seed> found;
  for (const char* name : {"one_gpu.json", "ranks.json", "trace.jsonl"}) {
    const auto text = read_file(corpus / name);
    EXPECT_TRUE(text) << name;
    found.push_back({name, text.value_or("")});
  }
  return found;
}

class Mutations {
public:
  explicit Mutations(std::vector<Seed> seeds) : seeds_(std::move(seeds)) {}

  Seed next() {
    Seed seed = seeds_[below(seeds_.size())];
    for (std::size_t changes = 1 + below(3); changes > 0; --changes)
      change(seed.text);
    return seed;
  }

private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

  std::string span_of(const std::string& text) { return text.substr(below(text.size()), 1 + below(40)); }

  // What a number begins with, up to what ends it.
  void change_number(std::string& text) {
    constexpr const char* numbers[] = {
        "0",    "-1",   "1",  "65536",      "4294967296", "18446744073709551616", "1e400", "-0",
        "null", "\"\"", "[]", "1000000000", "0.5",        "\"= 1 / 0\""};
    const std::size_t at = text.find_first_of("0123456789", below(text.size()));
    if (at == std::string::npos)
      return;
    const std::size_t end = text.find_first_not_of("0123456789", at);
    text.replace(at, end - at, numbers[below(std::size(numbers))]);
  }

  void change(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(7)) {
    case 0:
      text.erase(at, 1 + below(40));
      break;
    case 1:
      text.insert(at, span_of(seeds_[below(seeds_.size())].text));
      break;
    case 2:
      text.insert(at, span_of(text));
      break;
    case 3:
      if (!text.empty())
        text[at] = static_cast<char>(random_());
      break;
    case 4:
      text.insert(at, std::string(1 + below(100), "[{\",:0"[below(6)]));
      break;
    default:
      change_number(text);
    }
  }

  std::vector<Seed> seeds_;
  std::mt19937 random_{1};
};

TEST(ApplicationFiles, OfTheCorpusAreRead) {
  for (const Seed& seed : seeds())
    EXPECT_TRUE(read_any(seed.name, seed.text)) << seed.name;
}

// A document is whole or refused; of a trace the number of its events is stated.
TEST(ApplicationFiles, ThatEndTooEarlyAreRefused) {
  for (const Seed& seed : seeds())
    for (std::size_t size = 0; size + 2 < seed.text.size(); ++size)
      EXPECT_FALSE(read_any(seed.name, seed.text.substr(0, size))) << seed.name << " up to " << size;
}

TEST(ApplicationFiles, ThatAreChangedAreReadOrRefused) {
  Mutations mutations(seeds());
  int read = 0;
  constexpr int all = 4000;
  for (int i = 0; i < all; ++i) {
    const Seed seed = mutations.next();
    read += read_any(seed.name, seed.text) ? 1 : 0;
  }
  EXPECT_GT(read, all / 50) << "mutations that change what is read, too";
  EXPECT_LT(read, all / 2);
}

} // namespace
} // namespace kerncast::application
