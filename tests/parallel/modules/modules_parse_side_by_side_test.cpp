// Modules parsed on several threads at once are what they are alone: trees, summaries, errors and their
// order.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "checks.h"
#include "modules.h"
#include "parallel/run.h"
#include "ptx_parser/difference.h"
#include "ptx_parser/parser.h"
#include "support/files.h"

namespace kerncast::app {
namespace {

namespace fs = std::filesystem;

const fs::path data = KERNCAST_SOURCE_DIR "/tests/data";

std::vector<fs::path> ptx_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".ptx")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> all_ptx_files() {
  std::vector<fs::path> files = ptx_files(data / "ptx/sources");
  for (const fs::path& more : ptx_files(data / "ptx/rows"))
    files.push_back(more);
  return files;
}

ptx::Module parsed(const fs::path& file) {
  Expected<ptx::Module> module = ptx::parse(read_source(file).value());
  EXPECT_TRUE(module) << file;
  return module ? std::move(*module) : ptx::Module{};
}

TEST(Modules, parsed_at_once_are_what_they_are_alone) {
  const std::vector<fs::path> files = all_ptx_files();
  ASSERT_GE(files.size(), 30U);
  std::vector<ptx::Module> together(files.size());
  parallel::for_each_index(files.size(), 4, [&](std::size_t i) { together[i] = parsed(files[i]); });
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_FALSE(together[i].functions.empty()) << files[i];
    EXPECT_EQ(ptx::first_difference(together[i], parsed(files[i])), "") << files[i];
  }
}

TEST(Modules, of_a_program_are_in_its_order_on_any_number_of_threads) {
  std::vector<std::string> names;
  for (const std::size_t threads : {1U, 2U, 5U}) {
    const auto modules = read_modules(read_source(data / "containers/program").value(), {20, {}, threads});
    ASSERT_TRUE(modules);
    std::string name;
    for (const SourceModule& module : *modules)
      name += fs::path(std::string(module.ptx->source->name())).filename().string() + ' ';
    names.push_back(name);
  }
  EXPECT_EQ(names, std::vector<std::string>(3, "program#2 program#4 "));
}

// What `kerncast check` says of files, good ones and damaged ones.
std::string said_about(const fs::path& file, std::size_t threads) {
  static const configs::ConfigPath configs({});
  const Expected<CheckedFile> checked = check_file(file, {configs, 20, {}, threads});
  return checked ? checked->summary + render(checked->warnings) : render(checked.error());
}

TEST(Check, says_the_same_of_a_container_on_any_number_of_threads) {
  for (const char* name : {"program", "library.so", "object.o", "speed.fatbin"}) {
    const std::string alone = said_about(data / "containers" / name, 1);
    EXPECT_NE(alone.find("PTX module"), std::string::npos) << alone;
    EXPECT_EQ(said_about(data / "containers" / name, 4), alone);
  }
}

} // namespace
} // namespace kerncast::app
