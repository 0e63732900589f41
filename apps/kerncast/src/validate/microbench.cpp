// validate microbench: our microbenchmarks beside what kernels of the same structure took on real GPUs.
#include "data_folder.h"
#include "measured.h"

namespace kerncast::app {
namespace {

struct LaunchTable {
  const char* table; // NAME.csv, with its mapping NAME.json
  const char* ptx;
};

constexpr LaunchTable launch_tables[] = {{"streams", "streams"},
                                         {"roofline", "roofline"},
                                         {"mixes", "mixes"},
                                         {"small_ctas", "streams"},
                                         {"sgemm", "sgemm"}};

} // namespace

Expected<void> validate_microbench(const SuiteInput& input, Report& report) {
  const Expected<std::filesystem::path> folder = data_folder(input.session, "measured");
  if (!folder)
    return tl::unexpected(folder.error());
  for (const LaunchTable& family : launch_tables) {
    const std::filesystem::path table = *folder / family.table;
    const std::filesystem::path ptx =
        folder->parent_path() / "microbench" / family.ptx / (std::string(family.ptx) + ".ptx");
    const SuiteInput one = {table.string() + ".csv", table.string() + ".json", ptx.string(), input.threads,
                            input.session};
    if (Expected<void> done = compare_launches("microbench", one, report); !done)
      return done;
  }
  return {};
}

} // namespace kerncast::app
