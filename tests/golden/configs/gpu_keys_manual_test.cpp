// docs/gpu-keys.md lists every key of the key table, with unit, bounds, default and meaning.
// KERNCAST_UPDATE_GOLDEN=1 in the environment writes it anew instead of comparing.
//
//   | `sms` | | 1 to 4096, whole | required | streaming multiprocessors that are enabled |
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "configs/loader.h"
#include "support/files.h"

namespace kerncast::configs {
namespace {

constexpr const char* introduction =
    "# Keys of a GPU description\n"
    "\n"
    "Written by `tests/golden/configs` from the key table, `configs/src/gpu_keys.cpp`; do not edit it. A key "
    "is\n"
    "stated in a GPU file, as `l1.kib = 28` or in its table `[l1]`, or with `--set l1.kib=28`. NAME stands "
    "for\n"
    "the name of a unit. [adding-a-gpu.md](adding-a-gpu.md) says how a file is written and what is checked.\n"
    "\n"
    "| key | unit | values | default | meaning |\n"
    "|---|---|---|---|---|\n";

std::string manual() {
  std::string text = introduction;
  for (const KeyDescription& key : describe_keys())
    text += "| `" + key.key + "` | " + key.unit + " | " + key.values + " | " + key.default_value + " | " +
            key.meaning + " |\n";
  return text;
}

TEST(GpuKeysManual, IsTheKeyTable) {
  const std::filesystem::path file = std::filesystem::path(KERNCAST_SOURCE_DIR) / "docs/gpu-keys.md";
  if (std::getenv("KERNCAST_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(file, manual()));
  }
  const auto recorded = read_file(file);
  ASSERT_TRUE(recorded) << render(recorded.error());
  EXPECT_EQ(manual(), *recorded);
}

} // namespace
} // namespace kerncast::configs
