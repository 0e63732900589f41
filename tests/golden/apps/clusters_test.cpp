// --cluster and scale as a user meets them: the same bytes however they are computed, thousands of ranks, and
// mistakes with rank, file and line.
#include "answers.h"

#include <sys/resource.h>

#include <gtest/gtest.h>

namespace kerncast::test {
namespace {

const std::string examples_folder = KERNCAST_SOURCE_DIR "/docs/examples/";
const std::string hotspot = "predict " + examples_folder + "hotspot_ranks.json --cluster ";
const std::string in_short = " --no-interval --l1-hit 0.5 --l2-hit 0.5";

// Events of 4 ranks behind a kernel of 400 CTAs.
std::string app_of_ranks(const std::string& events, const std::string& ranks = "4") {
  return R"({"format": "kerncast-app/1", "name": "a", "modules": [")" + data("scale.ptx") +
         R"("], "ranks": )" + ranks +
         R"(, "buffers": {"x": {"bytes": 409600}, "y": {"bytes": 409600}}, "events": [
{"op": "kernel", "kernel": "scale", "grid": [400], "block": [256], "registers": 16,
 "args": [{"buffer": "x"}, {"buffer": "y"}, {"f32": 2.0}, {"i32": 102400}], "hit_rates": {"l1": 0.25, "l2": 0.5}},
)" + events +
         "]}";
}

Ended predict(const Folder& folder, const std::string& text, const std::string& options = "") {
  return kerncast("predict " + folder.write("app.json", text) + " --cluster unit --no-interval " + options);
}

double total_us(const Ended& ended) { return Json::parse(ended.out)[0]["total_time_us"]; }

// Between nodes of the unit cluster: 4 us and 1 us per 1000 bytes; among its 4 ranks a ring takes 6 steps.
TEST(Clusters, AddWhatCommunicationTakesToTheKernel) {
  const Folder folder;
  const double kernel = total_us(predict(folder, app_of_ranks(R"({"op": "sync"})"), "--json -"));
  const Ended message =
      predict(folder, app_of_ranks(R"({"op": "send", "peer": 3, "bytes": 5000, "when": "= rank == 0"},
{"op": "recv", "peer": 0, "bytes": 5000, "when": "= rank == 3"})"),
              "--json -");
  EXPECT_NEAR(total_us(message), kernel + 4 + 5, 1e-5) << message.err;
  const Ended ring = predict(
      folder, app_of_ranks(R"({"op": "all_reduce", "bytes": 8000, "algorithm": "ring"})"), "--json -");
  EXPECT_NEAR(total_us(ring), kernel + 6 * (4 + 2), 1e-5) << ring.err;
}

// A graph's launch takes as long as a kernel's on the unit GPU, nothing.
TEST(Clusters, NameWhatIsAssumedOfGraphs) {
  const Folder folder;
  const std::string reduction = R"({"op": "all_reduce", "bytes": 8000, "algorithm": "ring"})";
  const Ended plain = predict(folder, app_of_ranks(reduction), "--json -");
  const Ended graph = predict(folder,
                              app_of_ranks(R"({"op": "graph", "name": "g", "events": [)" + reduction +
                                           R"(]}, {"op": "graph_launch", "graph": "g"})"),
                              "--json -");
  EXPECT_EQ(total_us(graph), total_us(plain)) << graph.err;
  EXPECT_EQ(plain.out.find("graph.node_overhead_us is not known"), std::string::npos);
  EXPECT_NE(graph.out.find("graph.node_overhead_us is not known"), std::string::npos);
}

TEST(Clusters, GiveTheSameBytesOnThreadsAndRanks) {
  const Folder folder;
  const std::string timeline = folder.path("timeline.json");
  const std::string command = hotspot + "unit --json - --timeline " + timeline + in_short + " --threads ";
  const Ended one = kerncast(command + "1");
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const std::string of_one = read(timeline);
  EXPECT_TRUE(Json::accept(of_one));
  for (const char* threads : {"2", "8"}) {
    EXPECT_EQ(kerncast(command + threads).out, one.out) << threads;
    EXPECT_EQ(read(timeline), of_one) << threads;
  }
  for (const int ranks : {2, 4}) {
    const Ended spread = kerncast(command + "1", on_ranks(ranks));
    EXPECT_EQ(spread.out, one.out) << ranks << " ranks: " << spread.err;
    EXPECT_EQ(read(timeline), of_one) << ranks;
  }
}

TEST(Clusters, TellTheLineOfADeadlock) {
  const Folder folder;
  const Ended ended = predict(folder, app_of_ranks(R"x({"op": "recv", "peer": "= (rank + 1) % 4", "bytes": 8},
{"op": "send", "peer": "= (rank + 3) % 4", "bytes": 8})x"));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("app.json:4:1: error: rank 0 waits for ever: its recv of 8 bytes from rank 1"),
            std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("ranks wait for each other: 0, 1, 2, 3, 0"), std::string::npos) << ended.err;
}

struct Mistake {
  std::string events;
  std::string message;
};

class MistakesOnClusters : public testing::TestWithParam<Mistake> {};

