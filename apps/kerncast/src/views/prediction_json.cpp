#include "prediction_json.h"

#include <cmath>

#include "explanation_json.h"
#include "gpu_views.h"
#include "occupancy_curve_views.h"
#include "ranks_views.h"

namespace kerncast::app {
namespace {

// Models that say nothing about a number give null.
Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

Json occupancy_json(const configs::Occupancy& occupancy) {
  return {{"ctas_per_sm", occupancy.ctas_per_sm},
          {"warps_per_sm", occupancy.warps_per_sm},
          {"fraction", occupancy.fraction},
          {"limiter", std::string(configs::name(occupancy.limiter))}};
}

Json published_json(const ppt_gpu_2019::Result& result) {
  return {{"cycles", result.cycles},
          {"amat", result.amat},
          {"blocks_per_sm", result.blocks_per_sm},
          {"warps_per_block", result.warps_per_block},
          {"block_end_computations", result.block_end_computations},
          {"block_actual_end", result.block_actual_end},
          {"warp_instructions", result.warp_instructions},
          {"warp_issue_events", result.warp_issue_events},
          {"n_workloads", result.n_workloads}};
}

Json time_interval_json(const TimeInterval& interval) {
  return {{"level", engine::interval_level}, {"low_us", interval.low_us}, {"high_us", interval.high_us}};
}

Json interval_json(const TimeInterval& times, const engine::Interval& interval) {
  Json sources = Json::array();
  for (const engine::ErrorSource& one : interval.sources)
    sources.push_back({{"source", one.source}, {"slower", one.slower}, {"faster", one.faster}});
  Json json = time_interval_json(times);
  json["sources"] = std::move(sources);
  return json;
}

Json shares_json(const std::vector<BoundShare>& bounds) {
  Json shares = Json::object();
  for (const BoundShare& one : bounds)
    shares[one.bound] = one.share;
  return shares;
}

Json kernel_json(const KernelRow& row) {
  const engine::KernelPrediction& p = row.mean;
  Json states = Json::object();
  for (const auto& [state, cycles] : p.warp_state_cycles)
    states[state] = cycles;
  Json json = {{"kernel", p.kernel},
               {"launches", row.launches},
               {"time_us", p.time_us},
               {"cycles", p.cycles},
               {"warp_instructions", row.warp_instructions},
               {"simulated_warp_instructions", row.simulated_warp_instructions},
               {"ipc_per_sm", p.ipc_per_sm},
               {"occupancy", occupancy_json(p.occupancy)},
               {"registers", p.registers},
               {"waves", p.waves},
               {"warp_state_cycles", states},
               {"bound", p.bound.empty() ? Json(nullptr) : Json(p.bound)},
               {"l1_hit", p.hit_rates.l1},
               {"l2_hit", p.hit_rates.l2},
               {"hit_source", p.hit_source},
               {"dram_bytes", number(p.dram_bytes)},
               {"l2_bytes", number(p.l2_bytes)},
               {"launch_overhead_us", p.launch_overhead_us},
               {"assumptions", p.assumptions}};
  if (row.bounds.size() > 1)
    json["bound_shares"] = shares_json(row.bounds);
  if (row.interval)
    json["interval"] = interval_json(*row.interval, *p.interval);
  if (row.sampled)
    json["sampled_launches"] = {{"distinct", row.sampled->distinct},
                                {"simulated", row.sampled->simulated},
                                {"error", row.sampled->error}};
  if (p.explanation)
    json["explanation"] = explanation_json(*p.explanation);
  if (row.published)
    json["ppt_gpu_2019"] = published_json(*row.published);
  if (row.curves)
    json["occupancy_curve"] = curves_json(*row.curves);
  return json;
}

Json path_json(const timeline::CriticalPath& path) {
  return {{"kernels_us", path.kernels}, {"copies_us", path.copies}, {"launch_overhead_us", path.launches}};
}

} // namespace

Json prediction_json(const std::vector<Prediction>& predictions) {
  Json list = Json::array();
  for (const Prediction& prediction : predictions) {
    Json kernels = Json::array();
    for (const KernelRow& row : prediction.kernels)
      kernels.push_back(kernel_json(row));
    Json one = {{"format", "kerncast-prediction/1"},
                {"kerncast", KERNCAST_VERSION},
                {"gpu", prediction.gpu},
                {"gpu_resolved", resolved_json(prediction.gpu_resolved)},
                {"model", prediction.model},
                {"app", prediction.app},
                {"total_time_us", prediction.total_time_us},
                {"gpu_busy_us", prediction.gpu_busy_us},
                {"kernels", std::move(kernels)}};
    if (prediction.total_interval)
      one["total_interval"] = time_interval_json(*prediction.total_interval);
    if (prediction.timeline) {
      one["kernels_busy_us"] = prediction.timeline->kernels_busy_us;
      one["copies_busy_us"] = prediction.timeline->copies_busy_us;
      if (prediction.timeline->has_programmatic_launches)
        one["early_prologues_us"] = prediction.timeline->early_prologues_us;
      one["critical_path"] = path_json(prediction.timeline->critical_path);
    }
    if (prediction.cluster)
      one["cluster"] = ranks_json(*prediction.cluster);
    if (!prediction.assumptions.empty())
      one["assumptions"] = prediction.assumptions;
    list.push_back(std::move(one));
  }
  return list;
}

} // namespace kerncast::app
