#include "application/read.h"

#include <fstream>

#include <gtest/gtest.h>

#include "support/files.h"

namespace kerncast::application {
namespace {

Diagnostics errors_of(std::string text, std::size_t limit = 20) {
  const Expected<Application> app = read_application(SourceText("a.json", std::move(text)), limit);
  return app ? Diagnostics{} : app.error();
}

std::string with_event(const std::string& event) {
  return R"({"format": "kerncast-app/1", "name": "n", "modules": ["m.ptx"], "buffers": {"temp": {"bytes": 64}},
"events": [
)" + event +
         "]}";
}

std::string with_kernel(const std::string& fields) {
  return with_event(R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], )" + fields + "}");
}

// A texture of a buffer of 64 bytes.
std::string with_texture(const std::string& texture) {
  return R"({"format": "kerncast-app/1", "name": "n", "modules": [], "events": [], "buffers": {"b": {"bytes": 64}},
"textures": {"t": )" +
         texture + "}}";
}

struct Bad {
  std::string text; // '@' marks the place of the error
  std::string message;
};

class BadApplication : public testing::TestWithParam<Bad> {};

TEST_P(BadApplication, IsRefusedAtThePlace) {
  std::string text = GetParam().text;
  const std::size_t at = text.find('@');
  ASSERT_NE(at, std::string::npos);
  const Place expected = SourceText("", text).place(at);
  const Diagnostics errors = errors_of(text.erase(at, 1));
  ASSERT_EQ(errors.size(), 1U) << render(errors);
  EXPECT_EQ(errors[0].message, GetParam().message);
  EXPECT_EQ(errors[0].place, expected) << render(errors);
  EXPECT_EQ(errors[0].file, "a.json");
}

INSTANTIATE_TEST_SUITE_P(
    Document, BadApplication,
    testing::Values(
        Bad{"@[1]", "application must be an object, not an array"}, Bad{"@{}", "application has no 'format'"},
        Bad{R"({"format": @"kerncast-app/2", "whatever": 1})",
            "format 'kerncast-app/2', but this program reads 'kerncast-app/1'"},
        Bad{R"({"format": @"kerncast-prediction/1"})", "unknown format 'kerncast-prediction/1'"},
        Bad{R"({"format": @1})", "format must be a string, not a number"},
        Bad{R"(@{"format": "kerncast-app/1", "name": "n", "events": []})", "application has no 'modules'"},
        Bad{"{\"format\": \"kerncast-app/1\", \"name\": \"n\",\n @\"modulse\": [], \"modules\": [], "
            "\"events\": []}",
            "unknown field of application 'modulse'"},
        Bad{R"({"format": "kerncast-app/1", "name": @"", "modules": [], "events": []})",
            "name must not be empty"},
        Bad{R"({"format": "kerncast-app/1", "name": "n", "modules": [@7], "events": []})",
            "a module's path must be a string, not a number"},
        Bad{R"({"format": "kerncast-app/1", "name": "n", "modules": ["m.ptx"], "events": [{"op": "sy@)",
            "not valid JSON: invalid string: missing closing quote"}));

INSTANTIATE_TEST_SUITE_P(
    Buffers, BadApplication,
    testing::Values(Bad{R"({"format": "kerncast-app/1", "name": "n", "modules": [], "events": [],
"buffers": {"b": {"bytes": @0}}})",
                        "bytes must be a whole number from 1 to 1125899906842624, not 0"},
                    Bad{R"({"format": "kerncast-app/1", "name": "n", "modules": [], "events": [],
"buffers": {"b": {"bytes": 4, "init": {"kind": @"zeroes"}}}})",
                        "unknown kind of init 'zeroes'"},
                    Bad{R"({"format": "kerncast-app/1", "name": "n", "modules": [], "events": [],
"buffers": {"b": {"bytes": 4, "init": {"kind": "random", "type": @"f23"}}}})",
                        "unknown element type 'f23'"},
                    Bad{R"({"format": "kerncast-app/1", "name": "n", "modules": [], "events": [],
"buffers": {"b": {"bytes": 4}, @"b": {"bytes": 4}}})",
                        "'b' is given twice"}));

