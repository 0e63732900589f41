// Applications of several ranks: expressions become the numbers of each rank, and mistakes of single ranks
// are told with the rank and at their place.
#include <gtest/gtest.h>

#include "application/read.h"
#include "expression.h"

namespace kerncast::application {
namespace {

using timeline::CommunicationEvent;
using timeline::KernelEvent;

std::string file(const std::string& events, const std::string& more = "") {
  return R"({"format": "kerncast-app/1", "name": "n", "modules": ["m.ptx"], "ranks": 4, )" + more +
         "\"events\": [\n" + events + "]}";
}

Application read_with_ranks(const std::string& text, const RankOptions& options = {}) {
  Expected<Application> app = read_application(SourceText("a.json", text), 20, options);
  EXPECT_TRUE(app) << (app ? "" : render(app.error()));
  return app ? std::move(*app) : Application{};
}

std::string errors(const std::string& text, const RankOptions& options = {}) {
  const Expected<Application> app = read_application(SourceText("a.json", text), 20, options);
  return app ? "" : render(app.error());
}

std::int64_t value(const std::string& text) {
  const auto result = evaluate(text, [](std::string_view name) {
    return name == "rank" ? std::optional<std::int64_t>(3) : std::nullopt;
  });
  EXPECT_TRUE(result) << (result ? "" : result.error());
  return result.value_or(-999);
}

TEST(Expressions, AreThoseOfWholeNumbers) {
  EXPECT_EQ(value("1 + 2 * 3 - 4"), 3);
  EXPECT_EQ(value("(rank + 1) % 4"), 0);
  EXPECT_EQ(value("-7 // 2"), -4);
  EXPECT_EQ(value("-7 % 2"), 1);
  EXPECT_EQ(value("min(5, rank, 9) + max(1, 2)"), 5);
  EXPECT_EQ(value("rank > 2 and not rank == 4 or 0"), 1);
  EXPECT_EQ(value("12 / 4 / 3"), 1);
}

TEST(Expressions, AreRefusedInWords) {
  const auto error = [](const std::string& text) {
    const auto result = evaluate(text, [](std::string_view) { return std::optional<std::int64_t>(); });
    return result ? std::string() : result.error();
  };
  EXPECT_EQ(error("7 / 2"), "7 / 2 is not whole: // rounds down");
  EXPECT_EQ(error("7 % 0"), "it divides by zero");
  EXPECT_EQ(error("rows"), "nothing is called 'rows'");
  EXPECT_EQ(error("(1"), "a ')' is missing");
  EXPECT_EQ(error("1 +"), "it ends where a number or a name must stand");
  EXPECT_EQ(error("1 2"), "'2' is not understood");
  EXPECT_EQ(error("9223372036854775807 + 1"), "its value is beyond 64 bits");
  EXPECT_NE(error(std::string(1000, '(')), "");
}

TEST(Ranks, HaveEventsOfTheirOwn) {
  const Application app = read_with_ranks(file(
      R"x({"op": "send", "peer": "= rank + 1", "bytes": "= 8 * (rank + 1)", "when": "= rank < ranks - 1"})x"));
  ASSERT_EQ(app.program.steps.size(), 1);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const auto& send = std::get<CommunicationEvent>(*app.program.steps[0].at(rank));
    EXPECT_EQ(send.peer, rank + 1);
    EXPECT_EQ(send.bytes, 8 * (rank + 1));
  }
  EXPECT_EQ(app.program.steps[0].at(3), nullptr);
}

// What does not name the rank is stored once, and a launch of it happens on every rank.
TEST(Ranks, ShareWhatIsAlike) {
  const Application app = read_with_ranks(file(
      R"({"op": "kernel", "kernel": "k", "grid": ["= rows"], "block": [32], "args": [{"i32": "= -rows"}]},
{"op": "repeat", "times": 3, "events": [{"op": "kernel", "kernel": "k", "grid": ["= rank + 1"], "block": [32]}]})",
      R"("let": {"n": 64, "rows": "= n / ranks"}, )"));
  EXPECT_EQ(app.program.steps[0].variants.size(), 1);
  EXPECT_EQ(app.program.order, (std::vector<std::uint32_t>{0, 1, 1, 1}));
  ASSERT_EQ(app.launches.size(), 5);
  EXPECT_EQ(app.launches[0].launch.grid.x, 16);
  EXPECT_EQ(app.launches[0].launches, 4);
  EXPECT_EQ(app.launches[4].launch.grid.x, 4);
  EXPECT_EQ(app.launches[4].launches, 3);
}

