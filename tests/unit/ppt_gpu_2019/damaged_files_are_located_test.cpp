// Claims: what is wrong with a ppt_lanl file is reported where it stands, all of it, with a next step.
#include <gmock/gmock.h>

#include <string>

#include "ppt_gpu_2019/reader.h"
#include "support/files.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

using ::testing::HasSubstr;

std::string good_text() {
  return read_file(KERNCAST_SOURCE_DIR "/tests/data/ppt_lanl/gaussian_fan1_K40m.json").value();
}

std::string errors_of(const std::string& text) {
  const Expected<LanlFile> file = read_lanl_file(SourceText("f.json", text));
  return file ? "no error" : render(file.error());
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = good_text();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(LanlFile, reads_items_launch_and_hardware) {
  const Expected<LanlFile> file = read_lanl_file(SourceText("f.json", good_text()));
  ASSERT_TRUE(file) << render(file.error());
  EXPECT_EQ(file->input.name, "gaussian_fan1");
  EXPECT_EQ(file->input.items.size(), 31U);
  EXPECT_EQ(file->input.items[9].latency, 9);
  EXPECT_THAT(file->input.dependencies_of(file->input.items[9]), ::testing::ElementsAre(8, 3));
  EXPECT_EQ(file->input.launch.threads_per_block, 512U);
  EXPECT_EQ(file->input.hardware.sp_lanes, 192U);
  EXPECT_EQ(file->recording->python27_cpu_s, 0.003951000000000038);
}

TEST(LanlFile, is_told_from_other_json) {
  EXPECT_TRUE(is_lanl_file(good_text()));
  EXPECT_FALSE(is_lanl_file(R"({"format": "kerncast-app/1"})"));
}

TEST(LanlFile, need_not_have_a_recording) {
  const std::string text = good_text();
  const std::size_t begin = text.find("\"predicted\"");
  const std::size_t end = text.find("\"measured\"");
  const auto file = read_lanl_file(SourceText("f.json", text.substr(0, begin) + text.substr(end)));
  ASSERT_TRUE(file) << render(file.error());
  EXPECT_FALSE(file->recording);
}

TEST(LanlFile, that_is_truncated_is_reported_at_its_end) {
  EXPECT_THAT(errors_of("{\"app\": \"x\",\n \"launch\": {\"grid\": 2"), HasSubstr("f.json:2:"));
}

TEST(LanlFile, of_another_shape_is_refused) {
  EXPECT_THAT(errors_of("[1, 2]"),
              HasSubstr("f.json:1:1: error: a ppt_lanl file must be an object, not an array"));
}

TEST(LanlFile, with_an_unknown_field_gets_a_suggestion) {
  EXPECT_THAT(errors_of(with("\"regs\"", "\"reggs\"")), HasSubstr("unknown field of launch 'reggs'"));
  EXPECT_THAT(errors_of(with("\"regs\"", "\"reggs\"")), HasSubstr("did you mean 'regs'?"));
}

TEST(LanlFile, without_a_field_says_which) {
  EXPECT_THAT(errors_of(with("\"num_SM\":15,", "")), HasSubstr("hw has no 'num_SM'"));
}

TEST(LanlFile, with_a_value_of_another_type_is_refused_at_the_value) {
  // Line 5 is "launch": {"smem":0,"phit_l2":0.803,"grid":2,...: the value of grid stands in column 46.
  EXPECT_THAT(errors_of(with("\"grid\":2", "\"grid\":\"2\"")), HasSubstr("f.json:5:"));
  EXPECT_THAT(errors_of(with("\"grid\":2", "\"grid\":\"2\"")),
              HasSubstr("grid must be a whole number from 1 to 1000000000000000, not a string"));
  EXPECT_THAT(errors_of(with("\"grid\":2", "\"grid\":2.5")), HasSubstr("not 2.5"));
}

TEST(LanlFile, with_absurd_sizes_is_refused) {
  EXPECT_THAT(errors_of(with("\"grid\":2", "\"grid\":0")),
              HasSubstr("grid must be a whole number from 1 to 1000000000000000, not 0"));
  EXPECT_THAT(errors_of(with("\"grid\":2", "\"grid\":-5")), HasSubstr("not -5"));
  EXPECT_THAT(errors_of(with("\"block\":512", "\"block\":2048")),
              HasSubstr("block must be a whole number from 1 to 1024, not 2048"));
  EXPECT_THAT(errors_of(with("\"phit_l2\":0.803", "\"phit_l2\":1.5")),
              HasSubstr("phit_l2 must lie in [0, 1], not 1.5"));
  EXPECT_THAT(errors_of(with("\"num_SM\":15", "\"num_SM\":1e30")),
              HasSubstr("num_SM must be a whole number from 1 to 1000000, not 1e30"));
  EXPECT_THAT(errors_of(with("\"warp_size\":32", "\"warp_size\":64")),
              HasSubstr("warp_size must be a whole number from 32 to 32, not 64"));
  EXPECT_THAT(errors_of(with("[\"iALU\",9]", "[\"iALU\",-9]")),
              HasSubstr("the latency must lie in [0, 1000000], not -9"));
}

TEST(LanlFile, with_a_dependency_on_a_later_item_is_refused) {
  // Item 8 is the first with a dependency: 2.
  EXPECT_THAT(errors_of(with("[\"iALU\",9,2]", "[\"iALU\",9,8]")), HasSubstr("item 8 cannot depend on 8"));
  EXPECT_THAT(errors_of(with("[\"iALU\",9,2]", "[\"iALU\",9,-1]")), HasSubstr("item 8 cannot depend on -1"));
  EXPECT_THAT(errors_of(with("[\"iALU\",9,2]", "[\"iALU\",9,\"2\"]")),
              HasSubstr("item 8 cannot depend on a string"));
}

TEST(LanlFile, with_an_unknown_class_gets_a_suggestion) {
  EXPECT_THAT(errors_of(with("[\"iALU\",9]", "[\"iALUU\",9]")), HasSubstr("unknown item class 'iALUU'"));
  EXPECT_THAT(errors_of(with("[\"iALU\",9]", "[\"iALUU\",9]")), HasSubstr("did you mean 'iALU'?"));
}

TEST(LanlFile, with_malformed_items_is_refused) {
  EXPECT_THAT(errors_of(with("[\"iALU\",9]", "[\"iALU\"]")), HasSubstr("the item ends after its class"));
  EXPECT_THAT(errors_of(with("[\"iALU\",9]", "7")), HasSubstr("an item is an array"));
  EXPECT_THAT(errors_of(with("[\"PARAM_MEM_ACCESS\",\"LOAD\"]", "[\"PARAM_MEM_ACCESS\",4]")),
              HasSubstr("the second element of a memory access must be a string, not a number"));
}

TEST(LanlFile, with_a_wrong_number_of_items_is_refused) {
  EXPECT_THAT(errors_of(with("\"n_tasklist_items\": 31", "\"n_tasklist_items\": 30")),
              HasSubstr("31 items, but 'n_tasklist_items' is 30"));
}

TEST(LanlFile, reports_all_errors_at_once) {
  std::string text = with("\"grid\":2", "\"grid\":0");
  text.replace(text.find("\"num_SM\":15"), 11, "\"num_SM\":\"\"");
  EXPECT_THAT(errors_of(text), HasSubstr("grid must be"));
  EXPECT_THAT(errors_of(text), HasSubstr("num_SM must be"));
}

} // namespace
} // namespace kerncast::ppt_gpu_2019
