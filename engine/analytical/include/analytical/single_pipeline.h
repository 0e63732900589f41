// One pipeline, W warps of N instructions each, every one dependent on the one before (paper 000, eq. 1).
#pragma once

namespace kerncast::analytical {

struct SinglePipeline {
  double warps = 1;          // W
  double instructions = 1;   // N, per warp
  double issue_interval = 1; // lambda
  double latency = 1;        // Lambda
};

// N Lambda + (W - 1) lambda    if W lambda <= Lambda,
// Lambda + (N W - 1) lambda    otherwise.
double single_pipeline_cycles(const SinglePipeline& pipeline);

} // namespace kerncast::analytical