TEST(Ranks, AndNumbersMayBeStatedAnew) {
  const std::string text = file(R"({"op": "kernel", "kernel": "k", "grid": ["= n // ranks"], "block": [32]})",
                                R"("let": {"n": 64}, )");
  RankOptions options;
  options.ranks = 8;
  EXPECT_EQ(read_with_ranks(text, options).launches[0].launch.grid.x, 8);
  options.let = {{"n", "2 * 64"}};
  EXPECT_EQ(read_with_ranks(text, options).launches[0].launch.grid.x, 16);
  options.let.clear();
  options.grow_with_ranks = {"n"};
  EXPECT_EQ(read_with_ranks(text, options).launches[0].launch.grid.x, 64);
  options.let = {{"m", "1"}};
  EXPECT_NE(errors(text, options).find("defines no 'm'"), std::string::npos);
}

struct Mistake {
  std::string events;
  std::string message;
};

class MistakesOfRanks : public testing::TestWithParam<Mistake> {};

TEST_P(MistakesOfRanks, AreToldAtTheirPlace) {
  const std::string text =
      errors(file(GetParam().events, R"("let": {"rows": "= 8 / ranks", "own": "= rank"}, )"));
  EXPECT_NE(text.find("a.json:2:"), std::string::npos) << text;
  EXPECT_NE(text.find(GetParam().message), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    OfAFile, MistakesOfRanks,
    testing::Values(
        Mistake{R"({"op": "send", "peer": "= rank + 1", "bytes": 8})", "for rank 3 of 4, '= rank + 1' is 4"},
        Mistake{R"({"op": "recv", "peer": "= rank - 1", "bytes": 8})", "for rank 0 of 4, '= rank - 1' is -1"},
        Mistake{R"({"op": "send", "peer": 2, "bytes": 8, "tag": "= own"})", "rank 2 talks to itself"},
        Mistake{R"({"op": "send", "peer": "= left", "bytes": 8})", "nothing is called 'left'"},
        Mistake{R"({"op": "all_reduce", "bytes": 8, "algorithm": "pairwise"})", "no algorithm 'pairwise'"},
        Mistake{R"({"op": "all_reduce", "bytes": 8, "via": "cpu"})", "unknown way 'cpu'"},
        Mistake{R"({"op": "barrier", "bytes": 8})", "unknown field of barrier 'bytes'"},
        Mistake{R"({"op": "send", "peer": 9, "byte": 8, "when": "= rank > 9"})",
                "unknown field of send 'byte'"},
        Mistake{R"({"op": "barrier", "when": ["= rank == 2"]})",
                "when must be a whole number of at least 0, not an array"},
        Mistake{R"({"op": "group", "events": [{"op": "sync", "when": 0}]})",
                "a group holds communication only"},
        Mistake{R"({"op": "group", "events": [{"op": "sync"}]})", "a group holds communication only"},
        Mistake{R"({"op": "group", "events": [{"op": "barrier", "stream": 1}]})", "has the group's stream"},
        Mistake{R"({"op": "repeat", "times": "= rank + 1", "events": []})", "the same for all ranks"},
        Mistake{R"({"op": "broadcast", "bytes": 8, "root": 4})", "root must be a whole number from 0 to 3"}));

TEST(MistakesWithoutRanks, NameNoRank) {
  const std::string said =
      errors(R"({"format": "kerncast-app/1", "name": "a", "modules": [], "let": {"n": "=1 / 0"},
  "events": [{"op": "sync", "when": "= n"}]})");
  EXPECT_NE(said.find("it divides by zero"), std::string::npos) << said;
  EXPECT_EQ(said.find("rank 0"), std::string::npos) << said;
}

