// What host, streams and copy engines of an application do, as --timeline writes it, and the totals beside
// it.
#include "answers.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

// The host link 1 GB/s, 1 us per copy.
const std::string on_unit =
    " --gpu unit --no-interval --set host_link.bandwidth_gbps=1 --set host_link.latency_us=1";

std::string app(const std::string& events) {
  return R"({"format": "kerncast-app/1", "name": "a", "modules": [")" + data("scale.ptx") +
         R"("], "buffers": {"x": {"bytes": 4096}, "y": {"bytes": 4096}}, "events": [
)" + events +
         "]}";
}

// One CTA of one warp.
std::string kernel(int stream) {
  return R"({"op": "kernel", "kernel": "scale", "grid": [1], "block": [32], "registers": 16, "stream": )" +
         std::to_string(stream) +
         R"(, "args": [{"buffer": "x"}, {"buffer": "y"}, {"f32": 2.0}, {"i32": 32}], "hit_rates": {"l1": 0.5, "l2": 0.5}})";
}

const std::string copies = R"({"op": "memcpy", "kind": "h2d", "bytes": 4000, "stream": 1},
{"op": "memcpy", "kind": "d2h", "bytes": 4000, "stream": 2})";

class ApplicationTimeline : public testing::Test {
protected:
  Ended predict(const std::string& events, const std::string& options, const std::string& before = {}) const {
    return kerncast("predict " + folder_.write("app.json", app(events)) + on_unit +
                        " --set launch_overhead_us=" + std::to_string(launch_overhead_us_) + " " + options,
                    before);
  }
  Json json(const std::string& events, const std::string& options = {}) const {
    const Ended ended = predict(events, options + " --json -");
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return Json::parse(ended.out).at(0);
  }
  std::string trace() const { return folder_.path("t.json"); }

  int launch_overhead_us_ = 2;

private:
  Folder folder_;
};

// "process/track: name at+duration" of every slice.
std::vector<std::string> slices(const Json& trace) {
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> tracks;
  std::vector<std::string> found;
  for (const Json& event : trace.at("traceEvents")) {
    const int process = event.at("pid");
    const std::pair<int, int> track{process, event.at("tid")};
    if (event.at("name") == "process_name")
      processes[process] = event.at("args").at("name");
    else if (event.at("name") == "thread_name")
      tracks[track] = event.at("args").at("name");
    else
      found.push_back(processes.at(process) + "/" + tracks.at(track) + ": " +
                      event.at("name").get<std::string>() + " " + event.at("ts").dump() + "+" +
                      event.at("dur").dump());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST_F(ApplicationTimeline, ShowsHostStreamsAndCopyEngines) {
  // The host waits for both copies, 0..5 each.
  const Ended ended = predict(copies + ",\n{\"op\": \"sync\"}", "--timeline " + trace());
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(slices(Json::parse(read(trace()))),
            (std::vector<std::string>{"copy engines/copy engine from the device: copy from the device 0+5",
                                      "copy engines/copy engine to the device: copy to the device 0+5",
                                      "host/host thread: waits for everything 0+5",
                                      "streams/stream 1: copy to the device 0+5",
                                      "streams/stream 2: copy from the device 0+5"}));
}

TEST_F(ApplicationTimeline, NamesGraphsAndTheirBranches) {
  const std::string graph = R"({"op": "graph", "name": "both", "events": [
{"op": "memcpy", "kind": "h2d", "bytes": 4000, "stream": 7}, {"op": "memcpy", "kind": "d2h", "bytes": 4000, "stream": 8}]},
{"op": "graph_launch", "graph": "both", "stream": 3})";
  ASSERT_EQ(predict(graph, "--timeline " + trace()).exit_code, 0);
  EXPECT_EQ(slices(Json::parse(read(trace()))),
            (std::vector<std::string>{"copy engines/copy engine from the device: copy from the device 2+5",
                                      "copy engines/copy engine to the device: copy to the device 2+5",
                                      "host/host thread: launches graph both 0+2",
                                      "streams/branch 0 of graphs: copy from the device 2+5",
                                      "streams/stream 3: copy to the device 2+5"}));
}