TEST_P(MistakesOnClusters, HaveARankAndALine) {
  const Folder folder;
  const Ended ended = predict(folder, app_of_ranks(GetParam().events));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find("app.json:4:1: error: " + GetParam().message), std::string::npos) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    OfAFile, MistakesOnClusters,
    testing::Values(
        Mistake{R"({"op": "send", "peer": 1, "bytes": 8, "when": "= rank == 0"})",
                "rank 1 never receives the 8 bytes that rank 0 sends it"},
        Mistake{R"({"op": "recv", "peer": 1, "bytes": 8, "when": "= rank == 0"})", "rank 0 waits for ever"},
        Mistake{R"({"op": "all_reduce", "bytes": "= 8 + rank"})",
                "rank 1 comes to all_reduce of 9 bytes where rank 0"},
        Mistake{R"({"op": "barrier", "when": "= rank != 2"})", "rank 2 never comes to this barrier"}));

TEST(Clusters, AndApplicationsBelongTogether) {
  const Folder folder;
  const std::string ranks = folder.write("ranks.json", app_of_ranks(R"({"op": "barrier"})"));
  const Ended alone = kerncast("predict " + ranks + " --gpu unit");
  EXPECT_EQ(alone.exit_code, 1);
  EXPECT_NE(alone.err.find("is an application of 4 ranks"), std::string::npos) << alone.err;
  const Ended one_gpu = kerncast("predict " + data("scale.json") + " --cluster unit");
  EXPECT_EQ(one_gpu.exit_code, 1);
  EXPECT_NE(one_gpu.err.find("is an application of one GPU"), std::string::npos) << one_gpu.err;
  const Ended many = kerncast("predict " + ranks + " --cluster unit --ranks 5");
  EXPECT_EQ(many.exit_code, 1);
  EXPECT_NE(many.err.find("5 ranks, but cluster unit has 2 nodes of 2 GPUs"), std::string::npos) << many.err;
}

TEST(Clusters, MayHaveFourThousandRanks) {
  const Folder folder;
  rusage before{};
  getrusage(RUSAGE_CHILDREN, &before);
  const Ended ended =
      kerncast("predict " + examples_folder +
               "hotspot_ranks.json --cluster dgx-a100 --ranks 4096 --let all_rows=16384 --json -" + in_short);
  rusage after{};
  getrusage(RUSAGE_CHILDREN, &after);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const Json ranks = Json::parse(ended.out)[0]["cluster"]["ranks"];
  EXPECT_EQ(ranks.size(), 4096);
  EXPECT_EQ(ranks[2000]["messages_sent"], 20);
  const double seconds = static_cast<double>(after.ru_utime.tv_sec - before.ru_utime.tv_sec);
  EXPECT_LT(seconds, 60);
  EXPECT_LT(after.ru_maxrss, 1 << 20); // KiB
}

TEST(Scaling, SpreadsTheSameWorkOrGrowsWithTheGpus) {
  const std::string scale = "scale " + examples_folder +
                            "hotspot_ranks.json --cluster dgx-a100 --gpus 1:16:x4 --json - "
                            "--l1-hit 0.5 --l2-hit 0.5 ";
  const Ended strong = kerncast(scale);
  ASSERT_EQ(strong.exit_code, 0) << strong.err;
  const Json points = Json::parse(strong.out)[0]["points"];
  ASSERT_EQ(points.size(), 3);
  EXPECT_EQ(points[2]["gpus"], 16);
  EXPECT_EQ(points[0]["efficiency"], 1);
  EXPECT_GT(points[1]["speedup"], 1);
  EXPECT_LT(points[2]["compute_us"], points[1]["compute_us"]);
  const Ended weak = kerncast(scale + "--weak all_rows");
  ASSERT_EQ(weak.exit_code, 0) << weak.err;
  const Json grown = Json::parse(weak.out)[0]["points"];
  EXPECT_NEAR(grown[2]["compute_us"].get<double>(), grown[0]["compute_us"].get<double>(), 1e-6);
  EXPECT_LE(grown[2]["efficiency"], 1);
}

// What one number of GPUs has simulated and another one takes over changes nothing.
TEST(Scaling, IsThatOfSinglePredictions) {
  const std::string app =
      examples_folder + "hotspot_ranks.json --cluster dgx-a100 --l1-hit 0.5 --l2-hit 0.5 --json - ";
  const Json points = Json::parse(answer("scale " + app + "--gpus 1,4,8"))[0]["points"];
  for (const Json& point : points) {
    const std::string ranks = std::to_string(point["gpus"].get<int>());
    EXPECT_EQ(point["time_us"],
              Json::parse(answer("predict " + app + "--no-interval --ranks " + ranks))[0]["total_time_us"])
        << ranks;
  }
}

TEST(Scaling, NamesACacheThatCannotBeWritten) {
  const Folder folder;
  const std::string file = folder.write("file", "no folder");
  const Ended ended =
      kerncast("scale " + examples_folder + "hotspot_ranks.json --cluster unit --gpus 1,2 --cache " + file);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_NE(ended.err.find(file), std::string::npos) << ended.err;
  EXPECT_EQ(ended.out, "");
}

TEST(Scaling, RefusesCountsThatAreNone) {
  for (const char* counts : {"0", "4,2", "1:8", "1:8:x1", "8:1:x2", "1:70000:x2", "one"}) {
    const Ended ended =
        kerncast("scale " + examples_folder + "hotspot_ranks.json --cluster unit --gpus " + counts);
    EXPECT_EQ(ended.exit_code, 1) << counts;
    EXPECT_NE(ended.err.find("--gpus"), std::string::npos) << ended.err;
  }
}

} // namespace
} // namespace kerncast::test
