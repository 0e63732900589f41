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

// Open MPI leaves memory behind, which the address sanitizer of the dev build would report at the end.
inline const std::string mpirun = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                                  "ASAN_OPTIONS=detect_leaks=0 mpirun --oversubscribe -n ";

inline const std::string small_axes = "[axes]\nclock_mhz = [1000, 1100]\ndram.latency = [300, 400, 500]\n";

} // namespace kerncast::test