TEST_F(ApplicationTimeline, TellsDevicesApart) {
  const std::string application =
      R"({"format": "kerncast-app/1", "name": "a", "modules": [], "devices": 2, "events": [
{"op": "memcpy", "kind": "peer", "bytes": 4000, "to_device": 1},
{"op": "memcpy", "kind": "h2d", "bytes": 4000, "device": 1},
{"op": "sync", "device": 1}]})";
  const Folder folder;
  ASSERT_EQ(kerncast("predict " + folder.write("app.json", application) + on_unit + " --timeline " + trace())
                .exit_code,
            0);
  EXPECT_EQ(
      slices(Json::parse(read(trace()))),
      (std::vector<std::string>{"copy engines/device 0: to other devices: copy to another device 0+5",
                                "copy engines/device 1: copy engine to the device: copy to the device 5+5",
                                "copy engines/device 1: from other devices: copy to another device 0+5",
                                "host/host thread: waits for device 1 0+10",
                                "streams/device 0: stream 0: copy to another device 0+5",
                                "streams/device 1: stream 0: copy to the device 5+5"}));
}

TEST_F(ApplicationTimeline, TellsOfWhichDeviceTheBranchesOfGraphsAre) {
  const std::string application =
      R"({"format": "kerncast-app/1", "name": "a", "modules": [], "devices": 2, "events": [
{"op": "graph", "name": "g", "events": [
  {"op": "memcpy", "kind": "d2h", "bytes": 4000},
  {"op": "memcpy", "kind": "h2d", "bytes": 4000, "device": 1, "stream": 2}]},
{"op": "graph_launch", "graph": "g"}]})";
  const Folder folder;
  ASSERT_EQ(kerncast("predict " + folder.write("app.json", application) + on_unit + " --timeline " + trace())
                .exit_code,
            0);
  const std::vector<std::string> found = slices(Json::parse(read(trace())));
  EXPECT_EQ(std::ranges::count(found, "streams/device 1: branch 0 of graphs: copy to the device 0+5"), 1);
}

TEST_F(ApplicationTimeline, OfOneCopyEngineHasOneTrack) {
  ASSERT_EQ(predict(copies, "--set copy_engines=1 --timeline " + trace()).exit_code, 0);
  EXPECT_EQ(slices(Json::parse(read(trace()))),
            (std::vector<std::string>{"copy engines/copy engine: copy from the device 5+5",
                                      "copy engines/copy engine: copy to the device 0+5",
                                      "streams/stream 1: copy to the device 0+5",
                                      "streams/stream 2: copy from the device 5+5"}));
  EXPECT_EQ(json(copies, "--set copy_engines=1").at("total_time_us"), 10);
  EXPECT_EQ(json(copies).at("total_time_us"), 5);
}

TEST_F(ApplicationTimeline, IsThatOfEveryModelWithTheSameBytesOnThreadsAndRanks) {
  const std::string events = copies + ",\n" + kernel(1) + ",\n" + kernel(2);
  ASSERT_EQ(predict(events, "--threads 1 --timeline " + trace()).exit_code, 0);
  const std::string one = read(trace());
  ASSERT_EQ(predict(events, "--threads 8 --timeline " + trace()).exit_code, 0);
  EXPECT_EQ(read(trace()), one);
  ASSERT_EQ(predict(events, "--threads 1 --timeline " + trace(), on_ranks(2)).exit_code, 0);
  EXPECT_EQ(read(trace()), one);
  EXPECT_EQ(predict(events, "--model roofline --timeline " + trace()).exit_code, 0);
  EXPECT_TRUE(Json::accept(read(trace())));
}

