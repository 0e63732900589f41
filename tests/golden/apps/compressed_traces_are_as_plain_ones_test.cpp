// An application file compressed with zstd is predicted as the plain one, or refused with a place.
#include "answers.h"

#include <gtest/gtest.h>
#include <zstd.h>

namespace kerncast::test {
namespace {

std::string packed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  return out.substr(0, ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
}

std::string trace(const std::string& op = "sync") {
  const std::string kernel =
      R"({"op": "kernel", "kernel": "scale", "grid": [64], "block": [256], "args": [{"buffer": "x"}, {"buffer": "x"}, {"f32": 2.0}, {"i32": 16384}]})";
  return R"({"format": "kerncast-app/1", "name": "trace", "modules": [")" + data("scale.ptx") +
         R"("], "buffers": {"x": {"bytes": 65536, "init": {"kind": "zeros"}}}, "event_count": 3})" + "\n" +
         kernel + "\n{\"op\": \"" + op + "\"}\n" + kernel + "\n";
}

TEST(CompressedTraces, GiveTheSameBytes) {
  const Folder folder;
  const std::string text = trace();
  const std::string plain = folder.write("t.jsonl", text);
  const std::string one_frame = folder.write("one.jsonl.zst", packed(text));
  const std::string two_frames =
      folder.write("two.jsonl.zst", packed(text.substr(0, 100)) + packed(text.substr(100)));
  const std::string predict = "predict --gpu unit --json - ";
  const std::string expected = answer(predict + plain);
  EXPECT_NE(expected.find("\"scale\""), std::string::npos) << expected;
  EXPECT_EQ(answer(predict + one_frame), expected);
  EXPECT_EQ(answer(predict + two_frames), expected);
}

TEST(CompressedTraces, AreDocumentsToo) {
  const Folder folder;
  std::string text = read(data("scale.json"));
  const std::string module = "\"scale.ptx\"";
  text.replace(text.find(module), module.size(), '"' + data("scale.ptx") + '"');
  const std::string predict = "predict --gpu unit --json - ";
  EXPECT_EQ(answer(predict + folder.write("a.json.zst", packed(text))),
            answer(predict + folder.write("a.json", text)));
}

TEST(CompressedTraces, AreCheckedAndRun) {
  const Folder folder;
  const std::string plain = folder.write("t.jsonl", trace());
  const std::string file = folder.write("t.jsonl.zst", packed(trace()));
  EXPECT_EQ(answer("check " + file), file + ": application trace: 1 module, 1 buffer, 3 events, 2 launches "
                                            "(1 distinct) of 1 kernel\n");
  EXPECT_EQ(answer("run --json - " + file), answer("run --json - " + plain));
}

TEST(CompressedTraces, HaveErrorsAtPlacesOfTheirText) {
  const Folder folder;
  const std::string file = folder.write("t.jsonl.zst", packed(trace("sinc")));
  const Ended ended = kerncast("check " + file);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err.substr(0, ended.err.find('\n')), file + ":3:8: error: unknown op 'sinc'");
}

struct Damaged {
  std::string bytes;
  std::string message;
};

class CompressedTracesThat : public testing::TestWithParam<Damaged> {};

TEST_P(CompressedTracesThat, AreDamagedPredictNothing) {
  const Folder folder;
  const std::string file = folder.write("t.jsonl.zst", GetParam().bytes);
  for (const std::string command : {"check --json -", "predict --gpu unit"}) {
    const Ended ended = kerncast(command + ' ' + file);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_NE(ended.err.find(file + ": error: " + GetParam().message), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find(file + ": note: "), std::string::npos) << ended.err;
  }
  EXPECT_EQ(kerncast("predict --gpu unit " + file).out, "");
}

// Of a file cut between two frames each frame is right: event_count of the header tells.
INSTANTIATE_TEST_SUITE_P(
    Files, CompressedTracesThat,
    testing::Values(Damaged{packed(trace()).substr(0, packed(trace()).size() - 1),
                            "the zstd data end too early: the text could be read up to byte 0, in line 1"},
                    Damaged{packed(trace()) + "garbage!", "damaged zstd data (Unknown frame descriptor): the "
                                                          "text could be read up to byte "},
                    Damaged{trace(), "no zstd data, which the name promises"}));

} // namespace
} // namespace kerncast::test
