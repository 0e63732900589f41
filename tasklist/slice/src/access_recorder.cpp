// Addresses per lane, made relative.
#include "access_recorder.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "warp/address_shapes.h"

namespace kerncast::slice {
namespace {

using tasklist::AddressShape;
using tasklist::Space;

// An access with more different shapes than that (strides that differ by lane over a long loop) is taken
// as scattered from there on, so that memory stays bounded.
constexpr std::uint32_t max_shapes_per_access = 2048;

using Spread = tasklist::AddressFact::Spread;

// Bytes from lane to lane; not of scattered ones.
std::int64_t stride_of(const tasklist::AddressFact& fact, std::uint16_t bytes) {
  return fact.spread == Spread::coalesced ? bytes : fact.spread == Spread::broadcast ? 0 : fact.stride;
}

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
  const std::string by = fact->spread == Spread::strided ? fmt::format(" by {} bytes", stride) : "";
  assumptions_.add(step.line,
                   fmt::format("line {}: {}; taken as {}{}, as given", step.line, what,
                               tasklist::spread_names[static_cast<std::size_t>(fact->spread)], by));
  if (fact->spread == Spread::scattered)
    return;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
  for (std::uint32_t i = first; i < lanes_per_warp; ++i)
    addresses_[i] = static_cast<std::uint64_t>(stride) * (i - first);
  make_relative(addresses_, lanes, shape_);
  shape_.known = true;
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
  bool is_same = memo.related.groups().size() > 0 && related.is_like(memo.related);
  for (std::uint32_t i = first; i < lanes_per_warp; ++i)
    is_same = is_same &&
              ((lanes >> i & 1) == 0 || addresses_[i] - memo.from[i] == addresses_[first] - memo.from[first]);
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

void AccessRecorder::record(std::uint32_t access, LaneMask lanes, LaneFile& file, const Origins& origins,
                            SteadyLoop& loop) {
  const AccessStep& step = program_.accesses[access];
  lanes &= step.address_lanes;
  shape_.mask = lanes;
  shape_.bytes = step.bytes;
  shape_.known = shape_.place_known = true;
  shape_.offsets.fill(0);
  if (lanes != 0 && addresses_of(access, lanes, file, origins)) {
    if (loop.observing())
      loop.observe_access(addresses_, lanes);
    return record_addresses(access, lanes);
  }
  if (lanes != 0) {
    shape_.known = shape_.place_known = false;
    if (sink_ != nullptr)
      return record_scattered(access, lanes);
    take_as_given(access, lanes);
  }
  shapes_[step.access] = shape_id(access, shape_);
}

// In the buffer that the known parts of the addresses lead to. Places that the user describes are in no
// cache.
void AccessRecorder::record_scattered(std::uint32_t access, LaneMask lanes) {
  const AccessStep& step = program_.accesses[access];
  const bool leads_somewhere = step.address_known && !facts_.addresses[access];
  sink_->add_unknown(step, lanes, leads_somewhere ? places_->extent_of(lanes, addresses_) : AddressExtent{});
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
  const std::size_t before = builder_.behaviour().shapes.size();
  if (memo.distinct >= max_shapes_per_access && shape.known) {
    const std::uint32_t line = program_.accesses[access].line;
    assumptions_.add(line,
                     fmt::format("line {}: more than {} different address patterns; the others are taken "
                                 "as scattered",
                                 line, max_shapes_per_access));
    AddressShape scattered;
    scattered.known = false;
    scattered.mask = shape.mask;
    scattered.bytes = shape.bytes;
    return builder_.shape(scattered);
  }
  memo.shape = shape;
  memo.id = builder_.shape(shape);
  memo.distinct += builder_.behaviour().shapes.size() > before ? 1 : 0;
  return memo.id;
}

const std::vector<std::uint32_t>& AccessRecorder::shapes() {
  for (std::uint32_t& id : shapes_)
    if (id == no_id)
      id = builder_.shape(AddressShape{});
  return shapes_;
}

} // namespace kerncast::slice
