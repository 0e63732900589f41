// Claim: our columns of the table in docs/accuracy.md that shows 002's Table 4 beside ours are what kerncast
// occupancy says of the workloads' kernels; those of 002 are in tests/unit/configs/ppt_gpu_table_4_test.cpp.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program_output.h"

namespace kerncast {
namespace {

using Cells = std::vector<std::string>;

// The manual's rows: "| `SUITE/NAME` `KERNEL` | CTAs, threads | 002 | TITAN X | by | K40m | by |".
std::vector<Cells> rows_of_the_manual() {
  std::ifstream manual(KERNCAST_SOURCE_DIR "/docs/accuracy.md");
  std::vector<Cells> rows;
  bool inside = false;
  for (std::string line; std::getline(manual, line);) {
    inside = inside || line == "## 002's Table 4";
    if (!inside || !line.starts_with("| `"))
      continue;
    std::istringstream cells(line.substr(1));
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '|');)
      rows.back().push_back(cell.substr(1, cell.size() - 2));
  }
  return rows;
}

Json first_launch(const std::string& workload, const std::string& kernel) {
  std::ifstream file(KERNCAST_SOURCE_DIR "/apps/workloads/" + workload + "/app.json");
  const Json app = Json::parse(file);
  for (const Json& event : app.at("events"))
    if (event.at("op") == "kernel" && event.at("kernel") == kernel)
      return event;
  return {};
}

std::string dimensions(const Json& extents) {
  std::string text;
  for (const Json& extent : extents)
    text += (text.empty() ? "" : ",") + std::to_string(extent.get<int>());
  return text;
}

Json occupancy(const std::string& workload, const std::string& kernel, const Json& launch,
               const std::string& gpu) {
  const std::string name = workload.substr(workload.find('/') + 1);
  std::string command = fmt::format("occupancy apps/workloads/{}/{}.ptx --kernel {} --gpu {} --grid {} "
                                    "--block {} --dynamic-smem {} --json -",
                                    workload, name, kernel, gpu, dimensions(launch.at("grid")),
                                    dimensions(launch.at("block")), launch.value("dynamic_smem_bytes", 0));
  if (launch.contains("registers"))
    command += " --regs " + std::to_string(launch.at("registers").get<int>());
  return Json::parse(output_of(command));
}

int product_of(const Json& extents) {
  int result = 1;
  for (const Json& extent : extents)
    result *= extent.get<int>();
  return result;
}

TEST(Table4Of002, IsInTheManualBesideOurs) {
  const std::vector<Cells> rows = rows_of_the_manual();
  ASSERT_EQ(rows.size(), 10U);
  for (const Cells& row : rows) {
    ASSERT_EQ(row.size(), 7U) << row[0];
    const std::size_t end = row[0].find('`', 1), begin = row[0].find('`', end + 1) + 1;
    const std::string workload = row[0].substr(1, end - 1),
                      kernel = row[0].substr(begin, row[0].size() - begin - 1);
    const Json launch = first_launch(workload, kernel);
    EXPECT_EQ(row[1], fmt::format("{}, {}", product_of(launch.at("grid")), product_of(launch.at("block"))))
        << row[0];
    for (const auto& [gpu, column] : {std::pair{"titan-x", 3U}, {"k40m", 5U}}) {
      const Json ours = occupancy(workload, kernel, launch, gpu);
      EXPECT_EQ(row[column],
                fmt::format("{}, {}", ours.at("ctas_per_sm").get<int>(), ours.at("warps_per_sm").get<int>()))
          << row[0];
      EXPECT_EQ(row[column + 1], ours.at("limiter").get<std::string>()) << row[0];
    }
  }
}

} // namespace
} // namespace kerncast