INSTANTIATE_TEST_SUITE_P(
    Textures, BadApplication,
    testing::Values(
        Bad{with_texture(R"({"buffer": @"c", "format": "f32", "width": 4})"), "unknown buffer 'c'"},
        Bad{with_texture(R"({"buffer": "b", "format": @"f64", "width": 4})"), "unknown texel format 'f64'"},
        Bad{with_texture(R"(@{"buffer": "b", "format": "f32"})"), "texture has no 'width'"},
        Bad{with_texture(R"({"buffer": "b", "format": "f32", "width": 4, "filter": @"cubic"})"),
            "unknown filter 'cubic'"},
        Bad{with_texture(R"({"buffer": "b", "format": "f32", "width": 4, @"hight": 4})"),
            "unknown field of texture 'hight'"},
        Bad{with_texture(R"(@{"buffer": "b", "format": "f32", "width": 4, "height": 5})"),
            "the texels do not fit the buffer's 64 bytes from byte 0 on"},
        Bad{with_texture(R"(@{"buffer": "b", "format": "u8", "width": 4, "filter": "linear"})"),
            "integers that are read as they are cannot be filtered"}));

INSTANTIATE_TEST_SUITE_P(
    Events, BadApplication,
    testing::Values(
        Bad{with_event(R"({"op": @"kernal", "kernel": "k"})"), "unknown op 'kernal'"},
        Bad{with_event(R"(@{"kind": "h2d", "bytes": 4})"), "event has no 'op'"},
        Bad{with_event("@3"), "event must be an object, not a number"},
        Bad{with_event(R"({"op": "sync", @"host": 0})"), "unknown field of sync 'host'"},
        Bad{with_event(R"({"op": "sync", "device": @1})"), "the application has one device, number 0"},
        Bad{with_event(R"(@{"op": "memcpy", "kind": "peer", "bytes": 4})"),
            "a copy between devices does not say where it goes"},
        Bad{with_event(R"({"op": "memcpy", "kind": "h2d", "bytes": 4, "to_device": @0})"),
            "only copies of the kind 'peer' go to another device"},
        Bad{with_event(R"(@{"op": "memcpy", "kind": "peer", "bytes": 4, "to_device": 0})"),
            "a copy from a device to itself"},
        Bad{with_event(R"({"op": "graph", "name": "g", "events": [@{"op": "sync"}]})"),
            "the host cannot wait within a graph"},
        Bad{with_event(R"({"op": "graph", "name": "g", "events": @[]})"), "a graph without nodes"},
        Bad{with_event(R"({"op": "graph", "name": @"", "events": []})"), "name must not be empty"},
        Bad{with_event(R"(@{"op": "graph", "name": "g", "events": [{"op": "memset", "bytes": 4}]})"),
            "graph 'g' is never launched"},
        Bad{with_event(R"({"op": "graph_launch", "graph": @"g"})"), "unknown graph 'g'"},
        Bad{with_event(R"({"op": "graph_launch", "graph": @"g", "when": 0})"), "unknown graph 'g'"},
        Bad{with_event(R"({"op": @"memcopy", "when": 0})"), "unknown op 'memcopy'"},
        Bad{with_event(R"({"op": "memset", "bytes": 4, @"strem": 1, "when": 0})"),
            "unknown field of memset 'strem'"},
        Bad{with_event(R"(@{"op": "event_record", "when": "= 2 < 1"})"), "event_record has no 'event'"},
        Bad{with_event(R"({"op": "memset", "bytes": 4, "when": @"0"})"),
            "when must be a whole number of at least 0, not a string"},
        Bad{with_event(R"({"op": "memset", "bytes": 4, "when": @-1})"),
            "when must be a whole number of at least 0, not -1"},
        Bad{with_event(R"({"op": "graph", "name": "g", "events": [{"op": "memset", "bytes": 4}]},)"
                       R"( {"op": "graph_launch", "graph": "g", "repeat": @0})"),
            "repeat must be a whole number from 1 to 100000000, not 0"},
        Bad{with_event(R"({"op": "graph", "name": "g", "events": [{"op": "event_record", "event": "e"}]},)"
                       R"( {"op": "graph_launch", "graph": "g"}, {"op": "event_wait", "event": @"e"})"),
            "event 'e' has not been recorded before"},
        Bad{with_event(R"({"op": "event_wait", "event": @"e0", "stream": 2})"),
            "event 'e0' has not been recorded before"},
        Bad{with_event(R"({"op": "event_record", "event": "e0"}, {"op": "sync", "event": @"e1"})"),
            "event 'e1' has not been recorded before"},
        Bad{with_event(R"({"op": "event_wait", "event": @"e0"}, {"op": "event_record", "event": "e0"})"),
            "event 'e0' has not been recorded before"},
        Bad{with_event(
                R"({"op": "event_record", "event": "e0"}, {"op": "sync", "event": @"e0", "stream": 1})"),
            "sync waits for a stream or for an event, not for both"},
        Bad{with_event(R"(@{"op": "event_record", "stream": 1})"), "event_record has no 'event'"},
        Bad{with_event(R"({"op": "event_record", "event": @0})"), "event must be a string, not a number"},
        Bad{with_event(R"({"op": "memcpy", "kind": "h2d", "bytes": 4, "memory": @"paged"})"),
            "unknown kind of host memory 'paged'"},
        Bad{with_event(R"({"op": "memcpy", "kind": "d2d", "bytes": 4, "memory": @"pinned"})"),
            "a copy within the device has no host memory"},
        Bad{with_event(R"({"op": "memcpy", "kind": @"h2h", "bytes": 4})"), "unknown kind of copy 'h2h'"},
        Bad{with_event(R"({"op": "memcpy", "kind": "h2d", "bytes": @-4})"),
            "bytes must be a whole number from 1 to 1125899906842624, not -4"},
        Bad{with_event(R"({"op": "memcpy", "kind": "h2d", "bytes": @4.5})"),
            "bytes must be a whole number from 1 to 1125899906842624, not 4.5"},
        Bad{with_event(R"({"op": "memcpy", "kind": "h2d", "bytes": @99999999999999999999999})"),
            "bytes must be a whole number from 1 to 1125899906842624, not 99999999999999999999999"},
        Bad{with_event(R"({"op": "memcpy", "kind": "h2d", "bytes": 4, "stream": @-1})"),
            "stream must be a whole number from 0 to 1000000, not -1"}));

