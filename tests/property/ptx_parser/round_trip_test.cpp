// Printing loses nothing: the text of a tree parses to the same tree, for every PTX file here and for
// modules made at random.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ptx_parser/difference.h"
#include "ptx_parser/parser.h"
#include "ptx_parser/printer.h"
#include "random_module.h"
#include "support/files.h"

namespace kerncast::ptx {
namespace {

// What is wrong with the round trip of an accepted text; empty if nothing is.
std::string round_trip(const Module& tree) {
  const std::string text = print(tree);
  const auto again = parse(SourceText("printed.ptx", text));
  if (!again)
    return render(again.error()) + text;
  const std::string difference = first_difference(tree, *again);
  return difference.empty() ? "" : difference + "\n" + text;
}

// In alphabetical order of their paths.
std::vector<std::filesystem::path> ptx_files(const char* folder) {
  std::vector<std::filesystem::path> out;
  const std::filesystem::path root = std::filesystem::path(KERNCAST_SOURCE_DIR) / folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".ptx")
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

// Number of files, each of which comes back.
std::size_t check_round_trips(const char* folder) {
  std::size_t files = 0;
  for (const std::filesystem::path& path : ptx_files(folder)) {
    const auto tree = parse(*read_source(path));
    EXPECT_TRUE(tree) << render(tree ? Diagnostics{} : tree.error());
    EXPECT_EQ(tree ? round_trip(*tree) : "", "") << path;
    ++files;
  }
  return files;
}

TEST(RoundTrip, of_every_test_file) { EXPECT_GE(check_round_trips("tests/data"), 12U); }
TEST(RoundTrip, of_every_workload) { EXPECT_GE(check_round_trips("apps/workloads"), 4U); }
TEST(RoundTrip, of_what_the_fuzz_corpus_has_of_valid_modules) {
  std::size_t valid = 0; // the others are there to be refused
  for (const std::filesystem::path& path : ptx_files("tests/fuzz/ptx_parser"))
    if (const auto tree = parse(*read_source(path))) {
      EXPECT_EQ(round_trip(*tree), "") << path;
      ++valid;
    }
  EXPECT_GE(valid, 4U);
}

// `%r1 ,` and `[ %rd2+8 ]` are read token by token, `%r1,` and `[%rd2+8]` at once.
TEST(RoundTrip, spaces_around_registers_make_no_difference) {
  std::size_t compared = 0;
  for (const std::filesystem::path& path : ptx_files("apps/workloads")) {
    const auto source = *read_source(path);
    const auto tree = parse(source);
    ASSERT_TRUE(tree) << render(tree.error());
    const std::string spaced =
        std::regex_replace(std::string(source.text()), std::regex("(%[a-z]+[0-9]+)([\\],;+])"), " $1 $2");
    const auto same = parse(SourceText("spaced.ptx", spaced));
    ASSERT_TRUE(same) << path << render(same.error());
    EXPECT_EQ(first_difference(*tree, *same), "") << path;
    ++compared;
  }
  EXPECT_GE(compared, 4U);
}

RC_GTEST_PROP(RoundTrip, of_random_modules, ()) {
  const std::string text = random_module();
  const auto tree = parse(SourceText("random.ptx", text));
  if (!tree)
    RC_FAIL(render(tree.error()) + text);
  RC_ASSERT(round_trip(*tree) == "");
}

// A changed character may give another valid module, with forms that nobody wrote down.
RC_GTEST_PROP(RoundTrip, of_changed_files_that_are_still_valid, ()) {
  static const std::vector<std::filesystem::path> files = ptx_files("tests/data/ptx/golden");
  std::string text = read_file(files[*rc::gen::inRange<std::size_t>(0, files.size())]).value();
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  const std::string with = *rc::gen::elementOf(
      std::vector<std::string>{"0", "1", "-", "+", "!", "_", "8", "[", "{", ";", ".", "x", "|", "~", " "});
  text.replace(at, *rc::gen::inRange<std::size_t>(0, 2), with);
  const auto tree = parse(SourceText("changed.ptx", text));
  const std::string wrong = tree ? round_trip(*tree) : std::string{};
  RC_ASSERT(wrong == "");
}

} // namespace
} // namespace kerncast::ptx
