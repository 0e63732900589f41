// What the bulk copies of a warp-wide instruction move in global memory: consecutive bytes, or the rows of
// tiles that lie in their tensors.
//
// A copy to several CTAs of a cluster brings to each what it signals; the others are taken to bring as much
// to this one.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "tasklist/behaviour.h"
#include "tasklist/tensor_map.h"
#include "warp/launch_parameters.h"
#include "warp/program.h"

namespace kerncast::warp {

// Consecutive bytes of global memory.
struct MovedRow {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const MovedRow&, const MovedRow&) = default;
};

// Bytes of the sectors that so many bytes from the start of one need.
std::uint64_t whole_sectors(std::uint64_t bytes);

struct BulkFootprint {
  std::optional<tasklist::BulkExtent> extent; // empty: how much is not known
  bool has_places = true;                     // false: where is not known
  bool is_multicast = false;                  // to several CTAs of a cluster
  Lanes<std::uint64_t> first{};               // where each lane's copy begins
  std::vector<MovedRow> rows;                 // of one lane after the other
};

inline constexpr std::string_view multicast_assumption =
    "the CTAs to which a bulk copy brings data are taken to bring this one as much";

using TensorMapAt = std::function<std::optional<tasklist::TensorMap>(std::uint64_t address)>;

// Of a map among the kernel's parameters, all of it known. `program` and `image` outlive what is returned.
TensorMapAt maps_among_parameters(const Program& program, const ParameterImage& image);

class BulkReader {
public:
  // `all_known`: every slot of the lane file holds a value.
  BulkReader(const Program& program, TensorMapAt map_at, bool all_known)
      : program_(program), map_at_(std::move(map_at)), all_known_(all_known) {}

  BulkFootprint read(const AccessStep& step, LaneMask lanes, LaneFile& file) const;

private:
  std::optional<std::uint64_t> value(SlotId slot, std::uint32_t lane, LaneFile& file) const;
  std::optional<std::uint64_t> address(const AddressOf& of, std::uint32_t lane, LaneFile& file) const;
  std::uint64_t receivers(const BulkSignal& signal, std::uint32_t lane, LaneFile& file,
                          BulkFootprint& out) const;
  void add_copy(const BulkCopy& copy, std::uint32_t lane, LaneFile& file, BulkFootprint& out) const;
  void add_tile(const TensorCopy& copy, std::uint32_t lane, LaneFile& file, BulkFootprint& out) const;

  const Program& program_;
  TensorMapAt map_at_;
  bool all_known_;
};

// The shape that a behaviour keeps. At least one lane is active.
void fill_shape(const BulkFootprint& copies, LaneMask lanes, tasklist::AddressShape& shape);

// One access of up to 32 lanes, none wider than a line, for some consecutive rows.
struct RowGroup {
  Lanes<std::uint64_t> addresses{};
  LaneMask lanes = 0;
  std::uint16_t bytes = 0; // per lane, in whole sectors
};
std::vector<RowGroup> groups_of(const std::vector<MovedRow>& rows);

} // namespace kerncast::warp
