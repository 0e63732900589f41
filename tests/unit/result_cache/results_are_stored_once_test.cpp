// What comes back from the cache is what was stored, bit for bit, or nothing; whoever writes at the same
// time, and whatever happened to the file.
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>

#include "engine/simulate_sm.h"
#include "random_workload.h"
#include "result_cache/result_cache.h"

namespace kerncast::engine {
namespace {

namespace fs = std::filesystem;

class StoredResults : public testing::Test {
protected:
  StoredResults()
      : folder_(fs::path(testing::TempDir()) /
                ("result_cache-" + std::to_string(::getpid()) + "-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  ~StoredResults() override { fs::remove_all(folder_); }

  ResultCache open(std::uint64_t max_bytes = default_cache_bytes) const {
    return ResultCache::open(folder_, max_bytes).value();
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file())
        found.push_back(entry.path());
    return found;
  }

  fs::path folder_;
};

// Large enough to be worth a file.
SmWorkload workload(std::uint32_t seed) {
  SmWorkload w = RandomWorkload(seed).make(configs::SchedulerPolicy::gto);
  w.ctas = {{0, 500}};
  w.detail = true;
  return w;
}

void expect_equal(const SmResult& a, const SmResult& b) {
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.trigger_cycles, b.trigger_cycles);
  EXPECT_EQ(a.prologue_cycles, b.prologue_cycles);
  EXPECT_EQ(a.warp_instructions, b.warp_instructions);
  EXPECT_EQ(a.warp_state_cycles, b.warp_state_cycles);
  EXPECT_EQ(a.unit_busy_cycles, b.unit_busy_cycles);
  EXPECT_EQ(a.l2_bytes, b.l2_bytes);
  EXPECT_EQ(a.dram_bytes, b.dram_bytes);
  EXPECT_EQ(a.issue_cycles, b.issue_cycles);
  EXPECT_EQ(a.memory_port_cycles, b.memory_port_cycles);
  EXPECT_EQ(a.simulated_warp_instructions, b.simulated_warp_instructions);
  EXPECT_EQ(a.continued.error, b.continued.error);
  EXPECT_EQ(a.continued.all_iterations, b.continued.all_iterations);
  EXPECT_EQ(a.residency.bin_cycles, b.residency.bin_cycles);
  EXPECT_EQ(a.residency.warp_cycles, b.residency.warp_cycles);
  ASSERT_EQ(a.ops.size(), b.ops.size());
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    EXPECT_EQ(a.ops[i].issued, b.ops[i].issued);
    EXPECT_EQ(a.ops[i].state_cycles, b.ops[i].state_cycles);
  }
}

TEST_F(StoredResults, gives_back_what_was_simulated) {
  const SmWorkload one = workload(1);
  const SmResult simulated = open().simulate(one);
  expect_equal(simulated, simulate_sm(one));
  EXPECT_EQ(files().size(), 1U);
  const std::optional<SmResult> found = open().find(workload_key(one));
  ASSERT_TRUE(found);
  expect_equal(*found, simulated);
  EXPECT_FALSE(open().find(workload_key(workload(2))));
}

// A stored result is believed: a changed one comes back instead of a simulation.
TEST_F(StoredResults, does_not_simulate_again) {
  SmResult other = simulate_sm(workload(1));
  other.cycles = 7;
  open().store(workload_key(workload(1)), other);
  EXPECT_EQ(open().simulate(workload(1)).cycles, 7);
}

// Every prefix, and every file with one byte changed, counts as absent.
TEST_F(StoredResults, ignores_damaged_files) {
  const ResultCache cache = open();
  const WorkloadKey key = workload_key(workload(1));
  cache.simulate(workload(1));
  const fs::path file = files().at(0);
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t size = 0; size < whole.size(); size += 5) {
    std::ofstream(file, std::ios::binary) << whole.substr(0, size);
    EXPECT_FALSE(cache.find(key)) << size;
    std::string changed = whole;
    changed[size] = static_cast<char>(changed[size] ^ 4);
    std::ofstream(file, std::ios::binary) << changed;
    EXPECT_FALSE(cache.find(key)) << size;
  }
  expect_equal(cache.simulate(workload(1)), simulate_sm(workload(1))); // and is stored anew
  EXPECT_TRUE(cache.find(key));
}

TEST_F(StoredResults, may_be_shared_by_writers_at_the_same_time) {
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer)
    writers.emplace_back([this] {
      const ResultCache cache = open();
      for (std::uint32_t seed = 0; seed < 8; ++seed)
        cache.simulate(workload(seed));
    });
  for (std::thread& writer : writers)
    writer.join();
  EXPECT_EQ(files().size(), 8U);
  for (std::uint32_t seed = 0; seed < 8; ++seed)
    EXPECT_TRUE(open().find(workload_key(workload(seed)))) << seed;
}

// The oldest goes first, a used one counts as new; what is not of the cache stays.
TEST_F(StoredResults, stays_below_its_size) {
  const ResultCache cache = open();
  for (std::uint32_t seed = 0; seed < 3; ++seed)
    cache.simulate(workload(seed));
  std::ofstream(folder_ / "mine.txt") << std::string(100'000, 'x');
  std::uint64_t bytes = 0;
  for (const fs::path& file : files())
    if (file.filename() != "mine.txt") {
      bytes += fs::file_size(file);
      fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
  EXPECT_TRUE(cache.find(workload_key(workload(1)))); // used now
  open(bytes).trim();
  EXPECT_EQ(files().size(), 4U);
  open(bytes - 1).trim();
  EXPECT_EQ(files().size(), 3U);
  EXPECT_TRUE(cache.find(workload_key(workload(1))));
  open(0).trim();
  EXPECT_EQ(files(), std::vector<fs::path>{folder_ / "mine.txt"});
}

// Each version has a folder of its own; the size counts all of them.
TEST_F(StoredResults, of_another_version_are_not_believed) {
  const ResultCache cache = open();
  cache.simulate(workload(1));
  const fs::path results = fs::directory_iterator(folder_)->path();
  fs::rename(results, folder_ / "kerncast-results-another");
  EXPECT_FALSE(cache.find(workload_key(workload(1))));
  open(0).trim();
  EXPECT_TRUE(files().empty());
}

TEST_F(StoredResults, refuses_a_folder_that_cannot_be) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "file") << "x";
  EXPECT_FALSE(ResultCache::open(folder_ / "file"));
}

} // namespace
} // namespace kerncast::engine
