// What was predicted, ready for a view.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analytical/occupancy_curve.h"
#include "engine/kernel.h"
#include "ppt_gpu_2019/model.h"
#include "timeline/timeline.h"

namespace kerncast::app {

struct OccupancyPoint {
  double warps = 0;
  double warps_per_cycle = 0; // completed by one SM, the one with the most CTAs
  std::string bound;
};

// A model's throughput over the warps on an SM.
struct ModelCurve {
  std::string_view model;
  std::vector<OccupancyPoint> points; // warps grow
  analytical::CurvePoints read_off;
};

struct CuspOfKernel {
  double compute_intensity = 0; // of the kernel
  analytical::Cusp cusp;
};

// Of one launch: the simulator first, then every closed form.
struct OccupancyCurves {
  std::uint32_t max_warps = 0;
  std::optional<CuspOfKernel> cusp; // none: the kernel does not compute, or does not access memory
  std::vector<ModelCurve> models;
};

struct TimeInterval {
  double low_us = 0;
  double high_us = 0;
};

// Of --sample-launches: of how many distinct launches the times are simulated, and how far the others' may be
// off, as a share of the time (SampledPredictions::errors).
struct SampledLaunches {
  std::uint64_t distinct = 0;
  std::uint64_t simulated = 0;
  double error = 0;
};

// A bound and for what share of a kernel's time it holds, in all its launches.
struct BoundShare {
  std::string bound;
  double share = 0;
};

// All launches of one kernel. `mean` has the means over the launches, also of how busy resources are; what
// has no mean (occupancy, why it is bound) is that of the launch that takes the most time of those with the
// first bound.
struct KernelRow {
  engine::KernelPrediction mean;
  std::vector<BoundShare> bounds;       // largest share first; empty: of a ppt_lanl file
  std::optional<TimeInterval> interval; // of mean.time_us: all launches at the same end of theirs
  std::uint64_t launches = 0;
  double warp_instructions = 0; // means that need not be whole
  double simulated_warp_instructions = 0;
  std::optional<SampledLaunches> sampled;        // none: all are simulated
  std::optional<ppt_gpu_2019::Result> published; // of a ppt_lanl file: all that the tool prints
  std::optional<OccupancyCurves> curves;         // of the launch that takes the most time
};

struct ClusterPrediction; // predict/cluster_prediction.h

// One application on one GPU, or on a cluster of them.
struct Prediction {
  std::string gpu;
  std::string product;
  std::vector<std::pair<std::string, std::string>> gpu_resolved; // key -> value as text
  std::string model;
  std::string app;
  double total_time_us = 0;
  double gpu_busy_us = 0;
  std::shared_ptr<const timeline::Timeline> timeline; // null: of several ranks, or of a published input
  std::optional<TimeInterval> total_interval;         // at engine::interval_level
  std::vector<KernelRow> kernels;                     // in the order of their first launch
  std::vector<std::string> assumptions;               // about the timeline; the kernels have their own
  std::shared_ptr<const ClusterPrediction> cluster;   // of several ranks; null: of one GPU
};

} // namespace kerncast::app
