// Bandwidth of DRAM by streams of doubles (apps/microbench/streams) and by reads with elements of 1 to 16
// bytes (apps/microbench/copies); of L2 by reading, writing and copying over and over what it holds
// (apps/microbench/l2). Each is what more bytes cost once everything is under way, beside what the slowest of
// the described resources lets through.
#include <algorithm>

#include <fmt/format.h>

#include "described.h"
#include "engine/l2_rates.h"
#include "families.h"
#include "measurements.h"
#include "repeated.h"

namespace kerncast::app {
namespace {

constexpr double bandwidth_tolerance = 0.03;

// All write the first of their arrays. One that only reads has too few bytes under way to fill DRAM, with a
// load of 8 bytes a thread.
struct Stream {
  std::string_view kernel;
  const char* name;
  std::uint32_t arrays;
};
constexpr Stream stream_kernels[] = {
    {"init", "dram, init", 1}, {"scale", "dram, copy", 2}, {"triad", "dram, triad", 4}};

// Its CTAs are large, so that what they write is not bound by how many the GPU starts.
std::uint32_t stream_threads(const configs::Gpu& gpu) {
  return gpu.limits.threads_per_sm % (2 * usual_threads) == 0 ? 2 * usual_threads : usual_threads;
}

// Over arrays of the numbers from `first` on.
Experiment stream_over(const Stream& stream, std::uint32_t first, std::uint32_t ctas, std::uint32_t threads) {
  const std::uint32_t elements = ctas * threads;
  tasklist::Launch launch;
  launch.grid.x = ctas;
  launch.block.x = threads;
  for (std::uint32_t i = 0; i < stream.arrays; ++i)
    launch.arguments.push_back(buffer_argument(first + i, std::uint64_t{elements} * 8));
  launch.arguments.push_back(argument(elements));
  return {stream.kernel, launch};
}

// After the same stream over other arrays has left in L2 what such streams leave: as much goes to DRAM as
// comes from the SMs, from the first CTA on.
Expected<double> stream_cycles(const Laboratory& laboratory, const Stream& stream, std::uint32_t ctas) {
  const configs::Gpu& gpu = laboratory.gpu();
  const std::uint32_t threads = stream_threads(gpu);
  const std::uint32_t times = gpu.l2.ways == 0 && gpu.l2.replacement == configs::Replacement::lru ? 1 : 4;
  const auto filling = static_cast<std::uint32_t>(times * gpu.l2.bytes / (8 * stream.arrays * threads) + 1);
  const auto prediction = laboratory.run(
      {stream_over(stream, stream.arrays, filling, threads), stream_over(stream, 0, ctas, threads)}, {});
  if (!prediction)
    return tl::unexpected(prediction.error());
  return prediction->cycles;
}

// What the description sustains where a share of the bytes is written (dram.mixed_loss).
double dram_gbps(const configs::Gpu& gpu, double written) {
  return gpu.dram.bandwidth_gbps * gpu.dram.sustained_fraction /
         (1 + 4 * written * (1 - written) * gpu.dram.mixed_loss);
}

double cycles_in_dram(const configs::Gpu& gpu, double read, double written) {
  const double both = read + written;
  return both / (dram_gbps(gpu, written / both) * 1e3 / gpu.clock_mhz);
}

// Least cycles that so many bytes of all SMs take on the two ways of L2 and on the links to the SMs.
double cycles_to_l2(const configs::Gpu& gpu, double read, double written) {
  const engine::L2RequestWay requests = engine::l2_requests_of(gpu, 1);
  const engine::L2Ways<double> reads = engine::l2_load({read}, requests),
                               writes = engine::l2_load({written, true}, requests);
  return std::max(engine::l2_busy_cycles({reads.data + writes.data, reads.requests + writes.requests},
                                         gpu.l2_bytes_per_clock(), requests),
                  (read + written) / (gpu.sms * gpu.memory.to_l2_bytes_per_clock));
}

// By Little's law.
double cycles_under_way(const configs::Gpu& gpu, double read, double latency) {
  return read * latency / (gpu.sms * static_cast<double>(gpu.memory.in_flight_bytes_per_sm));
}

// The same, where the latency grows as more bytes come from DRAM, of which `at_full_load` takes so many
// cycles.
double cycles_under_load(const configs::Gpu& gpu, double read, double at_full_load) {
  return at_full_load / described_load(gpu, at_full_load / cycles_under_way(gpu, read, 1));
}

// Cycles that an element of each array takes.
double cycles_per_element(const configs::Gpu& gpu, double read, double written) {
  return std::max({cycles_in_dram(gpu, read, written), cycles_to_l2(gpu, read, written),
                   gpu.cta_launch_interval / stream_threads(gpu)});
}

// Each thread does one element, and its CTA is replaced when that is done.
bool has_enough_under_way(const configs::Gpu& gpu, double read, double cycles, double load) {
  constexpr double with_other_instructions = 1.2;
  const double latency = read > 0 ? described_dram_latency(gpu, load) : 0;
  const double threads = double{1} * resident_ctas(gpu, stream_threads(gpu)) * stream_threads(gpu);
  return cycles_under_way(gpu, read, latency) <= cycles &&
         (latency + gpu.cta_launch_latency) * with_other_instructions <= gpu.sms * threads * cycles;
}

Expected<Findings> find_streams(const Laboratory& laboratory) {
  constexpr std::uint64_t array_bytes = 32U << 20;
  const configs::Gpu& gpu = laboratory.gpu();
  const auto ctas = static_cast<std::uint32_t>(array_bytes / 8 / stream_threads(gpu));
  Findings findings;
  for (const Stream& stream : stream_kernels) {
    const double written = 8;
    const double read = 8.0 * (stream.arrays - 1);
    const double cycles = cycles_per_element(gpu, read, written);
    Finding finding = {
        "bandwidth",        stream.name, "GB/s", {}, (read + written) / gpu.cycles_to_us(cycles) / 1e3,
        bandwidth_tolerance};
    if (has_enough_under_way(gpu, read, cycles, cycles_in_dram(gpu, read, written) / cycles)) {
      const Expected<double> once = stream_cycles(laboratory, stream, ctas);
      const Expected<double> twice = stream_cycles(laboratory, stream, 2 * ctas);
      if (!once || !twice)
        return tl::unexpected(once ? twice.error() : once.error());
      const auto bytes = static_cast<double>(stream.arrays * array_bytes);
      finding.found = bytes / gpu.cycles_to_us(*twice - *once) / 1e3;
    } else {
      finding.untold = too_few_bytes;
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

constexpr std::uint32_t reads_per_thread = 16;

Expected<double> read_cycles(const Laboratory& laboratory, std::uint32_t element_bytes, const Load& load) {
  const std::uint64_t all = std::uint64_t{load.ctas} * load.threads;
  tasklist::Launch launch;
  launch.grid.x = load.ctas;
  launch.block.x = load.threads;
  launch.arguments = {buffer_argument(0, all * reads_per_thread * element_bytes), buffer_argument(1, all * 8),
                      argument(0)};
  const std::string kernel = fmt::format("copy_{}", element_bytes);
  const auto prediction = laboratory.run({{kernel, launch}}, {});
  if (!prediction)
    return tl::unexpected(prediction.error());
  return prediction->cycles;
}

// Small elements are bound by how many warp-wide loads the SMs take.
double described_reads(const configs::Gpu& gpu, std::uint32_t element_bytes) {
  const double bytes = double{tasklist::lanes_per_warp} * element_bytes; // of a load
  const configs::IsaRow* row = row_of(gpu, "ld.global.u32");
  const double issue = row == nullptr ? 0 : describe(*row, gpu).sm_interval / gpu.sms;
  const double cycles = std::max(
      {cycles_under_load(gpu, bytes, cycles_in_dram(gpu, bytes, 0)), cycles_to_l2(gpu, bytes, 0), issue});
  return bytes / gpu.cycles_to_us(cycles) / 1e3;
}

Expected<Findings> find_reads(const Laboratory& laboratory) {
  Findings findings;
  for (const std::uint32_t element_bytes : {4U, 8U, 16U}) { // smaller ones are bound by issue
    const Expected<double> found = read_gbps(laboratory, element_bytes);
    if (!found)
      return tl::unexpected(found.error());
    findings.push_back({"bandwidth", fmt::format("dram, reads of {} bytes", element_bytes), "GB/s", *found,
                        described_reads(laboratory.gpu(), element_bytes), bandwidth_tolerance});
  }
  return findings;
}

// Words of 16 bytes that every CTA goes through: a quarter of a small L2.
std::uint32_t l2_words(const configs::Gpu& gpu) {
  constexpr std::uint64_t usual = 4096;
  const std::uint64_t quarter = gpu.l2.bytes / 4 / 16 / usual_threads * usual_threads;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(quarter, usual_threads, usual));
}

struct L2Kernel {
  std::string_view kernel;
  const char* name;
  std::vector<tasklist::Argument> arguments;
  std::vector<std::uint64_t> buffers;
  double read = 0, written = 0; // regions
};

std::vector<L2Kernel> l2_kernels(std::uint32_t count) {
  constexpr std::uint64_t result = 4096;
  const std::uint64_t region = std::uint64_t{count} * 16;
  const tasklist::Argument words = argument(count);
  return {{"read_l2",
           "l2, reads",
           {buffer_argument(0, region), words, buffer_argument(1, result)},
           {region, result},
           1,
           0},
          {"write_l2", "l2, writes", {buffer_argument(0, region), words}, {region}, 0, 1},
          {"copy_l2",
           "l2, copy",
           {buffer_argument(0, region), buffer_argument(1, region), words},
           {region, region},
           1,
           1}};
}

Expected<Findings> find_l2(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  Findings findings;
  const std::uint32_t words = l2_words(gpu);
  for (const L2Kernel& one : l2_kernels(words)) {
    Repeated repeated{
        .kernel = one.kernel, .launch = {}, .buffers = one.buffers, .few = 4, .many = 12, .warm = true};
    repeated.launch.grid.x = resident_ctas(gpu, usual_threads) * gpu.sms;
    repeated.launch.block.x = usual_threads;
    repeated.launch.arguments = one.arguments;
    const Expected<double> pass = cycles_per_trip(laboratory, repeated);
    if (!pass)
      return tl::unexpected(pass.error());
    const double both = one.read + one.written; // regions
    const double cycles =
        std::max(cycles_to_l2(gpu, one.read, one.written), cycles_under_way(gpu, one.read, gpu.l2_latency()));
    findings.push_back({"bandwidth", one.name, "bytes/cycle",
                        repeated.launch.grid.x * both * words * 16 / *pass, both / cycles,
                        bandwidth_tolerance});
  }
  return findings;
}

} // namespace

Expected<double> read_gbps(const Laboratory& laboratory, std::uint32_t element_bytes) {
  const configs::Gpu& gpu = laboratory.gpu();
  const std::uint64_t most_bytes = std::max<std::uint64_t>(32U << 20, 2 * gpu.l2.bytes);
  const auto ctas = static_cast<std::uint32_t>(most_bytes / (usual_threads * reads_per_thread * 16));
  const Expected<double> once = read_cycles(laboratory, element_bytes, {ctas, usual_threads});
  const Expected<double> twice = read_cycles(laboratory, element_bytes, {2 * ctas, usual_threads});
  if (!once || !twice)
    return tl::unexpected(once ? twice.error() : once.error());
  const double bytes = double{1} * ctas * usual_threads * reads_per_thread * element_bytes;
  return bytes / gpu.cycles_to_us(*twice - *once) / 1e3;
}

Expected<double> cycles_per_lone_read(const Laboratory& laboratory, std::uint32_t element_bytes) {
  const Expected<double> all = read_cycles(laboratory, element_bytes, {});
  return all ? (*all - laboratory.gpu().cta_launch_latency) / reads_per_thread : all;
}

Expected<Findings> find_bandwidths(const Laboratory& laboratory) {
  Findings findings;
  for (const auto find : {find_streams, find_reads, find_l2}) {
    const Expected<Findings> some = find(laboratory);
    if (!some)
      return some;
    findings.insert(findings.end(), some->begin(), some->end());
  }
  return findings;
}

} // namespace kerncast::app
