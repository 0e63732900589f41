// Bandwidth of DRAM by streams of doubles (apps/microbench/streams) and by reads with elements of 1 to 16
// bytes (apps/microbench/copies); of L2 by reading, writing and copying over and over what it holds
// (apps/microbench/l2). Each is what more bytes cost once everything is under way.
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

// Each of a stream's arrays is twice as large as L2, so that it stays full of what was written, and at least
// 32 MiB.
std::uint64_t array_bytes(const configs::Gpu& gpu) {
  return std::max<std::uint64_t>(32U << 20, 2 * gpu.l2.bytes);
}

// All write the first of their arrays. One that only reads has too few bytes under way to fill DRAM, with a
// load of 8 bytes a thread.
struct Stream {
  std::string_view kernel;
  const char* name;
  std::uint32_t arrays;
};
constexpr Stream stream_kernels[] = {
    {"init", "dram, init", 1}, {"scale", "dram, copy", 2}, {"triad", "dram, triad", 4}};

Expected<double> stream_cycles(const Laboratory& laboratory, const Stream& stream, std::uint32_t elements) {
  tasklist::Launch launch;
  launch.grid.x = elements / usual_threads;
  launch.block.x = usual_threads;
  for (std::uint32_t i = 0; i < stream.arrays; ++i)
    launch.arguments.push_back(buffer_argument(i, std::uint64_t{elements} * 8));
  launch.arguments.push_back(argument(elements));
  const auto prediction = laboratory.run({{stream.kernel, launch}}, {});
  if (!prediction)
    return tl::unexpected(prediction.error());
  return prediction->cycles;
}

// What the description sustains where a share of the bytes is written (dram.mixed_loss).
double dram_gbps(const configs::Gpu& gpu, double written) {
  return gpu.dram.bandwidth_gbps * gpu.dram.sustained_fraction /
         (1 + 4 * written * (1 - written) * gpu.dram.mixed_loss);
}

double l2_gbps(const configs::Gpu& gpu) { return gpu.l2_gbps_per_sm() * gpu.sms; }

Expected<Findings> find_streams(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  const auto elements = static_cast<std::uint32_t>(array_bytes(gpu) / 8 / usual_threads * usual_threads);
  Findings findings;
  for (const Stream& stream : stream_kernels) {
    const Expected<double> once = stream_cycles(laboratory, stream, elements);
    const Expected<double> twice = stream_cycles(laboratory, stream, 2 * elements);
    if (!once || !twice)
      return tl::unexpected(once ? twice.error() : once.error());
    const double bytes = 8.0 * stream.arrays * elements;
    findings.push_back({"bandwidth", stream.name, "GB/s", bytes / gpu.cycles_to_us(*twice - *once) / 1e3,
                        dram_gbps(gpu, 1.0 / stream.arrays), bandwidth_tolerance});
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
  const configs::IsaRow* row = row_of(gpu, "ld.global.u32");
  const double warps = row == nullptr ? 0 : gpu.sms / describe(*row, gpu).sm_interval;
  const double gbps = warps * tasklist::lanes_per_warp * element_bytes * gpu.clock_mhz / 1e3;
  const double least = std::min(
      {dram_gbps(gpu, 0), l2_gbps(gpu), gpu.sms * gpu.memory.to_l2_bytes_per_clock * gpu.clock_mhz / 1e3});
  return row == nullptr ? least : std::min(least, gbps);
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

// Words of 16 bytes that every CTA goes through.
constexpr std::uint32_t l2_words = 4096;
constexpr std::uint64_t l2_region = std::uint64_t{l2_words} * 16;

struct L2Kernel {
  std::string_view kernel;
  const char* name;
  std::vector<tasklist::Argument> arguments;
  std::vector<std::uint64_t> buffers;
  double read = 0, written = 0; // regions
};

std::vector<L2Kernel> l2_kernels() {
  constexpr std::uint64_t result = 4096;
  const tasklist::Argument words = argument(l2_words);
  return {{"read_l2",
           "l2, reads",
           {buffer_argument(0, l2_region), words, buffer_argument(1, result)},
           {l2_region, result},
           1,
           0},
          {"write_l2", "l2, writes", {buffer_argument(0, l2_region), words}, {l2_region}, 0, 1},
          {"copy_l2",
           "l2, copy",
           {buffer_argument(0, l2_region), buffer_argument(1, l2_region), words},
           {l2_region, l2_region},
           1,
           1}};
}

// Bytes per cycle that the description allows: what is read and written on the two ways of L2, on the links
// to the SMs, and what is read by Little's law.
double described_l2(const configs::Gpu& gpu, const L2Kernel& one) {
  const double both = one.read + one.written;
  const double under_way = static_cast<double>(gpu.memory.in_flight_bytes_per_sm) / gpu.l2_latency();
  const double cycles = std::max(
      {engine::l2_busy_cycles(both, one.written, gpu.l2_bytes_per_clock(), engine::l2_requests_of(gpu, 1)),
       both / (gpu.sms * gpu.memory.to_l2_bytes_per_clock), one.read / (gpu.sms * under_way)});
  return both / cycles;
}

Expected<Findings> find_l2(const Laboratory& laboratory) {
  const configs::Gpu& gpu = laboratory.gpu();
  Findings findings;
  for (const L2Kernel& one : l2_kernels()) {
    Repeated repeated{.kernel = one.kernel, .launch = {}, .buffers = one.buffers, .few = 4, .many = 12};
    repeated.launch.grid.x = resident_ctas(gpu, usual_threads) * gpu.sms;
    repeated.launch.block.x = usual_threads;
    repeated.launch.arguments = one.arguments;
    const Expected<double> pass = cycles_per_trip(laboratory, repeated);
    if (!pass)
      return tl::unexpected(pass.error());
    const double bytes = repeated.launch.grid.x * (one.read + one.written) * static_cast<double>(l2_region);
    findings.push_back(
        {"bandwidth", one.name, "bytes/cycle", bytes / *pass, described_l2(gpu, one), bandwidth_tolerance});
  }
  return findings;
}

} // namespace

Expected<double> read_gbps(const Laboratory& laboratory, std::uint32_t element_bytes) {
  const configs::Gpu& gpu = laboratory.gpu();
  const auto ctas = static_cast<std::uint32_t>(array_bytes(gpu) / (usual_threads * reads_per_thread * 16));
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