INSTANTIATE_TEST_SUITE_P(
    Kernels, BadApplication,
    testing::Values(
        Bad{with_event(R"({"op": "kernel", "kernel": "k", "grid": @[0], "block": [32]})"),
            "grid.x must be from 1 to 2147483647, not 0"},
        Bad{with_event(R"({"op": "kernel", "kernel": "k", "grid": @[1, 65536], "block": [32]})"),
            "grid.y must be from 1 to 65535, not 65536"},
        Bad{with_event(R"({"op": "kernel", "kernel": "k", "grid": @[1, 1, 1, 1], "block": [32]})"),
            "grid must have one to three numbers, not 4"},
        Bad{with_event(R"({"op": "kernel", "kernel": "k", "grid": [1], "block": @[32, 33]})"),
            "a CTA of 32 x 33 x 1 = 1056 threads is larger than 1024"},
        Bad{with_event(R"({"op": "kernel", "kernel": "k", "grid": [1], "block": [@-1]})"),
            "block must be a whole number from 0 to 4294967295, not -1"},
        Bad{with_kernel(R"("spill_store_bytes": @-4)"),
            "spill_store_bytes must be a whole number from 0 to 1048576, not -4"},
        Bad{with_kernel(R"("registers": @256)"), "registers must be a whole number from 1 to 255, not 256"},
        Bad{with_kernel(R"("repeat": @0)"), "repeat must be a whole number from 1 to 100000000, not 0"},
        Bad{with_kernel(R"("hit_rates": {"l1": @1.5, "l2": 0})"), "hit rate l1 must lie in [0, 1], not 1.5"},
        Bad{with_kernel(R"("hit_rates": @{"l1": 1})"), "hit_rates has no 'l2'"},
        Bad{with_kernel(R"("args": @{"i32": 2})"), "args must be an array, not an object"},
        Bad{with_kernel(R"("args": [{"i32": @2147483648}])"),
            "i32 must be a whole number from -2147483648 to 2147483647"},
        Bad{with_kernel(R"("args": [{@"i33": 2}])"), "unknown field of argument 'i33'"},
        Bad{with_kernel(R"("args": [@{"i32": 2, "f32": 2}])"), "an argument must have exactly one value"},
        Bad{with_kernel(R"("args": [{"buffer": @"tem"}])"), "unknown buffer 'tem'"},
        Bad{with_kernel(R"("args": [{"texture": @"tem"}])"), "unknown texture 'tem'"},
        Bad{with_kernel(R"("args": [{"buffer": "temp", "offset": @65}])"),
            "offset must be a whole number from 0 to 64, not 65"},
        Bad{with_kernel(R"("args": [{"f32": @1e39}])"),
            "f32 must lie in [-3.4028234663852886e+38, 3.4028234663852886e+38], not 1e+39"},
        Bad{with_kernel(R"("branches": {"$L": {"taken": @2}})"), "taken must lie in [0, 1], not 2"},
        Bad{with_kernel(R"("loops": {"$L": @-1})"),
            "loop trips must be a whole number from 0 to 1000000000000, not -1"}));

