// Sweeps over a small kernel, in a folder of their own.
#pragma once

#include <string>

#include "program.h"

namespace kerncast::test {

// `rest`: tables behind [sweep].
inline std::string sweep_of(const Folder& folder, const std::string& rest,
                            const std::string& base = "titan-x", const std::string& sampling = "grid",
                            const std::string& app = data("scale.json")) {
  return folder.write("s.toml", "[sweep]\nname = \"t\"\nbase = [\"" + base + "\"]\napps = [\"" + app +
                                    "\"]\nsampling = \"" + sampling + "\"\n" + rest);
}

inline const std::string small_axes = "[axes]\nclock_mhz = [1000, 1100]\ndram.latency = [300, 400, 500]\n";

// 176 points.
inline const std::string many =
    "[axes]\nclock_mhz = { from = 500, to = 1500, steps = 11, round = 1 }\n"
    "l2.mib = [0.5, 1, 2, 3]\ndram.latency = { from = 300, to = 600, steps = 4, round = 1 }\n";

// 976 points.
inline const std::string longer =
    "[axes]\nclock_mhz = { from = 500, to = 1500, steps = 61, round = 1 }\n"
    "l2.mib = [0.5, 1, 2, 3]\ndram.latency = { from = 300, to = 600, steps = 4, round = 1 }\n";

// hotspot at 4,004 points: many seconds of work.
inline std::string much_work(const Folder& folder) {
  return sweep_of(folder,
                  "[axes]\nclock_mhz = { from = 500, to = 1500, steps = 1001, round = 1 }\n"
                  "dram.latency = [300, 400, 500, 600]\n",
                  "titan-x", "grid", data("../../../apps/workloads/rodinia/hotspot/app.json"));
}

} // namespace kerncast::test
