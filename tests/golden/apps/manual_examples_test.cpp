// The manual's examples do what the manual says: every `kerncast ...` of README.md (indented) and of
// docs/*.md (after `$ `) runs, and prints the lines that stand below it; `...` stands for any lines.
#include <filesystem>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "program.h"

namespace kerncast::test {
namespace {

namespace fs = std::filesystem;

struct Example {
  std::string command; // arguments of the program
  std::vector<std::string> output;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

constexpr const char* end_of_code = "```";

// The lines of code, without indent, with `end_of_code` wherever code ends.
std::vector<std::string> code_lines(const std::string& text, bool is_fenced) {
  std::vector<std::string> lines;
  bool is_inside = false;
  for (const std::string& line : lines_of(text)) {
    const bool is_fence = is_fenced && line.starts_with("```");
    is_inside = is_fenced ? is_inside != is_fence : line.empty() || line.starts_with("    ");
    if (!is_inside || is_fence)
      lines.emplace_back(end_of_code);
    else
      lines.push_back(is_fenced || line.empty() ? line : line.substr(4));
  }
  return lines;
}

std::string with_continuations_joined(std::string text) {
  for (std::size_t at; (at = text.find("\\\n")) != std::string::npos;)
    text.erase(at, text.find_first_not_of(' ', at + 2) - at);
  return text;
}

std::vector<Example> examples(const std::string& text, bool is_fenced) {
  const std::string start = is_fenced ? "$ kerncast " : "kerncast ";
  std::vector<Example> found;
  bool is_open = false;
  for (const std::string& line : code_lines(with_continuations_joined(text), is_fenced)) {
    if (line.starts_with(start))
      found.push_back({line.substr(start.size()), {}});
    else if (is_open && line != end_of_code && !line.empty())
      found.back().output.push_back(line);
    is_open = line.starts_with(start) || (is_open && line != end_of_code);
  }
  return found;
}

// The first line that is missing: each in order, directly below the one before unless `...` stands between.
std::string first_missing(const std::vector<std::string>& wanted, const std::string& output) {
  std::vector<std::string> lines = lines_of(output);
  std::erase(lines, "");
  std::size_t at = 0;
  bool may_skip = false;
  for (const std::string& line : wanted) {
    if (line.find_first_not_of(' ') != std::string::npos && line.ends_with("...")) {
      may_skip = true;
      continue;
    }
    while (may_skip && at < lines.size() && lines[at] != line)
      ++at;
    if (at == lines.size() || lines[at] != line)
      return line;
    ++at;
    may_skip = false;
  }
  return {};
}

// A folder in which the manual's examples find the files that they name.
class Manual : public testing::Test {
protected:
  Manual() {
    const fs::path source = KERNCAST_SOURCE_DIR;
    fs::create_directory_symlink(source / "apps", folder_.path("apps"));
    fs::create_directory_symlink(source / "configs", folder_.path("configs"));
    fs::create_directory_symlink(source / "docs", folder_.path("docs"));
    fs::create_symlink(source / "tests/data/containers/program", folder_.path("a.out"));
  }

  void expect_examples(const std::string& file, bool is_fenced) {
    const std::vector<Example> all = examples(read(KERNCAST_SOURCE_DIR "/" + file), is_fenced);
    EXPECT_FALSE(all.empty()) << file;
    for (const Example& example : all) {
      const Ended ended = kerncast(example.command, "cd " + folder_.path("") + " && ");
      EXPECT_EQ(0, ended.exit_code) << file << ": kerncast " << example.command << "\n" << ended.err;
      EXPECT_EQ("", first_missing(example.output, ended.out))
          << file << ": kerncast " << example.command << "\nprints\n"
          << ended.out;
    }
  }

  Folder folder_;
};

TEST_F(Manual, TheReadmesExamplesPrintWhatItShows) { expect_examples("README.md", false); }

TEST_F(Manual, SweepsPrintWhatTheManualShows) { expect_examples("docs/sweeps.md", false); }

TEST_F(Manual, ClustersPrintWhatTheManualShows) { expect_examples("docs/clusters.md", true); }

TEST_F(Manual, TheGuideToAddingAGpuIsTrue) {
  const std::string guide = read(KERNCAST_SOURCE_DIR "/docs/adding-a-gpu.md");
  const std::size_t begin = guide.find("```toml\n") + 8;
  folder_.write("rtx5090.toml", guide.substr(begin, guide.find("```", begin) - begin));
  expect_examples("docs/adding-a-gpu.md", true);
}

TEST_F(Manual, TheFiveLinesTakeWhatTheManualSays) {
  const std::string manual = read(KERNCAST_SOURCE_DIR "/docs/explaining.md");
  const std::size_t begin = manual.find("```tasklist\n") + 12;
  folder_.write("five.tasklist", manual.substr(begin, manual.find("```", begin) - begin));
  expect_examples("docs/explaining.md", true);
}

} // namespace
} // namespace kerncast::test
