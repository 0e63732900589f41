// Records what warps do as slice execution would: their way through the blocks and the shapes of addresses.
#pragma once

#include <map>
#include <vector>

#include "tasklist/behaviour.h"
#include "warp/behaviour_builder.h"
#include "warp/lane_file.h"
#include "warp/path_recorder.h"
#include "warp/program.h"

namespace kerncast::functional {

// Of one launch; CTAs come one after the other.
class Recorder {
public:
  explicit Recorder(const warp::Program& program) : program_(program) {}

  void start_cta(std::uint32_t warps) { warp_paths_.assign(warps, 0); }
  void finish_warp(std::uint32_t warp, std::uint32_t path) { warp_paths_[warp] = path; }
  // The CTA stands for so many of the grid.
  void finish_cta(std::uint64_t ctas);
  tasklist::LaunchBehaviour take();

  const warp::Program& program() const { return program_; }
  warp::BehaviourBuilder& builder() { return builder_; }

private:
  const warp::Program& program_;
  warp::BehaviourBuilder builder_;
  std::vector<std::uint32_t> warp_paths_;
  std::map<std::vector<std::uint32_t>, std::uint64_t> cta_counts_;
  std::vector<std::vector<std::uint32_t>> classes_; // in the order of their first CTA
};

// Of one warp.
class WarpRecord {
public:
  explicit WarpRecord(Recorder& recorder);

  void enter(tasklist::BlockId block);
  void access(const warp::AccessStep& step, warp::LaneMask lanes, warp::LaneFile& file);
  void visit(tasklist::BlockId block, warp::LaneMask lanes);
  std::uint32_t finish() { return path_.finish(); }

private:
  Recorder& recorder_;
  warp::PathRecorder path_;
  std::vector<std::uint32_t> shapes_; // by Task::access of the block at hand
};

} // namespace kerncast::functional
