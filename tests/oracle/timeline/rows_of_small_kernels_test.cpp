// Rows of small kernels on real GPUs (RRZE-HPC/gpu-benches, gpu-small-kernels): 200 that scale an array into
// another one and back, launched one by one or as one graph. The gaps between them in the GPU files come from
// the smallest array, whose rows are left out; the others judge them.
#include "program.h"

#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "csv/table.h"

namespace kerncast::test {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t calibrated_elements = 4096;

struct Row {
  std::string gpu;
  std::string mode; // stream or graph
  std::uint64_t block = 0;
  std::uint64_t elements = 0;
  double time_us = 0; // of one kernel of the row
};

std::vector<Row> measured() {
  const std::string path = std::string(KERNCAST_SOURCE_DIR) + "/tests/data/measured/small_kernels.csv";
  const Expected<csv::Table> table = csv::read(SourceText(path, read(path)));
  std::vector<Row> rows;
  for (const std::vector<csv::Cell>& cells : table->rows)
    rows.push_back({cells[0].text, cells[1].text, std::stoull(cells[2].text), std::stoull(cells[3].text),
                    std::stod(cells[4].text)});
  return rows;
}

Json application(const Row& row) {
  const auto kernel = [&row](const char* from, const char* to) {
    return Json{{"op", "kernel"},
                {"kernel", "scale"},
                {"grid", {row.elements / row.block + 1}},
                {"block", {row.block}},
                {"args", {{{"buffer", to}}, {{"buffer", from}}, {{"u32", row.elements}}}}};
  };
  Json events = Json::array();
  for (int i = 0; i < 100; ++i) {
    events.push_back(kernel("a", "b"));
    events.push_back(kernel("b", "a"));
  }
  if (row.mode == "graph")
    events = {{{"op", "graph"}, {"name", "row"}, {"events", events}},
              {{"op", "graph_launch"}, {"graph", "row"}}};
  return {{"format", "kerncast-app/1"},
          {"name", "row"},
          {"modules", {std::string(KERNCAST_SOURCE_DIR) + "/apps/microbench/streams/streams.ptx"}},
          {"buffers", {{"a", {{"bytes", 8 * row.elements}}}, {"b", {{"bytes", 8 * row.elements}}}}},
          {"events", events}};
}

double predicted_us(const Row& row, const Folder& folder) {
  const std::string app = folder.write("row.json", application(row).dump());
  const Ended ended = kerncast("predict " + app + " --gpu " + row.gpu + " --json -");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return Json::parse(ended.out)[0].at("total_time_us").get<double>() / 200;
}

TEST(SmallKernels, TakeTheMeasuredTimesInStreamsAndGraphs) {
  const Folder folder;
  std::map<std::pair<std::string, std::string>, std::vector<double>> errors; // by mode and GPU
  for (const Row& row : measured()) {
    if (row.elements <= calibrated_elements)
      continue;
    const double predicted = predicted_us(row, folder);
    errors[{row.mode, row.gpu}].push_back(std::abs(predicted / row.time_us - 1));
    if (errors[{row.mode, row.gpu}].back() > 0.15)
      fmt::print("{} {} {} threads {} elements: {:.2f} us measured, {:.2f} predicted\n", row.gpu, row.mode,
                 row.block, row.elements, row.time_us, predicted);
  }
  EXPECT_EQ(errors.size(), 8U);
  for (const auto& [key, of_rows] : errors) {
    double sum = 0;
    for (const double error : of_rows)
      sum += error;
    const double mape = sum / static_cast<double>(of_rows.size());
    fmt::print("{} {}: {} rows, mean {:.1f} %\n", key.second, key.first, of_rows.size(), 100 * mape);
    EXPECT_LT(mape, 0.1) << key.second << " " << key.first;
  }
}

} // namespace
} // namespace kerncast::test