// Each rank keeps what it exchanged.
TEST(Events, OfAllRanksTogetherAreLimited) {
  const auto repeated = [](int times) {
    return R"({"format": "kerncast-app/1", "name": "a", "modules": [], "ranks": 20000, "events": [
  {"op": "repeat", "times": )" +
           std::to_string(times) + R"(, "events": [{"op": "barrier"}, {"op": "barrier"}]}]})";
  };
  EXPECT_EQ(read_with_ranks(repeated(5000)).program.order.size(), 10'000U);
  const std::string said = errors(repeated(5001));
  EXPECT_NE(said.find("a.json:2:3: error: more than 200000000 events of all 20000 ranks"), std::string::npos)
      << said;
}

// Nothing behind the one that is too many is read.
TEST(Events, AreTooManyOnce) {
  const std::string said =
      errors(R"({"format": "kerncast-app/1", "name": "a", "modules": [], "ranks": 65536, "events": [
  {"op": "repeat", "times": 10000, "events": [{"op": "barrier"}]}, {"op": "barrier"}, {"op": "barier"}]})");
  EXPECT_EQ(said.find("error:"), said.rfind("error:")) << said;
  EXPECT_NE(said.find("a.json:2:3: error: more than 200000000 events"), std::string::npos) << said;
}

// Of what does not happen, nothing is evaluated.
TEST(Events, ThatDoNotHappenNeedNoValues) {
  for (const std::string when : {"0", "\"= 0\"", "\"= rank - rank\""})
    EXPECT_EQ(errors(file(R"({"op": "send", "peer": "= rank // 0", "bytes": "= nothing", "when": )" + when +
                          R"(}, {"op": "barrier"})")),
              "")
        << when;
}

// Members beyond it would get streams that others have.
TEST(Groups, ThatAreTooLargeAreRefused) {
  const auto group = [](std::uint32_t members, const std::string& of) {
    std::string events;
    for (std::uint32_t i = 0; i < members; ++i)
      events += (i == 0 ? "" : ", ") + of;
    return file(R"({"op": "group", "events": [)" + events + "]}");
  };
  const std::string barrier = R"({"op": "barrier"})";
  EXPECT_EQ(read_with_ranks(group(timeline::max_group_members, barrier)).program.order.size(),
            timeline::max_group_members + 2);
  EXPECT_NE(errors(group(timeline::max_group_members + 1, barrier)).find("a group of 2047 communications"),
            std::string::npos);
  // Others' do not count.
  const std::string of_one =
      R"({"op": "barrier", "when": "= rank == 0"}, {"op": "barrier", "when": "= rank == 1"})";
  EXPECT_EQ(read_with_ranks(group(timeline::max_group_members, of_one)).program.order.size(),
            2 * timeline::max_group_members + 2);
}

TEST(MistakesOfFiles, NameWhatIsWrong) {
  EXPECT_NE(
      errors(file("", R"("let": {"x": "= 7 / 2"}, "buffers": {"b": {"bytes": "= x"}}, )")).find("not whole"),
      std::string::npos);
  EXPECT_NE(errors(file("", R"("buffers": {"b": {"bytes": "= rank + 1"}}, )")).find("the same for all ranks"),
            std::string::npos);
  const std::string one_gpu = R"({"format": "kerncast-app/1", "name": "n", "modules": [], "events": [)";
  EXPECT_NE(errors(one_gpu + R"({"op": "barrier"}]})").find("of an application of one GPU"),
            std::string::npos);
  EXPECT_NE(errors(one_gpu + R"({"op": "repeat", "times": 2, "events": []}]})").find("several ranks"),
            std::string::npos);
}

} // namespace
} // namespace kerncast::application
