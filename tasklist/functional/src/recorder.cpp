#include "recorder.h"

#include <algorithm>
#include <bit>

#include "warp/address_shapes.h"
#include "warp/spread_order.h"

namespace kerncast::functional {
namespace {

using tasklist::AddressShape;
using tasklist::no_id;
using warp::Lanes;
using warp::lanes_per_warp;
using warp::Pool;

Lanes<std::uint64_t> addresses_of(const warp::AccessStep& step, warp::LaneFile& file) {
  Lanes<std::uint64_t> addresses;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    if (step.base.pool == Pool::word)
      addresses[i] = (file.lanes<std::uint32_t>(step.base.index)[i] + step.offset) & 0xffffffffU;
    else if (step.base.pool == Pool::longword)
      addresses[i] = file.lanes<std::uint64_t>(step.base.index)[i] + step.offset;
    else
      addresses[i] = step.offset;
  }
  return addresses;
}

} // namespace

Recorder::Recorder(const warp::Program& program, const tasklist::Launch& launch,
                   std::uint64_t ctas_per_cluster, const RunOptions& options)
    : program_(program), warp_paths_(launch.warps_per_cta(), 0) {
  if (options.traced_accesses > 0)
    tracer_.emplace(program.address_bits, launch.warps_per_cta(), ctas_per_cluster, options.traced_accesses,
                    options.traced_patterns);
}

void Recorder::start_cluster(std::optional<std::uint32_t> recorded) {
  recorded_ = recorded;
  std::fill(warp_paths_.begin(), warp_paths_.end(), 0);
}

void Recorder::finish_cluster(std::span<const std::uint64_t> ctas, std::uint64_t stands_for) {
  if (tracer_)
    tracer_->finish_cluster(ctas);
  if (!recorded_)
    return;
  const auto [entry, added] =
      of_paths_.try_emplace(warp_paths_, Class{static_cast<std::uint32_t>(classes_.size()), 0});
  if (added)
    classes_.push_back(warp_paths_);
  entry->second.ctas += stands_for;
  has_clusters_ = has_clusters_ || ctas.size() > 1;
  if (!order_.empty() && order_.back().cta_class == entry->second.number)
    order_.back().count += stands_for;
  else
    order_.push_back({entry->second.number, stands_for});
}

tasklist::GridOrder Recorder::order_by(const std::vector<std::uint32_t>& place) const {
  tasklist::GridOrder order;
  std::uint64_t ctas = 0;
  for (const tasklist::ClassRun& run : order_) {
    order.add(ctas, {place[run.cta_class], run.count});
    ctas += run.count;
  }
  return order;
}

tasklist::LaunchBehaviour Recorder::take() {
  tasklist::LaunchBehaviour behaviour = builder_.take();
  std::vector<std::uint32_t> place(classes_.size()); // of a class, by its number
  for (const std::size_t c : warp::spread_order(classes_.size())) {
    place[c] = static_cast<std::uint32_t>(behaviour.classes.size());
    behaviour.classes.push_back({classes_[c], of_paths_[classes_[c]].ctas});
  }
  if (!has_clusters_) {
    tasklist::GridOrder order = order_by(place);
    for (std::uint32_t c = 0; c < behaviour.classes.size(); ++c)
      behaviour.classes[c].extent = order.extent(c);
    if (order.is_known())
      behaviour.order = std::make_shared<const tasklist::GridOrder>(std::move(order));
  }
  if (has_texels_)
    behaviour.assumptions.emplace_back(
        "textures: rows lie in memory as described, and a fetch reads its first texel only");
  if (has_multicast_)
    behaviour.assumptions.emplace_back(warp::multicast_assumption);
  return behaviour;
}

WarpRecord::WarpRecord(Recorder& recorder, std::uint32_t rank, std::uint32_t warp)
    : recorder_(recorder), warp_(warp), traced_warp_(rank * recorder.warps_per_cta() + warp),
      records_path_(recorder.records_paths(rank)), path_(recorder.program(), recorder.builder()) {
  path_.start();
}

void WarpRecord::enter(tasklist::BlockId block) {
  if (!records_path_)
    return;
  shapes_.assign(recorder_.program().blocks[block].access_count, no_id);
}

void WarpRecord::access(const warp::AccessStep& step, warp::LaneMask lanes, warp::LaneFile& file) {
  if (!step.address_known)
    return access(step, lanes, nullptr);
  Lanes<std::uint64_t> addresses = addresses_of(step, file);
  access(step, lanes, &addresses);
}

void WarpRecord::access(const warp::AccessStep& step, warp::LaneMask lanes, Lanes<std::uint64_t>* addresses) {
  lanes &= step.address_lanes;
  AddressShape shape;
  shape.mask = lanes;
  shape.bytes = step.bytes;
  shape.known = shape.place_known = lanes == 0 || addresses != nullptr;
  AccessTracer* tracer = lanes == 0 ? nullptr : recorder_.tracer();
  if (tracer != nullptr && !shape.known)
    tracer->add_unknown(traced_warp_, step, lanes);
  if (lanes != 0 && shape.known) {
    const std::uint64_t first = (*addresses)[static_cast<std::uint32_t>(std::countr_zero(lanes))];
    if (step.space == tasklist::Space::local ||
        (step.space == tasklist::Space::generic &&
         warp::is_local_address(first, recorder_.program().address_bits)))
      warp::interleave(*addresses, lanes, step.bytes);
    if (tracer != nullptr)
      tracer->add(traced_warp_, step, *addresses, lanes);
    warp::make_relative(*addresses, lanes, shape);
  }
  if (records_path_)
    shapes_[step.access] = recorder_.builder().shape(shape);
}

// What the size of a copy depends on is there; one whose size is not is a fault.
void WarpRecord::bulk_copies(const warp::AccessStep& step, warp::LaneMask lanes,
                             const warp::BulkFootprint& copies) {
  AddressShape shape;
  shape.mask = lanes;
  shape.bytes = step.bytes;
  if (lanes != 0)
    warp::fill_shape(copies, lanes, shape);
  if (copies.is_multicast)
    recorder_.note_multicast();
  if (records_path_)
    shapes_[step.access] = recorder_.builder().shape(shape);
  AccessTracer* tracer = recorder_.tracer();
  if (tracer == nullptr)
    return;
  warp::AccessStep part = step;
  for (const warp::RowGroup& group : warp::groups_of(copies.rows)) {
    part.bytes = group.bytes;
    tracer->add(traced_warp_, part, group.addresses, group.lanes);
  }
}

void WarpRecord::visit(tasklist::BlockId block, warp::LaneMask lanes) {
  if (!records_path_)
    return;
  for (std::uint32_t& shape : shapes_)
    if (shape == no_id)
      shape = recorder_.builder().shape(AddressShape{});
  path_.enter(block);
  path_.visit(recorder_.builder().visit(block, lanes, shapes_));
}

void WarpRecord::finish() {
  if (records_path_)
    recorder_.finish_warp(warp_, path_.finish());
}

} // namespace kerncast::functional
