// Charges of operations become charges of lines; nothing is rounded on the way.
#include "explain.h"

#include <map>
#include <utility>

namespace kerncast::engine {
namespace {

void add(LineCharge& charge, const OpResult& op, double sms) {
  charge.issued += sms * static_cast<double>(op.issued);
  for (std::size_t s = 0; s < warp_states; ++s)
    charge.state_cycles[s] += sms * op.state_cycles[s];
}

// Lines that nothing executed are left out.
std::vector<LineCharge> by_line(const KernelPlan& plan, const std::vector<SmResult>& results,
                                std::uint32_t OpSource::*line) {
  std::map<std::uint32_t, LineCharge> charges;
  for (std::size_t g = 0; g < results.size(); ++g)
    for (std::size_t i = 0; i < results[g].ops.size(); ++i) {
      const OpResult& op = results[g].ops[i];
      if (op.issued == 0)
        continue;
      LineCharge& charge = charges[plan.op_sources[i].*line];
      add(charge, op, static_cast<double>(plan.groups[g].sm_count));
    }
  std::vector<LineCharge> lines;
  for (auto& [number, charge] : charges) {
    lines.push_back(std::move(charge));
    lines.back().line = number;
  }
  return lines;
}

// What stands in each PTX line, each operation once.
void name_operations(const KernelPlan& plan, std::vector<LineCharge>& lines) {
  std::map<std::uint32_t, std::vector<std::string>> names;
  for (const OpSource& source : plan.op_sources) {
    std::vector<std::string>& of_line = names[source.line];
    if (of_line.empty() || of_line.back() != source.operation)
      of_line.push_back(source.operation);
  }
  for (LineCharge& line : lines)
    for (const std::string& operation : names[line.line]) {
      line.operations += line.operations.empty() ? "" : "; ";
      line.operations += operation;
    }
}

} // namespace

Explanation explain(const KernelPlan& plan, const std::vector<SmResult>& results, const SmResult& slowest,
                    Bound bound) {
  Explanation out;
  out.ptx_lines = by_line(plan, results, &OpSource::line);
  name_operations(plan, out.ptx_lines);
  out.source_lines = by_line(plan, results, &OpSource::source_line);
  for (const LineCharge& line : out.ptx_lines)
    for (std::size_t s = 0; s < warp_states; ++s)
      out.state_cycles[s] += line.state_cycles[s];
  out.utilisations = std::move(bound.utilisations);
  out.because = std::move(bound.because);
  out.achieved_warps_per_sm = slowest.resident_warp_cycles / slowest.cycles;
  out.occupancy_bin_cycles = slowest.residency.bin_cycles;
  for (const double warp_cycles : slowest.residency.warp_cycles)
    out.warps_over_time.push_back(warp_cycles / slowest.residency.bin_cycles);
  return out;
}

} // namespace kerncast::engine
