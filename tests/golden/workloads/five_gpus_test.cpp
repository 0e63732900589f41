// Claim: of every workload, kernel by kernel, time, bound and occupancy on five generations of GPUs are those
// of the tables expected/five_gpus/GPU.txt. KERNCAST_UPDATE_GOLDEN=1 in the environment writes a workload's
// rows anew instead of comparing. Workloads that take long are left out unless KERNCAST_LONG is set, as
// tools/test --all does.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program_output.h"

namespace kerncast {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* gpus[] = {"titan-x", "k40m", "v100-sxm2-16gb", "a100-sxm4-40gb", "h100-sxm"};
const std::string workloads_folder = KERNCAST_SOURCE_DIR "/apps/workloads/";

// More than ten CPU seconds for the five GPUs; the others take some 70 together.
const std::set<std::string> slow = {
    "parboil/bfs",       "parboil/cutcp",    "parboil/histo",        "parboil/spmv",       "parboil/tpacf",
    "rodinia/bfs",       "rodinia/gaussian", "rodinia/heartwall",    "rodinia/hybridsort", "rodinia/lavaMD",
    "rodinia/leukocyte", "rodinia/lud",      "rodinia/streamcluster"};

std::string table_of(const std::string& gpu) {
  return std::string(KERNCAST_SOURCE_DIR) + "/tests/golden/workloads/expected/five_gpus/" + gpu + ".txt";
}

// Widths are fixed, so that a row changes only where its prediction does.
std::string row_of(const std::string& workload, const std::string& kernel, const std::string& launches,
                   const std::string& time_us, const std::string& bound, const std::string& occupancy) {
  std::string row = fmt::format("{:22}  {:38} {:>8} {:>10}  {:18} {:>9}", workload, kernel, launches, time_us,
                                bound, occupancy);
  row.erase(row.find_last_not_of(' ') + 1);
  return row;
}

std::string header() { return row_of("workload", "kernel", "launches", "time (us)", "bound", "occupancy"); }

// Four digits.
std::string digits(double number) {
  const int before = number < 1 ? 1 : static_cast<int>(std::floor(std::log10(number))) + 1;
  return fmt::format("{:.{}f}", number, std::max(0, 4 - before));
}

Lines rows_of(const std::string& workload, const Json& prediction) {
  Lines rows;
  for (const Json& kernel : prediction.at("kernels"))
    rows.push_back(
        row_of(workload, kernel.at("kernel"), std::to_string(kernel.at("launches").get<int>()),
               digits(kernel.at("time_us")), kernel.at("bound"),
               fmt::format("{:.1f} %", 100 * kernel.at("occupancy").at("fraction").get<double>())));
  std::sort(rows.begin(), rows.end());
  rows.push_back(
      row_of(workload, "the whole application", "", digits(prediction.at("total_time_us")), "", ""));
  return rows;
}

Lines lines_of(const std::string& file) {
  std::ifstream stream(file);
  Lines lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

bool is_of(const std::string& workload, const std::string& row) { return row.starts_with(workload + " "); }

Lines recorded(const std::string& gpu, const std::string& workload) {
  Lines rows;
  for (const std::string& line : lines_of(table_of(gpu)))
    if (is_of(workload, line))
      rows.push_back(line);
  return rows;
}

// Workloads in the order of their names. Others may record at the same time.
void record(const std::string& gpu, const std::string& workload, const Lines& rows) {
  std::filesystem::create_directories(std::filesystem::path(table_of(gpu)).parent_path());
  const int file = open(table_of(gpu).c_str(), O_RDWR | O_CREAT, 0644);
  flock(file, LOCK_EX);
  Lines lines = lines_of(table_of(gpu));
  if (lines.empty())
    lines.push_back(header());
  std::erase_if(lines, [&](const std::string& line) { return is_of(workload, line); });
  const auto place = std::find_if(lines.begin() + 1, lines.end(), [&](const std::string& line) {
    return line.substr(0, line.find(' ')) > workload;
  });
  lines.insert(place, rows.begin(), rows.end());
  std::ofstream stream(table_of(gpu));
  for (const std::string& line : lines)
    stream << line << '\n';
  stream.close();
  close(file);
}

// Without intervals, which take most of a prediction's time.
std::vector<Json> predict(const std::string& workload) {
  std::string options;
  for (const char* gpu : gpus)
    options += std::string(" --gpu ") + gpu;
  const Json all = Json::parse(
      output_of("predict apps/workloads/" + workload + "/app.json" + options + " --no-interval --json -"),
      nullptr, false);
  return all.is_array() ? all.get<std::vector<Json>>() : std::vector<Json>();
}

class FiveGpus : public testing::TestWithParam<std::string> {};

TEST_P(FiveGpus, PredictAsRecorded) {
  if (slow.contains(GetParam()) && std::getenv("KERNCAST_LONG") == nullptr)
    GTEST_SKIP() << "takes long: set KERNCAST_LONG";
  const std::vector<Json> predictions = predict(GetParam());
  ASSERT_EQ(predictions.size(), std::size(gpus));
  for (std::size_t g = 0; g < std::size(gpus); ++g) {
    const Lines rows = rows_of(GetParam(), predictions[g]);
    if (std::getenv("KERNCAST_UPDATE_GOLDEN") != nullptr)
      record(gpus[g], GetParam(), rows);
    else
      EXPECT_EQ(rows, recorded(gpus[g], GetParam())) << gpus[g];
  }
}

// Of the suites; `basic` are our own small ones.
std::vector<std::string> workloads() {
  std::vector<std::string> names;
  for (const std::string suite : {"parboil", "rodinia"})
    for (const auto& entry : std::filesystem::directory_iterator(workloads_folder + suite))
      names.push_back(suite + "/" + entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& of) {
  std::string name = of.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Workloads, FiveGpus, testing::ValuesIn(workloads()), test_name);

TEST(FiveGpusTables, have_every_workload) {
  for (const char* gpu : gpus) {
    EXPECT_EQ(lines_of(table_of(gpu)).at(0), header());
    for (const std::string& workload : workloads())
      EXPECT_FALSE(recorded(gpu, workload).empty()) << gpu << ": " << workload;
  }
}

} // namespace
} // namespace kerncast
