// Whatever is done to a GPU file or an ISA table, loading ends in a GPU or in diagnostics with places.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "configs/loader.h"

namespace kerncast::configs {
namespace {

namespace fs = std::filesystem;

const fs::path shipped = fs::path(KERNCAST_SOURCE_DIR) / "configs";

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A few bytes replaced, removed or repeated.
std::string damaged(std::string text) {
  const int edits = *rc::gen::inRange(1, 5);
  for (int i = 0; i < edits; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const auto length = *rc::gen::inRange<std::size_t>(0, 12);
    switch (*rc::gen::inRange(0, 3)) {
    case 0:
      text[at] = *rc::gen::arbitrary<char>();
      break;
    case 1:
      text.erase(at, length);
      break;
    default:
      text.insert(at, text.substr(at, length));
    }
    if (text.empty())
      text = " ";
  }
  return text;
}

void load_ends_well(const fs::path& folder) {
  const auto gpu = load_gpu((folder / "gpus/g.toml").string(), {}, ConfigPath({folder, shipped}));
  if (gpu) {
    RC_ASSERT(gpu->sms >= 1U);
    RC_ASSERT(gpu->isa != nullptr);
  } else {
    RC_ASSERT(!gpu.error().empty());
    RC_ASSERT(render(gpu.error()).find("error: ") != std::string::npos);
  }
}

class DamagedFiles : public testing::Test {
protected:
  DamagedFiles() {
    folder_ =
        fs::path(testing::TempDir()) /
        ("kerncast-damaged-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_ / "gpus");
    fs::create_directories(folder_ / "isa");
  }
  ~DamagedFiles() override { fs::remove_all(folder_); }

  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder_ / file, std::ios::binary) << text;
  }

  fs::path folder_;
};

RC_GTEST_FIXTURE_PROP(DamagedFiles, GpuFileNeverCrashesTheLoader, ()) {
  write("gpus/g.toml", damaged(contents(shipped / "gpus/unit.toml")));
  load_ends_well(folder_);
}

RC_GTEST_FIXTURE_PROP(DamagedFiles, IsaTableNeverCrashesTheLoader, ()) {
  write("gpus/g.toml", "inherits = \"unit\"\narchitecture = \"mine\"\n");
  write("isa/mine.toml", damaged(contents(shipped / "isa/unit.toml")));
  load_ends_well(folder_);
}

RC_GTEST_FIXTURE_PROP(DamagedFiles, RandomBytesNeverCrashTheLoader, (const std::string& bytes)) {
  write("gpus/g.toml", bytes);
  load_ends_well(folder_);
}

} // namespace
} // namespace kerncast::configs
