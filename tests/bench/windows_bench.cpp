// What synchronising the logical processes of a GPU costs, and how evenly they can be spread: the numbers of
// the cost model in docs/scaling.md.
//
//   mpirun -n RANKS bin/windows_bench costs
//       "NAME VALUE" lines, nanoseconds on the clock, of the fastest tenth of many windows: what else the
//       machine does lengthens the others. hand_out: of a window without work to two threads; message: of an
//       exchange with one other rank; event: what one more event in it adds.
//   bin/windows_bench balance ROWS
//       of hotspot on ROWS x ROWS CTAs of an A100, half of whose accesses hit each level: "windows N",
//       "seconds S" of CPU time on one core, "events E" from process to process; then for numbers of parts
//       "PARTS BUSIEST", the sum over all windows of the slowest part's time against that of the mean part.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <boost/mpi/communicator.hpp>
#include <fmt/format.h>

#include "cluster/cluster.h"
#include "pdes/gpu.h"
#include "property/prediction/one_kernel.h"
#include "support/files.h"
#include "windows.h"

namespace {

using namespace kerncast;
using pdes::GpuMessage;

constexpr std::size_t repeats = 20'000;

double nanoseconds_now() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Mean of the fastest tenth.
template <class Do> double fastest_tenth(Do&& act) {
  std::vector<double> taken(repeats);
  for (double& one : taken) {
    const double begin = nanoseconds_now();
    act();
    one = nanoseconds_now() - begin;
  }
  std::sort(taken.begin(), taken.end());
  double sum = 0;
  for (std::size_t i = 0; i < repeats / 10; ++i)
    sum += taken[i];
  return sum / (repeats / 10.0);
}

double hand_out() {
  parallel::Team team(2);
  return fastest_tenth([&] { team.for_each(2 * cluster::parts_per_thread, [](std::size_t) {}); });
}

double exchange(const cluster::Cluster& cluster, std::size_t events) {
  const boost::mpi::communicator world;
  return fastest_tenth([&] {
    std::vector<cluster::EventsOf<GpuMessage>> outgoing(static_cast<std::size_t>(cluster.ranks()));
    for (auto& to_rank : outgoing)
      to_rank.resize(events);
    pdes::Time next = 0;
    cluster::exchange_window<GpuMessage>(world, outgoing, next);
  });
}

int costs(const cluster::Cluster& cluster) {
  constexpr std::size_t many = 1000;
  if (cluster.ranks() > 1) {
    const double empty = exchange(cluster, 0);
    const double full = exchange(cluster, many);
    if (cluster.is_root())
      fmt::print("message {:.0f}\nevent {:.0f}\n", empty / (cluster.ranks() - 1),
                 (full - empty) / many / (cluster.ranks() - 1));
  }
  if (cluster.is_root())
    fmt::print("hand_out {:.0f}\n", hand_out());
  return 0;
}

double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

pdes::GpuWorkload hotspot(std::uint32_t rows) {
  using Kind = tasklist::Argument::Kind;
  const std::string path = std::string(KERNCAST_SOURCE_DIR) + "/apps/workloads/rodinia/hotspot/hotspot.ptx";
  const SourceText source = value_of(read_source(path));
  KernelLaunch kernel{std::string(source.text()), {}, memory_model::HitRates{0.5, 0.5}};
  kernel.launch.grid = {rows, rows, 1};
  kernel.launch.block = {16, 16, 1};
  const auto integer = [](std::uint64_t value) { return tasklist::Argument{Kind::i32, value, 0, 0}; };
  const auto buffer = [](std::uint32_t number) {
    return tasklist::Argument{Kind::buffer, 0, number, 4194304};
  };
  kernel.launch.arguments = {integer(2),    buffer(0),     buffer(1),  buffer(2),
                             integer(1024), integer(1024), integer(2), integer(2)};
  kernel.launch.arguments.resize(14, tasklist::Argument{Kind::f32, 0, 0, 0});
  const configs::Gpu gpu = gpu_of("a100-sxm4-40gb");
  std::vector<std::string> assumptions;
  return pdes::make_gpu_workload(plan_of(kernel, gpu), gpu, 0, assumptions);
}

// One part after the other, each by its own CPU time.
struct Measured {
  double all = 0;     // seconds
  double slowest = 0; // of each window's slowest part, summed
  pdes::Statistics statistics;
};
Measured in_parts(const pdes::GpuWorkload& gpu, std::uint32_t parts) {
  Measured out;
  pdes::Execution<GpuMessage> execution;
  execution.placement = {1, parts};
  execution.for_each = [&](std::size_t count, const std::function<void(std::size_t)>& task) {
    double slowest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double begin = thread_seconds();
      task(i);
      const double taken = thread_seconds() - begin;
      out.all += taken;
      slowest = std::max(slowest, taken);
    }
    out.slowest += slowest;
  };
  out.statistics = pdes::simulate_gpu(gpu, execution).statistics;
  return out;
}

int balance(std::uint32_t rows) {
  const pdes::GpuWorkload gpu = hotspot(rows);
  const Measured whole = in_parts(gpu, 1);
  fmt::print("windows {}\nseconds {:.3f}\nevents {}\n", whole.statistics.windows, whole.all,
             whole.statistics.sent);
  for (const std::uint32_t parts : {2U, 4U, 8U, 16U, 32U, 64U, 128U}) {
    const Measured divided = in_parts(gpu, parts);
    fmt::print("{} {:.3f}\n", parts, divided.slowest * parts / divided.all);
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const kerncast::cluster::Cluster cluster(argc, argv);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "costs")
    return costs(cluster);
  if (words.size() == 2 && words[0] == "balance")
    return balance(static_cast<std::uint32_t>(std::atoi(words[1].c_str())));
  fmt::print(stderr, "error: windows_bench costs | balance ROWS_OF_CTAS\n");
  return 2;
}
