// What a distributed sweep costs beside computing, and how long one takes on many ranks with such costs.
//
//   mpirun -n RANKS bin/scaling_bench costs FOLDER
//       "NAME VALUE" lines: the costs of cluster::DistributionCosts in nanoseconds. CPU time of rank 0, but
//       for the latency, which is half of what a worker waits for a unit on the clock. The store is made in
//       FOLDER. Of two ranks what each question costs that finds rank 0 asleep, of many what each of several
//       does that are there together.
//   bin/scaling_bench job [ranks=N] NAME=VALUE... ROWS:ROW:SHARED:PREPARE...
//       of groups of so many rows that take so many nanoseconds each, what finds that which a group's rows
//       share, and what each rank needs for them besides; for 1 to 4,096 ranks: "RANKS EFFICIENCY END_S
//       LISTENING_S DELIVERING_S LONGEST_WAIT_S MESSAGES"
//   bin/scaling_bench store FOLDER POINTS
//       "NAME VALUE" lines: what a file of 40 rows at each of so many points costs rank 0, in seconds of CPU
//       time and MB, in the order in which a job does it
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <sys/resource.h>

#include <fmt/format.h>

#include "cluster/distribution.h"
#include "cluster/distribution_model.h"
#include "cpu_time.h"
#include "support/files.h"
#include "sweep/store.h"
#include "sweep/sweep_file.h"