TEST_F(ApplicationTimeline, OfAKernelByItselfIsThatOfAnSm) {
  ASSERT_EQ(predict(kernel(0), "--timeline " + trace()).exit_code, 0);
  EXPECT_TRUE(Json::parse(read(trace())).at("otherData").contains("cycles"));
  ASSERT_EQ(predict(kernel(0), "--timeline-of application --timeline " + trace()).exit_code, 0);
  EXPECT_TRUE(Json::parse(read(trace())).at("otherData").contains("total_time_us"));
}

TEST_F(ApplicationTimeline, IsCutAtItsLimitAndSaysSo) {
  std::string many = kernel(1);
  many.insert(many.size() - 1, ", \"repeat\": 60000");
  const Ended ended = predict(many + ",\n" + copies, "--timeline " + trace());
  EXPECT_EQ(ended.err,
            "note: the timeline of a has the first 100000 launches, waits, kernels and copies only\n");
  EXPECT_EQ(Json::parse(read(trace())).at("otherData").at("cut"), true);
}

TEST_F(ApplicationTimeline, AddsUpToTheTotals) {
  const Json prediction = json(copies + ",\n" + kernel(1) + ",\n{\"op\": \"sync\"},\n" + kernel(1));
  const Json& path = prediction.at("critical_path");
  const double kernel_us = prediction.at("kernels").at(0).at("time_us");
  // Copy 0..5, kernel, launch of 2, kernel.
  EXPECT_EQ(path.at("copies_us"), 5);
  EXPECT_NEAR(path.at("kernels_us").get<double>(), 2 * kernel_us, 1e-9);
  EXPECT_NEAR(path.at("launch_overhead_us").get<double>(), 2, 1e-9);
  EXPECT_NEAR(prediction.at("total_time_us").get<double>(), 7 + 2 * kernel_us, 1e-9);
  EXPECT_NEAR(prediction.at("gpu_busy_us").get<double>(), 5 + 2 * kernel_us, 1e-9);
  EXPECT_EQ(prediction.at("copies_busy_us"), 5);
  EXPECT_NEAR(prediction.at("kernels_busy_us").get<double>(), 2 * kernel_us, 1e-9);
}

// One warp leaves room for others on the unit GPU's only SM, and time while it waits for DRAM.
TEST_F(ApplicationTimeline, HasKernelsOfDifferentStreamsTogetherWhereTheyFit) {
  const std::string two = kernel(1) + ",\n" + kernel(2);
  launch_overhead_us_ = 0;
  const std::string waits = "--set dram.latency=100";
  const Json together = json(two, waits);
  const Json in_turn = json(two, waits + " --set resident_grids=1");
  const double kernel_us = in_turn.at("kernels").at(0).at("time_us");
  EXPECT_NEAR(in_turn.at("total_time_us").get<double>(), 2 * kernel_us, 1e-9);
  EXPECT_LT(together.at("total_time_us").get<double>(), 2 * kernel_us);
  EXPECT_GE(together.at("total_time_us").get<double>(), kernel_us);
  EXPECT_NE(together.at("assumptions").dump().find("kernels that share the GPU"), std::string::npos);
  EXPECT_FALSE(in_turn.contains("assumptions"));
  EXPECT_NEAR(json(kernel(1) + ",\n" + kernel(1), waits).at("total_time_us").get<double>(), 2 * kernel_us,
              1e-9);
}

TEST_F(ApplicationTimeline, OptionsThatFitNothingAreRefused) {
  EXPECT_EQ(predict(copies, "--timeline-of sm").exit_code, 2);
  EXPECT_EQ(predict(copies, "--timeline-of streams --timeline " + trace()).exit_code, 2);
  const Ended no_kernel = predict(copies, "--timeline-of sm --timeline " + trace());
  EXPECT_EQ(no_kernel.exit_code, 1);
  EXPECT_NE(no_kernel.err.find("error: --timeline-of sm: no kernel is launched"), std::string::npos)
      << no_kernel.err;
}

} // namespace
} // namespace kerncast::test
