#include "views/run_views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "views/table.h"

namespace kerncast::app {
namespace {

double per_entry(std::uint64_t headers, std::uint64_t entries) {
  return entries == 0 ? 0 : static_cast<double>(headers) / static_cast<double>(entries);
}

std::string loop_line(const functional::LoopCount& loop) {
  return fmt::format("  loop at line {}{}: entered {} times by warps and {} by threads; {:.4g} and {:.4g} "
                     "iterations each\n",
                     loop.line, loop.label.empty() ? "" : " (" + loop.label + ")", loop.warp_entries,
                     loop.lane_entries, per_entry(loop.warp_headers, loop.warp_entries),
                     per_entry(loop.lane_headers, loop.lane_entries));
}

Json loop_json(const functional::LoopCount& loop) {
  return {{"label", loop.label},
          {"line", loop.line},
          {"warp_entries", loop.warp_entries},
          {"warp_iterations", loop.warp_headers},
          {"thread_entries", loop.lane_entries},
          {"thread_iterations", loop.lane_headers}};
}

Json kernel_json(const KernelRun& run) {
  Json loops = Json::array(), opcodes = Json::object();
  for (const functional::LoopCount& loop : run.counts.loops)
    loops.push_back(loop_json(loop));
  for (const functional::OpcodeCount& count : run.counts.opcodes)
    opcodes[count.opcode] = {{"warps", count.warps}, {"threads", count.lanes}};
  return {{"kernel", run.kernel},
          {"launches", run.launches},
          {"warp_instructions", run.counts.warp_instructions},
          {"thread_instructions", run.counts.lane_instructions},
          {"opcodes", opcodes},
          {"loops", loops}};
}

} // namespace

std::string run_text(const RunReport& report) {
  std::string text;
  for (const KernelRun& run : report.kernels) {
    text += fmt::format("{}: {} launch{}, {} instructions by warps, {} by threads\n", run.kernel,
                        run.launches, run.launches == 1 ? "" : "es", run.counts.warp_instructions,
                        run.counts.lane_instructions);
    for (const functional::LoopCount& loop : run.counts.loops)
      if (loop.warp_entries > 0)
        text += loop_line(loop);
  }
  Table table({{"buffer"}, {"bytes", Align::right}, {"checksum"}, {"type"}, {"first values"}});
  for (const BufferView& buffer : report.buffers)
    table.add({buffer.name, std::to_string(buffer.bytes), buffer.is_known ? buffer.checksum : "not all known",
               buffer.type, fmt::format("{}", fmt::join(buffer.first, " "))});
  text += table.text();
  for (const std::string& assumption : report.assumptions)
    text += fmt::format("assumption: {}\n", assumption);
  return text;
}

Json run_json(const RunReport& report) {
  Json kernels = Json::array(), buffers = Json::array();
  for (const KernelRun& run : report.kernels)
    kernels.push_back(kernel_json(run));
  for (const BufferView& buffer : report.buffers)
    buffers.push_back({{"name", buffer.name},
                       {"bytes", buffer.bytes},
                       {"checksum", buffer.is_known ? Json(buffer.checksum) : Json(nullptr)},
                       {"type", buffer.type},
                       {"first", buffer.first}});
  return {{"format", "kerncast-run/1"}, {"kerncast", KERNCAST_VERSION}, {"app", report.name},
          {"kernels", kernels},         {"buffers", buffers},           {"assumptions", report.assumptions}};
}

} // namespace kerncast::app
