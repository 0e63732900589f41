// Address shapes of the accesses of the block that a warp executes.
#pragma once

#include <memory>
#include <vector>

#include "access_sink.h"
#include "buffer_bounds.h"
#include "launch_context.h"
#include "origins.h"
#include "pattern_classes.h"
#include "related_lanes.h"
#include "stated_places.h"
#include "steady_loop.h"
#include "unknown_places.h"
#include "warp/behaviour_builder.h"
#include "warp_names.h"

namespace kerncast::slice {

class AccessRecorder {
public:
  AccessRecorder(const LaunchContext& context, BehaviourBuilder& builder, Assumptions& assumptions)
      : program_(context.program), facts_(context.facts),
        stated_places_(context.launch, program_.accesses.size()), builder_(builder),
        assumptions_(assumptions),
        bulks_(program_, maps_among_parameters(program_, context.parameters), false),
        bounds_(program_, context.launch), memos_(program_.accesses.size()) {}

  // From now on addresses go there and no shapes are kept. Accesses whose places depend on unknown data are
  // put where `places` says, once `survey` has ended.
  void trace_into(AccessSink* sink, UnknownPlaces* places) {
    sink_ = sink;
    places_ = places;
  }
  void survey(bool goes_on) { surveys_ = goes_on; }
  // Warp `number` of the grid.
  void start_warp(std::uint64_t number) { stated_places_.start_warp(number); }
  void start_block(std::uint32_t access_count) { shapes_.assign(access_count, no_id); }
  // The access by `lanes`; `loop` observes known addresses while it is observing.
  void record(std::uint32_t access, LaneMask lanes, LaneFile& file, const Origins& origins, SteadyLoop& loop);
  // Whether the accesses that follow surely happen: then they have to lie inside of their buffers.
  void take_for_certain(bool is_certain) { is_certain_ = is_certain; }
  // The first that does not.
  const std::optional<OutsideAccess>& outside() const { return outside_; }
  std::string describe_outside() const { return bounds_.describe(*outside_); }
  // Shapes by Task::access. Accesses that the block did not reach have no active lane.
  const std::vector<std::uint32_t>& shapes();

private:
  // What the same access did last: often the same again.
  struct Memo {
    tasklist::AddressShape shape;
    std::uint32_t id = no_id;
    std::uint32_t distinct = 0;
    bool is_named = false;                   // among the assumptions
    std::unique_ptr<PatternClasses> classes; // of shapes beyond those that are kept; null: none yet
    // Of lanes that are related: where they seemed to be, and were taken to be.
    RelatedLanes related;
    Lanes<std::uint64_t> from{}, to{};
  };
  // Into addresses_, of unknown lanes the known part; the lanes that are known.
  LaneMask find_addresses(const AccessStep& step, LaneMask lanes, LaneFile& file);
  void spread(std::uint32_t access, LaneMask lanes, const RelatedLanes& related);
  // Whether there are addresses that can be worked with, all lanes' or as far as lanes are related.
  bool addresses_of(std::uint32_t access, LaneMask lanes, LaneFile& file, const Origins& origins);
  void take_anywhere(std::uint32_t access, LaneMask lanes, const RelatedLanes& related);
  void record_scattered(std::uint32_t access, LaneMask lanes, std::uint64_t grain);
  // What addresses_ holds.
  void record_addresses(std::uint32_t access, LaneMask lanes);
  // What is said of an access whose addresses are not known, into the shape at hand.
  void take_as_given(std::uint32_t access, LaneMask lanes);
  void record_bulk(std::uint32_t access, LaneMask lanes, LaneFile& file);
  // What of it is not known, is said and guessed.
  void complete(const AccessStep& step, LaneMask lanes, BulkFootprint& copies);
  std::uint32_t shape_id(std::uint32_t access, const tasklist::AddressShape& shape);
  std::uint32_t similar_shape(std::uint32_t access, const tasklist::AddressShape& shape);

  const Program& program_;
  const BranchFacts& facts_;
  StatedPlaces stated_places_;
  BehaviourBuilder& builder_;
  Assumptions& assumptions_;
  BulkReader bulks_;
  BufferBounds bounds_;
  std::optional<OutsideAccess> outside_;
  bool is_certain_ = true;
  AccessSink* sink_ = nullptr; // none: shapes are recorded
  UnknownPlaces* places_ = nullptr;
  bool surveys_ = false;
  std::vector<Memo> memos_; // by access
  std::vector<std::uint32_t> shapes_;
  // Of the access at hand, kept to save allocation.
  Lanes<std::uint64_t> addresses_{};
  tasklist::AddressShape shape_;
};

} // namespace kerncast::slice
