// libFuzzer's entry: any text is read as an application and as a trace, and what can be read happens. Build
// with clang and -DKERNCAST_FUZZ=ON; run fuzz_application_libfuzzer tests/fuzz/application/corpus.
#include "application_fuzzer.h"

#include <cmath>
#include <cstdlib>

#include "../../timeline_gpu.h"
#include "application/read.h"

namespace kerncast::application {
namespace {

constexpr std::size_t most_events = 100'000;

void insist(bool holds) {
  if (!holds)
    std::abort();
}

// Of one GPU: it ends, and its critical path leads to the end.
void let_happen(const Application& app) {
  if (app.events.size() > most_events || app.program.ranks > 0)
    return;
  std::uint64_t launches = 0;
  for (const DistinctLaunch& launch : app.launches)
    launches += launch.launches;
  if (launches > most_events)
    return;
  const timeline::Timeline found = timeline::simulate_timeline(
      app.events, std::vector<double>(app.launches.size(), 10), timeline::test::gpu());
  const timeline::CriticalPath& path = found.critical_path;
  const double sum = path.kernels + path.copies + path.launches;
  insist(std::isfinite(found.total_time_us));
  insist(std::abs(sum - found.total_time_us) <= 1e-6 * found.total_time_us);
}

} // namespace

bool read_any(const std::string& name, const std::string& text) {
  const Expected<Application> app = read_application(SourceText(name, text));
  if (app) {
    let_happen(*app);
    return true;
  }
  insist(!app.error().empty());
  for (const Diagnostic& error : app.error())
    insist(!error.message.empty() && error.place.line >= 1);
  insist(!render(app.error()).empty());
  return false;
}

} // namespace kerncast::application

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"fuzz.json", "fuzz.jsonl"})
    kerncast::application::read_any(name, text);
  return 0;
}
