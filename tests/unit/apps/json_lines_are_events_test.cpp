#include "application/read.h"

#include <gtest/gtest.h>

namespace kerncast::application {
namespace {

const std::string header = R"({"format": "kerncast-app/1", "name": "trace", "modules": ["m.ptx"]})";
const std::string kernel = R"({"op": "kernel", "kernel": "k", "grid": [4], "block": [32]})";

TEST(JsonLines, OneEventALine) {
  const auto app = read_application(SourceText("t.jsonl", header + "\n\n" + kernel + "\n{\"op\": \"sync\"}"));
  ASSERT_TRUE(app) << render(app.error());
  EXPECT_EQ(app->name, "trace");
  EXPECT_EQ(app->events.size(), 2U);
}

TEST(JsonLines, ErrorsNameTheirOwnLine) {
  const auto app = read_application(
      SourceText("t.jsonl", header + "\n" + kernel + "\n{\"op\": \"sync\"\n{\"op\": \"sinc\"}"));
  ASSERT_FALSE(app);
  EXPECT_EQ(render(app.error()), R"(t.jsonl:3:14: error: not valid JSON: unexpected end of input; expected '}'
  {"op": "sync"
               ^
t.jsonl:3:14: note: the text ends early or was damaged; write it again
t.jsonl:4:8: error: unknown op 'sinc'
  {"op": "sinc"}
         ^~~~~~
t.jsonl:4:8: note: did you mean 'sync'?
)");
}

const std::string header_of_two =
    R"({"format": "kerncast-app/1", "name": "t", "modules": ["m.ptx"], "event_count": 2})";

TEST(JsonLines, AsManyEventsAsTheHeaderSays) {
  EXPECT_TRUE(read_application(SourceText("t.jsonl", header_of_two + "\n" + kernel + "\n" + kernel + "\n")));
}

TEST(JsonLines, ATraceThatWasCutSaysWhereItEnds) {
  const auto app = read_application(SourceText("t.jsonl", header_of_two + "\n" + kernel + "\n"));
  ASSERT_FALSE(app);
  EXPECT_EQ(app.error().front().place.line, 3U);
  EXPECT_EQ(app.error().front().message, "the file ends after 1 of 2 events");
}

TEST(JsonLines, TheHeaderComesFirst) {
  const auto app = read_application(SourceText("t.jsonl", kernel + "\n" + header + "\n"));
  ASSERT_FALSE(app);
  EXPECT_EQ(app.error().front().place, (Place{1, 1}));
  EXPECT_EQ(app.error().front().message, "application has no 'format'");
}

TEST(JsonLines, AnEmptyFileHasNoHeader) {
  const auto app = read_application(SourceText("t.jsonl", "\n \n"));
  ASSERT_FALSE(app);
  EXPECT_EQ(app.error().front().message, "no header line");
}

TEST(JsonLines, TheHeaderHasNoEvents) {
  const auto app = read_application(SourceText(
      "t.jsonl", R"({"format": "kerncast-app/1", "name": "t", "modules": ["m.ptx"], "events": []})"));
  ASSERT_FALSE(app);
  EXPECT_EQ(app.error().front().message, "unknown field of header 'events'");
}

} // namespace
} // namespace kerncast::application