TEST(BadApplications, SuggestTheNameThatWasMeant) {
  EXPECT_EQ(render(errors_of(with_kernel(R"("args": [{"buffer": "tem"}])"))),
            R"(a.json:3:81: error: unknown buffer 'tem'
  {"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "args": [{"buffer": "tem"}]}]}
                                                                                  ^~~~~
a.json:3:81: note: did you mean 'temp'?
)");
}

TEST(BadApplications, EveryErrorIsReportedInTheOrderOfTheFile) {
  const Diagnostics errors = errors_of(R"({"format": "kerncast-app/1", "nmae": "n", "modules": [1],
"events": [{"op": "x"}, {"op": "sync", "y": 1}]})");
  // unknown field, missing 'name' (at the document's start), module, op, field of sync
  ASSERT_EQ(errors.size(), 5U) << render(errors);
  for (std::size_t i = 1; i < errors.size(); ++i)
    EXPECT_LE(std::pair(errors[i - 1].place.line, errors[i - 1].place.column),
              std::pair(errors[i].place.line, errors[i].place.column));
}

TEST(BadApplications, TheErrorLimitIsKept) {
  std::string events = R"({"op": "x"})";
  for (int i = 0; i < 99; ++i)
    events += R"(, {"op": "x"})";
  EXPECT_EQ(errors_of(with_event(events), 7).size(), 7U);
  EXPECT_EQ(errors_of(with_event(events), 0).size(), 100U);
}

TEST(BadApplications, MoreLaunchesThanAnyProgramMakesAreRefused) {
  // 60,000,000 + 60,000,000 > 100,000,000
  const std::string event =
      R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32], "repeat": 60000000})";
  const Diagnostics errors = errors_of(with_event(event + ",\n" + event));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].message, "more than 100000000 launches");
  EXPECT_EQ(errors[0].place.line, 4U);
}

TEST(BadApplications, AnInitFileOfAnotherSizeIsRefused) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/three.bin") << "abc";
  std::ofstream(folder + "/init.json")
      << R"({"format": "kerncast-app/1", "name": "n", "modules": [], "events": [],
"buffers": {"b": {"bytes": 4, "init": {"kind": "file", "path": "three.bin"}},
            "c": {"bytes": 4, "init": {"kind": "file", "path": "none.bin"}}}})";
  const auto app = load_application(read_source(folder + "/init.json").value());
  ASSERT_FALSE(app);
  const std::string text = render(app.error());
  EXPECT_NE(text.find("init.json:2:64: error:"), std::string::npos) << text;
  EXPECT_NE(text.find("three.bin' has 3 bytes, the buffer 'b' has 4"), std::string::npos) << text;
  EXPECT_NE(text.find("init.json:3:64: error: cannot read"), std::string::npos) << text;
}

} // namespace
} // namespace kerncast::application
