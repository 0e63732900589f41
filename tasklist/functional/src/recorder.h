// Records what warps do as slice execution would: their way through the blocks and the shapes of addresses;
// and traces the addresses.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "access_tracer.h"
#include "functional/kernel.h"
#include "tasklist/behaviour.h"
#include "tasklist/launch.h"
#include "warp/behaviour_builder.h"
#include "warp/bulk_footprint.h"
#include "warp/lane_file.h"
#include "warp/path_recorder.h"
#include "warp/program.h"

namespace kerncast::functional {

// Of one launch; clusters come one after the other.
class Recorder {
public:
  // traced_accesses 0: no trace.
  Recorder(const warp::Program& program, const tasklist::Launch& launch, std::uint64_t ctas_per_cluster,
           const RunOptions& options);

  // CTAs that are neither recorded nor traced need no recorder.
  bool is_tracing() const { return tracer_ && !tracer_->is_over(); }
  // Paths are recorded of the CTA of this rank only; none: of none.
  void start_cluster(std::optional<std::uint32_t> recorded);
  void finish_warp(std::uint32_t warp, std::uint32_t path) { warp_paths_[warp] = path; }
  // `ctas`: their numbers in the grid. The recorded one stands for so many.
  void finish_cluster(std::span<const std::uint64_t> ctas, std::uint64_t stands_for);
  tasklist::LaunchBehaviour take();
  // Null if there are more accesses than may be traced.
  std::shared_ptr<const GridTrace> take_trace() { return tracer_ ? tracer_->take() : nullptr; }

  const warp::Program& program() const { return program_; }
  warp::BehaviourBuilder& builder() { return builder_; }
  bool records_paths(std::uint32_t rank) const { return recorded_ == rank; }
  std::uint32_t warps_per_cta() const { return static_cast<std::uint32_t>(warp_paths_.size()); }
  // Addresses of texels are among the recorded ones, which the behaviour then says.
  void note_texels() { has_texels_ = true; }
  void note_multicast() { has_multicast_ = true; } // likewise
  AccessTracer* tracer() { return tracer_ ? &*tracer_ : nullptr; }

private:
  // `place`: of a class, by its number.
  tasklist::GridOrder order_by(const std::vector<std::uint32_t>& place) const;

  const warp::Program& program_;
  warp::BehaviourBuilder builder_;
  std::optional<AccessTracer> tracer_;
  std::optional<std::uint32_t> recorded_; // rank in the cluster at hand
  bool has_texels_ = false, has_multicast_ = false;
  std::vector<std::uint32_t> warp_paths_;
  struct Class {
    std::uint32_t number = 0; // in classes_
    std::uint64_t ctas = 0;
  };
  std::map<std::vector<std::uint32_t>, Class> of_paths_;
  std::vector<std::vector<std::uint32_t>> classes_; // in the order of their first CTA
  std::vector<tasklist::ClassRun> order_;           // of clusters of one CTA
  bool has_clusters_ = false;
};

// Of one warp; what it is told where its CTA's path is not recorded changes nothing.
class WarpRecord {
public:
  WarpRecord(Recorder& recorder, std::uint32_t rank, std::uint32_t warp);

  void enter(tasklist::BlockId block);
  void access(const warp::AccessStep& step, warp::LaneMask lanes, warp::LaneFile& file);
  // `addresses`: null where they are unknown; changed.
  void access(const warp::AccessStep& step, warp::LaneMask lanes, warp::Lanes<std::uint64_t>* addresses);
  void bulk_copies(const warp::AccessStep& step, warp::LaneMask lanes, const warp::BulkFootprint& copies);
  void note_texels() { recorder_.note_texels(); }
  void visit(tasklist::BlockId block, warp::LaneMask lanes);
  // Of the block at hand so far, and of one that the warp was at before.
  const std::vector<std::uint32_t>& shapes() const { return shapes_; }
  void go_on_with(std::vector<std::uint32_t> shapes) { shapes_ = std::move(shapes); }
  void finish();

private:
  Recorder& recorder_;
  std::uint32_t warp_;
  std::uint32_t traced_warp_; // of its cluster
  bool records_path_;
  warp::PathRecorder path_;
  std::vector<std::uint32_t> shapes_; // by Task::access of the block at hand
};

} // namespace kerncast::functional
