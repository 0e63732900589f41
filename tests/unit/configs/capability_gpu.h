// A GPU with the residency limits of one compute capability and the unit GPU's everything else.
#pragma once

#include <sstream>

#include "sandbox.h"

namespace kerncast::configs::test {

inline const std::filesystem::path data = std::filesystem::path(KERNCAST_SOURCE_DIR) / "tests/data/configs";

inline Gpu gpu_of(const std::string& capability, const Sandbox& sandbox) {
  std::ifstream machine(data / "occupancy/machine.toml");
  std::ostringstream text;
  text << "inherits = \"cc-" << capability << "\"\n" << machine.rdbuf();
  sandbox.write("gpus/machine.toml", text.str());
  const auto gpu = sandbox.load("machine");
  EXPECT_TRUE(gpu) << (gpu ? "" : render(gpu.error()));
  return gpu.value_or(Gpu{});
}

} // namespace kerncast::configs::test