namespace {

using namespace kerncast;

// As in apps/kerncast/src/sweep/units.cpp.
constexpr std::uint32_t rows_of_unit = 32;
constexpr std::int64_t units_per_worker = 64, most_units = 65'536;
// A unit as a message, and what is added where its group's hit rates go along (of hotspot 3D: 5 KB).
constexpr std::size_t unit_bytes = 200, shared_bytes = 2048;

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr std::uint64_t most_latencies = 10'000; // then there are several clocks

// `points`: up to as many, or a multiple of it.
sweep::Plan plan_of(std::uint64_t points) {
  std::string clocks = "800";
  for (std::uint64_t i = 1; i < points / most_latencies; ++i)
    clocks += fmt::format(", {}", 800 + i);
  const std::string text =
      fmt::format("[sweep]\nbase = [\"a100-sxm4-40gb\"]\napps = [\"a\"]\n[axes]\nclock_mhz = [{0}]\n"
                  "l2.latency = {{ from = 1, to = {1}, steps = {1}, round = 1 }}\n",
                  clocks, std::min(points, most_latencies));
  const auto file = sweep::read_sweep(std::make_shared<const SourceText>("bench.toml", text));
  Expected<sweep::Plan> plan = sweep::make_plan(*file, configs::ConfigPath::standard());
  return *std::move(plan);
}

std::vector<std::string> applications() {
  std::vector<std::string> names;
  for (int a = 0; a < 40; ++a)
    names.push_back(fmt::format("application_{:02}", a));
  return names;
}

// Of 40 applications at the same points.
sweep::ResultRow row_of(std::uint64_t number, std::uint64_t points = 10'000) {
  sweep::ResultRow row;
  row.app = fmt::format("application_{:02}", number / points % 40);
  row.gpu = "a100-sxm4-40gb";
  row.settings = {{"clock_mhz", fmt::format("{}", 800 + number % points / most_latencies)},
                  {"l2.latency", fmt::format("{}", 1 + number % points % most_latencies)}};
  row.point = sweep::text_of({0, row.settings});
  row.total_time_us = static_cast<double>(number) * 1.7;
  row.gpu_hash = fmt::format("{:032x}", number % points * 0x9e3779b97f4a7c15ULL);
  row.assumptions = std::string(800, 'a') + '\n'; // about as long as those of hotspot
  row.kernels.push_back(
      {.kernel = "kernel", .launches = 1, .time_us = 1.3, .limiter = "ctas", .bound = "dram"});
  return row;
}

// From `first` on.
std::string encoded_rows(std::uint64_t first, std::uint32_t count) {
  std::vector<sweep::ResultRow> rows;
  for (std::uint32_t i = 0; i < count; ++i)
    rows.push_back(row_of(first + i));
  return sweep::encode(rows);
}

// The first unit waits on rank 0 until the others have computed all others.
struct Measured {
  double cpu = 0;  // seconds of rank 0
  double wall = 0; // seconds
};
Measured distribute_to_others(const cluster::Cluster& cluster, std::uint64_t units, const std::string& unit,
                              const std::string& result) {
  cluster.agree({});
  std::atomic<std::uint64_t> given = 0;
  const double wall = wall_seconds(), cpu = bench::cpu_seconds();
  const cluster::Distribution work{.threads = 1,
                                   .next = [&](const std::string&) -> cluster::Answer {
                                     if (given++ >= units)
                                       return {};
                                     return {cluster::Answer::Kind::unit, unit};
                                   },
                                   .compute =
                                       [&](const std::string&, const cluster::Emit& emit) {
                                         while (cluster.is_root() && given < units)
                                           std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                         if (!cluster.is_root() && !result.empty())
                                           emit(result);
                                         return std::string("0");
                                       },
                                   .deliver = [](const std::vector<std::string>&) {},
                                   .tick = [] {}};
  distribute(cluster, work);
  return {bench::cpu_seconds() - cpu, wall_seconds() - wall};
}

// Of five times, that with the least CPU time: while the other rank does not run, rank 0 may wait for it in
// MPI.
Measured least_of_five(const cluster::Cluster& cluster, std::uint64_t units, const std::string& unit,
                       const std::string& result) {
  Measured least = distribute_to_others(cluster, units, unit, result);
  for (int again = 1; again < 5; ++again) {
    const Measured one = distribute_to_others(cluster, units, unit, result);
    if (one.cpu < least.cpu)
      least = one;
  }
  return least;
}

sweep::ResultStore open_store(const std::filesystem::path& file) {
  Expected<sweep::ResultStore> store =
      sweep::ResultStore::open(file, {"bench", "0", sweep::fingerprint("b"), {"clock_mhz", "l2.latency"}});
  if (!store)
    std::exit(1);
  return std::move(*store);
}

// Seconds of CPU time a unit.
double deliver(const std::filesystem::path& folder, std::uint64_t units, std::uint32_t rows) {
  sweep::ResultStore store = open_store(folder / fmt::format("{}.sqlite", rows));
  double seconds = 0;
  for (std::uint64_t unit = 0, number = 0; unit < units; ++unit) {
    const std::string encoded = encoded_rows(number, rows);
    number += rows;
    const double began = bench::cpu_seconds();
    if (!store.add(sweep::decode(encoded)))
      std::exit(1);
    seconds += bench::cpu_seconds() - began;
  }
  return seconds / static_cast<double>(units);
}

void print_cost(std::string_view name, double seconds) { fmt::print("{} {:.0f}\n", name, seconds * 1e9); }

int measure_costs(int argc, char** argv) {
  const std::filesystem::path folder = argv[2];
  const cluster::Cluster cluster(argc, argv);
  constexpr std::uint64_t units = 1000;
  const std::string one = encoded_rows(1, 1), many = encoded_rows(1, rows_of_unit);
  const std::string unit(unit_bytes, 'u');
  distribute_to_others(cluster, units / 4, unit, one); // connections are made
  const Measured empty = least_of_five(cluster, units, unit, "");
  const Measured with_shared = least_of_five(cluster, units, unit + std::string(shared_bytes, 's'), "");
  const Measured with_one = least_of_five(cluster, units, unit, one);
  const Measured with_many = least_of_five(cluster, units, unit, many);
  if (!cluster.is_root())
    return 0;
  const double answer = empty.cpu / units;
  const double hear_one = (with_one.cpu - empty.cpu) / units, hear_many = (with_many.cpu - empty.cpu) / units;
  const double hear_row = std::max(0.0, hear_many - hear_one) / (rows_of_unit - 1);
  // A job whose rank 0 is busy commits the rows of many messages together.
  constexpr std::uint32_t rows_of_commit = 32 * rows_of_unit;
  const double deliver_one = deliver(folder, 3 * units, 1),
               deliver_many = deliver(folder, units / 10, rows_of_commit);
  const double deliver_row = (deliver_many - deliver_one) / (rows_of_commit - 1);
  print_cost("latency", empty.wall / units / 2);
  print_cost("answer", answer);
  print_cost("shared", std::max(0.0, (with_shared.cpu - empty.cpu) / units));
  print_cost("hear", std::max(0.0, hear_one - hear_row));
  print_cost("hear_row", hear_row);
  print_cost("deliver", std::max(0.0, deliver_one - deliver_row));
  print_cost("deliver_row", deliver_row);
  return 0;
}

std::int64_t whole(std::string_view text) {
  std::int64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    std::exit(2);
  return value;
}

double peak_mb() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

template <class Step> void print_step(std::string_view name, const Step& step) {
  const double began = bench::cpu_seconds();
  step();
  fmt::print("{} {:.1f} s, at most {:.0f} MB so far\n", name, bench::cpu_seconds() - began, peak_mb());
  std::fflush(stdout);
}

int measure_store(const std::filesystem::path& folder, std::uint64_t points) {
  const std::filesystem::path file = folder / "store.sqlite";
  const auto check = [](const auto& done) {
    if (!done)
      std::exit(1);
  };
  print_step("write", [&] {
    sweep::ResultStore store = open_store(file);
    std::vector<sweep::ResultRow> rows;
    for (std::uint64_t number = 0; number < 40 * points;) {
      rows.clear();
      for (std::uint32_t i = 0; i < rows_of_unit && number < 40 * points; ++i)
        rows.push_back(row_of(number++, points));
      check(store.add(rows));
    }
    check(store.close());
  });
  fmt::print("file {} MB\n", std::filesystem::file_size(file) >> 20U);
  std::optional<sweep::ResultStore> store;
  print_step("open", [&] { store = open_store(file); });
  print_step("find what is there", [&] { check(store->keys()); });
  print_step("times", [&] { check(store->times(plan_of(points), applications())); });
  print_step("CSV", [&] {
    check(write_file_in_pieces(folder / "store.csv",
                               [&](const WriteText& write) { return store->csv(write); }));
  });
  return 0;
}

struct RowGroup {
  std::int64_t rows = 0, row = 0, shared = 0, prepare = 0;
};

std::vector<cluster::ModelUnit> units_of(const std::vector<RowGroup>& groups, int ranks) {
  std::int64_t all = 0;
  for (const RowGroup& group : groups)
    all += group.rows * group.row;
  std::vector<cluster::ModelUnit> units;
  for (std::uint32_t number = 0; number < groups.size(); ++number) {
    const auto& [rows, row, shared, prepare] = groups[number];
    const std::int64_t together = std::clamp<std::int64_t>(
        all / (std::min(units_per_worker * ranks, most_units) * row), 1, rows_of_unit);
    for (std::int64_t left = rows; left > 0; left -= together)
      units.push_back({static_cast<std::uint32_t>(std::min(left, together)), row, number, shared, prepare});
  }
  return units;
}

int model_job(int argc, char** argv) {
  std::map<std::string_view, std::int64_t> costs;
  std::vector<RowGroup> groups;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (const std::size_t equals = word.find('='); equals != std::string_view::npos) {
      costs[word.substr(0, equals)] = whole(word.substr(equals + 1));
      continue;
    }
    const std::size_t second = word.find(':') + 1, third = word.find(':', second) + 1,
                      fourth = word.find(':', third) + 1;
    groups.push_back(
        {whole(word), whole(word.substr(second)), whole(word.substr(third)), whole(word.substr(fourth))});
  }
  const auto only = static_cast<int>(costs["ranks"]);
  for (int ranks = only == 0 ? 1 : only; ranks <= (only == 0 ? 4096 : only); ranks *= 4) {
    const cluster::ModelledJob job = cluster::model_distribution(units_of(groups, ranks), ranks,
                                                                 {.start = costs["start"],
                                                                  .latency = costs["latency"],
                                                                  .wake = costs["wake"],
                                                                  .answer = costs["answer"],
                                                                  .shared = costs["shared"],
                                                                  .hear = costs["hear"],
                                                                  .hear_row = costs["hear_row"],
                                                                  .deliver = costs["deliver"],
                                                                  .deliver_row = costs["deliver_row"]});
    const auto seconds = [](cluster::Nanoseconds time) { return static_cast<double>(time) * 1e-9; };
    fmt::print("{} {:.4f} {:.3f} {:.3f} {:.3f} {:.6f} {}\n", ranks, job.efficiency(ranks), seconds(job.end),
               seconds(job.listening), seconds(job.delivering), seconds(job.longest_wait), job.messages);
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 2 ? argv[1] : "";
  if (what == "costs")
    return measure_costs(argc, argv);
  if (what == "job")
    return model_job(argc, argv);
  if (what == "store" && argc == 4)
    return measure_store(argv[2], static_cast<std::uint64_t>(whole(argv[3])));
  fmt::print(stderr, "usage: scaling_bench costs FOLDER | store FOLDER POINTS | job [ranks=N] NAME=VALUE... "
                     "ROWS:ROW:SHARED:PREPARE...\n");
  return 2;
}
