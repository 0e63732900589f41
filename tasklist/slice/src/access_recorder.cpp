// Addresses per lane, made relative.
#include "access_recorder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "warp/address_shapes.h"

namespace kerncast::slice {
namespace {

using tasklist::AddressFact;
using tasklist::AddressShape;
using tasklist::Space;

// Of an access with more different shapes than that (strides that differ by lane over a long loop) the others
// are taken as one of their kind, so that memory stays bounded.
constexpr std::uint32_t max_shapes_per_access = 2048;

} // namespace

// Where the first lane lies is not known: at the start of a line.
void AccessRecorder::take_as_given(std::uint32_t access, LaneMask lanes) {
  const AccessStep& step = program_.accesses[access];
  const auto& fact = facts_.addresses[access];
  const std::string_view what =
      step.address_known ? "the address depends on unknown data" : "the operation gives no address per lane";
  if (!fact) {
    assumptions_.add(step.line, fmt::format("line {}: {}; taken as scattered", step.line, what));
    return;
  }
  const std::int64_t stride = stride_of(*fact, step.bytes);
  const std::string by =
      fact->spread == AddressFact::Spread::strided ? fmt::format(" by {} bytes", stride) : "";
  assumptions_.add(step.line, fmt::format("line {}: {}; taken as {}{}{}, as given", step.line, what,
                                          tasklist::spread_names[static_cast<std::size_t>(fact->spread)], by,
                                          facts_.ranges[access] ? " within its buffer" : ""));
  if (fact->spread == AddressFact::Spread::scattered)
    return;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
  for (std::uint32_t i = first; i < lanes_per_warp; ++i)
    addresses_[i] = static_cast<std::uint64_t>(stride) * (i - first);
  make_relative(addresses_, lanes, shape_);
  shape_.known = true;
  shape_.scattered = false;
}

LaneMask AccessRecorder::find_addresses(const AccessStep& step, LaneMask lanes, LaneFile& file) {
  if (step.base.pool == Pool::none) {
    addresses_.fill(step.offset);
    return lanes;
  }
  if (step.base.pool == Pool::word) {
    const auto& base = file.lanes<std::uint32_t>(step.base.index);
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      addresses_[i] = (base[i] + step.offset) & 0xffffffffU;
  } else {
    const auto& base = file.lanes<std::uint64_t>(step.base.index);
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      addresses_[i] = base[i] + step.offset;
  }
  return file.known(step.base) & lanes;
}

bool AccessRecorder::addresses_of(std::uint32_t access, LaneMask lanes, LaneFile& file,
                                  const Origins& origins) {
  const AccessStep& step = program_.accesses[access];
  if (!step.address_known)
    return false;
  const LaneMask known = find_addresses(step, lanes, file);
  if (known == lanes)
    return true;
  const auto related =
      facts_.addresses[access] ? std::nullopt : RelatedLanes::find(lanes, known, origins.of(step.base));
  if (related)
    take_anywhere(access, lanes, *related);
  return related.has_value();
}

// Where the same lanes lie as far from each other as last time, so do they in the end.
void AccessRecorder::spread(std::uint32_t access, LaneMask lanes, const RelatedLanes& related) {
  Memo& memo = memos_[access];
  const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
  bool is_same =
      memo.related.groups().size() > 0 && related.is_like(memo.related) &&
      (addresses_[first] - memo.from[first]) % related.period(program_.accesses[access].bytes) == 0;
  for (std::uint32_t i = first; i < lanes_per_warp; ++i)
    is_same =
        is_same && (!has(lanes, i) || addresses_[i] - memo.from[i] == addresses_[first] - memo.from[first]);
  if (!is_same) {
    memo.related = related;
    memo.from = addresses_;
    related.spread(program_.accesses[access].bytes, addresses_);
    memo.to = addresses_;
  }
  addresses_ = memo.to;
}

void AccessRecorder::take_anywhere(std::uint32_t access, LaneMask lanes, const RelatedLanes& related) {
  const AccessStep& step = program_.accesses[access];
  shape_.place_known = false;
  if (!std::exchange(memos_[access].is_named, true))
    assumptions_.add(
        step.line,
        fmt::format("line {}: the address depends on unknown data; lanes with the same data lie as "
                    "far apart as the text says, anywhere in the buffer",
                    step.line));
  if (sink_ == nullptr)
    return spread(access, lanes, related);
  if (surveys_)
    places_->look_at(access, related, addresses_);
  else
    places_->place(access, related, addresses_);
}

void AccessRecorder::complete(const AccessStep& step, LaneMask lanes, BulkFootprint& copies) {
  const auto say = [&](std::string_view what) {
    assumptions_.add(step.line, fmt::format("line {}: {}", step.line, what));
  };
  if (copies.is_multicast)
    say(multicast_assumption);
  if (copies.extent) {
    if (!copies.has_places)
      say("where the bulk copy reads or writes memory is not known; no cache has its bytes");
    return;
  }
  const std::string unknown = step.tensor_copy == no_id ? "how much the bulk copy moves is not known"
                                                        : "the tensor map of the bulk copy is not described";
  const std::uint64_t bytes = step.announced.bytes;
  const auto copying = static_cast<std::uint64_t>(std::popcount(lanes));
  copies.extent = {warp::whole_sectors(bytes) * copying, bytes * copying};
  if (bytes == 0)
    say(unknown + "; its bytes are not counted");
  else
    say(fmt::format("{}; taken as its share, {} bytes, of those that an mbarrier expects in line {}", unknown,
                    bytes, step.announced.line));
}

void AccessRecorder::record_bulk(std::uint32_t access, LaneMask lanes, LaneFile& file) {
  const AccessStep& step = program_.accesses[access];
  BulkFootprint copies = bulks_.read(step, lanes, file);
  complete(step, lanes, copies);
  if (sink_ != nullptr)
    return copies.has_places ? sink_->add_rows(step, copies.rows) : sink_->add_unknown(step, lanes, {});
  fill_shape(copies, lanes, shape_);
  shapes_[step.access] = shape_id(access, shape_);
}

void AccessRecorder::record(std::uint32_t access, LaneMask lanes, LaneFile& file, const Origins& origins,
                            SteadyLoop& loop) {
  const AccessStep& step = program_.accesses[access];
  lanes &= step.address_lanes;
  shape_.mask = lanes;
  shape_.bytes = step.bytes;
  shape_.known = shape_.place_known = true;
  shape_.scattered = false;
  shape_.offsets.fill(0);
  shape_.bulk.reset();
  if (step.is_bulk && lanes != 0) {
    loop.give_up(); // sizes and what of tiles lies in the tensor may change from iteration to iteration
    return record_bulk(access, lanes, file);
  }
  if (lanes != 0 && addresses_of(access, lanes, file, origins)) {
    if (loop.observing())
      loop.observe_access(addresses_, lanes);
    if (sink_ == nullptr && is_certain_ && shape_.place_known && !outside_)
      outside_ = bounds_.find(access, addresses_, lanes);
    return record_addresses(access, lanes);
  }
  if (lanes != 0) {
    shape_.known = shape_.place_known = false;
    shape_.scattered = step.address_known;
    if (sink_ != nullptr)
      return record_scattered(
          access, lanes,
          step.address_known ? common_scale(lanes & ~file.known(step.base), origins.of(step.base)) : 1);
    take_as_given(access, lanes);
  }
  shapes_[step.access] = shape_id(access, shape_);
}

namespace {

// Lanes of `bytes` lie by multiples of `grain` behind where their known parts lead, as far as these agree.
AddressExtent in_grains(AddressExtent in, LaneMask lanes, const Lanes<std::uint64_t>& addresses,
                        std::uint16_t bytes, std::uint64_t grain) {
  const std::uint64_t first = addresses[static_cast<std::uint32_t>(std::countr_zero(lanes))];
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if (has(lanes, i) && addresses[i] != first)
      grain = std::min(grain, std::uint64_t{1} << std::countr_zero(addresses[i] - first));
  const std::uint64_t behind = (first - in.begin) % grain;
  return behind + bytes > in.bytes ? in : AddressExtent{in.begin + behind, in.bytes - behind, grain};
}

} // namespace

// Where the user says how lanes lie, in the buffer that is said too; else in the buffer that the known parts
// of the addresses lead to, by multiples of `grain`.
void AccessRecorder::record_scattered(std::uint32_t access, LaneMask lanes, std::uint64_t grain) {
  const AccessStep& step = program_.accesses[access];
  const auto& fact = facts_.addresses[access];
  AddressExtent in;
  if (const auto& range = facts_.ranges[access]; range && fact->spread != AddressFact::Spread::scattered) {
    stated_places_.place(access, step.bytes, *fact, *range, addresses_);
    return sink_->add(step, addresses_, lanes);
  } else if (range) {
    in = {range->base, range->bytes};
  } else if (step.address_known && !fact) {
    in = in_grains(places_->extent_of(lanes, addresses_), lanes, addresses_, step.bytes, grain);
  }
  sink_->add_unknown(step, lanes, in);
}

void AccessRecorder::record_addresses(std::uint32_t access, LaneMask lanes) {
  const AccessStep& step = program_.accesses[access];
  const auto first = addresses_[static_cast<std::uint32_t>(std::countr_zero(lanes))];
  const bool local = step.space == Space::local ||
                     (step.space == Space::generic && is_local_address(first, program_.address_bits));
  if (local)
    interleave(addresses_, lanes, step.bytes);
  if (sink_ != nullptr)
    return sink_->add(step, addresses_, lanes);
  make_relative(addresses_, lanes, shape_);
  shapes_[step.access] = shape_id(access, shape_);
}

std::uint32_t AccessRecorder::shape_id(std::uint32_t access, const AddressShape& shape) {
  Memo& memo = memos_[access];
  if (memo.id != no_id && memo.shape == shape)
    return memo.id;
  memo.shape = shape;
  if (memo.distinct >= max_shapes_per_access && shape.known)
    return memo.id = similar_shape(access, shape);
  const std::size_t before = builder_.behaviour().shapes.size();
  memo.id = builder_.shape(shape);
  memo.distinct += builder_.behaviour().shapes.size() > before ? 1 : 0;
  return memo.id;
}

std::uint32_t AccessRecorder::similar_shape(std::uint32_t access, const AddressShape& shape) {
  const AccessStep& step = program_.accesses[access];
  auto& classes = memos_[access].classes;
  if (!classes) {
    classes = std::make_unique<PatternClasses>();
    assumptions_.add(step.line,
                     fmt::format("line {}: more than {} different address patterns; the others are "
                                 "taken as ones with as many lanes, sectors, lines and conflicts",
                                 step.line, max_shapes_per_access));
  }
  if (const auto similar = shape.bulk ? std::nullopt : classes->find(shape, step.space, builder_))
    return *similar;
  assumptions_.add(step.line, fmt::format("line {}: some address patterns are like none that is kept; taken "
                                          "as scattered",
                                          step.line));
  AddressShape scattered;
  scattered.known = false;
  scattered.scattered = true;
  scattered.mask = shape.mask;
  scattered.bytes = shape.bytes;
  scattered.bulk = shape.bulk;
  return builder_.shape(scattered);
}

const std::vector<std::uint32_t>& AccessRecorder::shapes() {
  for (std::uint32_t& id : shapes_)
    if (id == no_id)
      id = builder_.shape(AddressShape{});
  return shapes_;
}

} // namespace kerncast::slice
