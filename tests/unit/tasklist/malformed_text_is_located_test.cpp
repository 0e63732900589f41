// Every mistake in a hand-written tasklist has its line and column, and all are reported at once.
#include "read_list.h"

namespace kerncast::tasklist {
namespace {

using testing::HasSubstr;

struct BadText {
  std::string body;
  const char* expected;
};
class MalformedText : public testing::TestWithParam<BadText> {};

TEST_P(MalformedText, is_located) {
  const SourceText source("t", "kerncast-tasklist/1\n" + GetParam().body);
  const auto list = read_text(source);
  ASSERT_FALSE(list);
  EXPECT_THAT(render(list.error()), HasSubstr(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    all, MalformedText,
    testing::Values(BadText{"add %0 <- r1", "t:2:11: error: unexpected 'r1'"},
                    BadText{"add %", "t:2:5: error: expected a value"},
                    BadText{"add %4000000000", "t:2:5: error: expected a value"},
                    BadText{"values b32 %0..%4000000000", "t:2:12: error: expected %FIRST..%LAST"},
                    BadText{"values b32 %5..%2", "t:2:12: error: expected %FIRST..%LAST"},
                    BadText{"values b33 %0", "t:2:8: error: unknown value class 'b33'"},
                    BadText{"block 3", "t:2:7: error: blocks are numbered in order; this one is block 0"},
                    BadText{"block -> 1", "t:2:1: error: block 0 goes to block 1, but there are 1"},
                    BadText{"block -> x", "t:2:10: error: expected a number"},
                    BadText{"block instructions 4", "t:2:20: error: expected FIRST+COUNT"},
                    BadText{"kernel", "t:2:7: error: a name is missing"},
                    BadText{"kernel a\nkernel b", "error: a second kernel"},
                    BadText{"kernel a b", "t:2:10: error: unexpected 'b'"},
                    BadText{"add \"%0", "t:2:5: error: this quoted word does not end"},
                    BadText{"\"\\q\" %0", "t:2:1: error: this quoted word does not end"},
                    BadText{"add : bogus", "t:2:7: error: unknown attribute"},
                    BadText{"add : kind jump", "t:2:12: error: unknown kind 'jump'"},
                    BadText{"add : bytes 70000", "t:2:13: error: expected a number from 0 to 65535"},
                    BadText{"add : latency -1", "t:2:15: error: expected a latency"},
                    BadText{"add : latency inf", "t:2:15: error: expected a latency"},
                    BadText{"add : latency 1\nadd", "t: error: 1 of 2 tasks state a latency"},
                    BadText{"static_shared_bytes 99999999999", "t:2:21: error: expected a number"}));

std::string messages(const std::string& text) {
  const SourceText source("t", text);
  const auto list = read_text(source);
  return list ? "" : render(list.error());
}

TEST(MalformedText, of_another_version_or_kind_is_refused) {
  EXPECT_THAT(messages("kerncast-tasklist/2\n"), HasSubstr("t:1:1: error: unknown tasklist version"));
  EXPECT_THAT(messages("\nhello\n"), HasSubstr("t:2:1: error: this is no tasklist"));
  EXPECT_THAT(messages(""), HasSubstr("error: the text is empty"));
}

TEST(MalformedText, reports_all_lines_at_once) {
  const SourceText source("t", "kerncast-tasklist/1\nblock x\nadd\nadd ?\n");
  EXPECT_EQ(read_text(source).error().size(), 2U);
}

TEST(MalformedText, of_binary_bytes_stops_after_a_bounded_number_of_errors) {
  std::string text = "kerncast-tasklist/1\n";
  for (int i = 0; i < 10'000; ++i) {
    text += "\x01\x02 \xff\n";
  }
  EXPECT_LE(read_text(SourceText("t", text)).error().size(), 60U);
}

} // namespace
} // namespace kerncast::tasklist
