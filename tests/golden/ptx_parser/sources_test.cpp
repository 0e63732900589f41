// The PTX that nvcc made of tests/data/ptx/sources is read completely: counts.txt says how much of what it
// has. KERNCAST_UPDATE_GOLDEN=1 in the environment writes counts.txt anew instead of comparing.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ptx_parser/parser.h"

namespace kerncast::ptx {
namespace {

const std::filesystem::path folder = std::filesystem::path(KERNCAST_SOURCE_DIR) / "tests/data/ptx/sources";

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string counts_of(const std::filesystem::path& path) {
  const Expected<Module> module = parse(SourceText(path.filename().string(), read(path)), {0});
  if (!module)
    return render(module.error());
  std::size_t kernels = 0;
  std::size_t functions = 0;
  std::size_t instructions = 0;
  for (const Function& f : module->functions) {
    (f.is_entry ? kernels : functions) += f.has_body ? 1 : 0;
    instructions += f.instructions.size();
  }
  return fmt::format("{:32} {} kernels, {} functions, {} instructions, {} variables\n{}",
                     path.filename().string(), kernels, functions, instructions, module->globals.size(),
                     render(module->warnings));
}

TEST(Sources, have_the_kernels_and_instructions_of_counts_txt) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".ptx")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  EXPECT_GE(files.size(), 20U);
  std::string counts;
  for (const auto& file : files)
    counts += counts_of(file);
  if (std::getenv("KERNCAST_UPDATE_GOLDEN") != nullptr)
    std::ofstream(folder / "counts.txt") << counts;
  EXPECT_EQ(counts, read(folder / "counts.txt"));
}

} // namespace
} // namespace kerncast::ptx
