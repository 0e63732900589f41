// Every shipped file loads, and every number in it has its source or is marked as a guess.
#include <algorithm>
#include <cctype>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox.h"

namespace kerncast::configs::test {
namespace {

std::vector<std::filesystem::path> shipped_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"gpus", "gpus/base", "isa"})
    for (const auto& entry : std::filesystem::directory_iterator(shipped / folder))
      if (entry.path().extension() == ".toml")
        files.push_back(entry.path());
  return files;
}

// The line without texts in quotes, split at its comment.
struct Line {
  std::string code;
  std::string comment;
};

Line split(const std::string& line) {
  Line result;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == '#' && !quoted)
      return {result.code, line.substr(i + 1)};
    else if (!quoted)
      result.code += line[i];
  }
  return result;
}

// A digit that begins a number, not one in a name such as "l1" or "fp32".
bool has_number(const std::string& code) {
  for (std::size_t i = 1; i < code.size(); ++i)
    if (std::isdigit(static_cast<unsigned char>(code[i])) != 0 && (code[i - 1] == ' ' || code[i - 1] == '-'))
      return true;
  return false;
}

TEST(ShippedFiles, EveryGpuLoadsAndPassesItsChecks) {
  const auto names = list_gpus(ConfigPath({shipped}));
  EXPECT_THAT(names, testing::IsSupersetOf({"a100-sxm4-40gb", "h100-sxm", "k40m", "titan-x", "unit"}));
  for (const std::string& name : names) {
    const auto gpu = load_gpu(name, {}, ConfigPath({shipped}));
    EXPECT_TRUE(gpu) << render(gpu.error());
  }
}

// A GPU's number says first what kind it is; the tables of operations name the source only.
bool says_where_from(const std::filesystem::path& file, const std::string& comment) {
  if (file.parent_path().filename() == "isa")
    return comment.find_first_not_of(' ') != std::string::npos;
  return comment.starts_with(" specified: ") || comment.starts_with(" measured: ") ||
         comment.starts_with(" guess: ");
}

TEST(ShippedFiles, EveryNumberHasASourceOrIsMarkedAsAGuess) {
  std::size_t numbers = 0;
  for (const auto& file : shipped_files()) {
    std::ifstream in(file);
    std::string text;
    for (int number = 1; std::getline(in, text); ++number) {
      const Line line = split(text);
      if (!has_number(line.code))
        continue;
      ++numbers;
      EXPECT_TRUE(says_where_from(file, line.comment)) << file.filename() << ":" << number << ": " << text;
    }
  }
  EXPECT_GT(numbers, 400U);
}

TEST(ShippedFiles, EveryGuessSaysWhy) {
  for (const auto& file : shipped_files()) {
    std::ifstream in(file);
    std::string text;
    while (std::getline(in, text)) {
      const std::string comment = split(text).comment;
      const std::size_t at = comment.find("guess");
      const std::string said = at == std::string::npos ? "guess: said elsewhere" : comment.substr(at);
      EXPECT_GT(said.size(), std::string("guess: ").size()) << file.filename() << ": " << text;
    }
  }
}

// The loader reads the same comments: as many assumptions as the files' guesses, inherited ones included.
TEST(ShippedFiles, GuessesBecomeAssumptions) {
  const Gpu gpu = shipped_gpu("titan-x");
  std::size_t guesses = 0;
  for (const char* file : {"gpus/titan-x.toml", "gpus/base/maxwell.toml", "gpus/base/cc-5.2.toml"}) {
    std::ifstream in(shipped / file);
    std::string text;
    while (std::getline(in, text))
      guesses += split(text).comment.find("guess:") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(gpu.assumptions.size(), guesses);
  EXPECT_THAT(gpu.assumptions,
              testing::Contains("titan-x: host_link.bandwidth_gbps = 12 is a guess: three quarters of "
                                "PCIe 3.0 x16"));
}

std::vector<std::string> real_gpus() {
  std::vector<std::string> names = list_gpus(ConfigPath({shipped}));
  names.erase(std::remove(names.begin(), names.end(), "unit"), names.end());
  return names;
}

// What the loader's checks need; it skips what is not stated.
TEST(ShippedFiles, EveryGpuStatesWhatIsChecked) {
  EXPECT_EQ(real_gpus().size(), 54U);
  for (const std::string& name : real_gpus()) {
    const Gpu gpu = shipped_gpu(name);
    EXPECT_GT(gpu.dram.bus_width_bits, 0U) << name;
    EXPECT_GT(gpu.dram.data_rate_gtps, 0) << name;
    EXPECT_GT(gpu.dram.clock_mhz * gpu.dram.transfers_per_clock, 0) << name;
    EXPECT_GT(gpu.base_clock_mhz + gpu.boost_clock_mhz, 0) << name;
    EXPECT_NE(gpu.origins.at("peak.fp32_gflops").place, "follows from units and clock") << name;
    const bool has_fp64 = gpu.compute_capability_major > 1 || gpu.compute_capability_minor >= 3;
    EXPECT_EQ(gpu.origins.at("peak.fp64_gflops").place != "follows from units and clock", has_fp64) << name;
    for (const Unit& unit : gpu.units) // a branch and a matrix operation are one for a warp
      EXPECT_EQ(unit.lanes > 0, unit.name != "branch" && unit.name != "tensor") << name << ": " << unit.name;
  }
}

// "32 / lanes" is a source only for what it says: an interval that is longer needs another.
TEST(ShippedFiles, EveryIntervalLongerThanItsLanesNeedHasASourceOfItsOwn) {
  std::size_t longer = 0;
  for (const std::string& name : real_gpus())
    for (const Unit& unit : shipped_gpu(name).units) {
      if (unit.lanes == 0 || unit.issue_interval * unit.lanes <= 32 * 1.001)
        continue;
      ++longer;
      const std::string origin = shipped_gpu(name).origins.at("units." + unit.name + ".issue_interval").place;
      const std::size_t colon = origin.rfind(':');
      std::ifstream in(origin.substr(0, colon));
      std::string line;
      for (int i = 0; i < std::stoi(origin.substr(colon + 1)); ++i)
        std::getline(in, line);
      EXPECT_FALSE(split(line).comment.starts_with(" specified: 32 / lanes")) << name << ": " << line;
    }
  EXPECT_GE(longer, 2U); // shared memory of G80, products of Kepler
}

TEST(ShippedFiles, EveryGpuPredictsWithAClockThatItStates) {
  for (const std::string& name : real_gpus())
    EXPECT_TRUE(shipped_gpu(name).origins.contains("clock_mhz")) << name;
}

} // namespace
} // namespace kerncast::configs::test
