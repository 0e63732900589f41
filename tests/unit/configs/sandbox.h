// A private GPU database for one test: its own files first, then the shipped ones.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "configs/loader.h"

namespace kerncast::configs::test {

inline const std::filesystem::path shipped = std::filesystem::path(KERNCAST_SOURCE_DIR) / "configs";

inline Gpu shipped_gpu(std::string_view name, const std::vector<Setting>& settings) {
  auto gpu = load_gpu(name, settings, ConfigPath({shipped}));
  EXPECT_TRUE(gpu) << (gpu ? "" : render(gpu.error()));
  return gpu.value_or(Gpu{});
}

// As the file says; read once.
inline const Gpu& shipped_gpu(std::string_view name) {
  static std::map<std::string, Gpu, std::less<>> gpus;
  const auto found = gpus.find(name);
  return found != gpus.end() ? found->second : gpus.emplace(name, shipped_gpu(name, {})).first->second;
}

class Sandbox {
public:
  Sandbox() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("kerncast-" + std::string(info->test_suite_name()) + "-" + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "gpus/base");
    std::filesystem::create_directories(folder_ / "isa");
  }
  ~Sandbox() { std::filesystem::remove_all(folder_); }
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  std::filesystem::path write(const std::string& file, std::string_view text) const {
    std::ofstream(folder_ / file, std::ios::binary) << text;
    return folder_ / file;
  }

  ConfigPath path() const { return ConfigPath({folder_, shipped}); }

  Expected<Gpu> load(std::string_view name, const std::vector<Setting>& settings = {}) const {
    return load_gpu(name, settings, path());
  }

  // What kerncast prints when the GPU does not load, folders replaced by names.
  std::string errors(std::string_view name, const std::vector<Setting>& settings = {}) const {
    const auto gpu = load(name, settings);
    return gpu ? "it loaded" : tidy(render(gpu.error()));
  }

  // Writes gpus/g.toml and loads it.
  std::string errors_of(std::string_view text, const std::vector<Setting>& settings = {}) const {
    write("gpus/g.toml", text);
    return errors("g", settings);
  }

  std::string tidy(std::string text) const {
    replace_all(text, folder_.string() + "/", "");
    replace_all(text, shipped.string() + "/", "configs/");
    return text;
  }

  // Writes gpus/g.toml, which has to load.
  Gpu loaded(std::string_view text, const std::vector<Setting>& settings = {}) const {
    write("gpus/g.toml", text);
    const auto gpu = load("g", settings);
    EXPECT_TRUE(gpu) << (gpu ? "" : render(gpu.error()));
    return gpu.value_or(Gpu{});
  }

private:
  static void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  }

  std::filesystem::path folder_;
};

// What kerncast prints about the unit GPU with these lines.
inline std::string errors_with(const std::string& lines) {
  return Sandbox().errors_of("inherits = \"unit\"\n" + lines);
}

// The unit GPU with these lines.
inline Gpu unit_gpu_with(const std::string& lines) {
  return Sandbox().loaded("inherits = \"unit\"\n" + lines);
}

} // namespace kerncast::configs::test
