// What the warps of one launch do: their way through the tasklist's blocks and the addresses they touch.
//
// Warps that behave alike share one WarpPath, CTAs that behave alike one CtaClass, visits and address
// shapes are stored once. Repeated loop iterations are stored once with a count.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tasklist/grid_order.h"
#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

inline constexpr std::uint32_t lanes_per_warp = 32;

// What the bulk copies of one warp-wide instruction move, past its registers.
struct BulkExtent {
  std::uint64_t moved_bytes = 0;     // of global memory, in whole sectors of 32 bytes
  std::uint64_t signalled_bytes = 0; // that mbarriers count: those of tiles beyond a tensor's edge too
  friend bool operator==(const BulkExtent&, const BulkExtent&) = default;
};

// The addresses of one warp-wide access, relative to the 128-byte line of the lowest active lane, so that
// accesses to different lines with the same pattern have the same shape.
struct AddressShape {
  bool known = true; // false: depends on unknown data; offsets are meaningless
  bool place_known =
      true; // false: depends on unknown data; of the offsets only the differences mean something
  bool scattered = false;                              // not known: every lane has data of its own
  std::uint32_t mask = 0;                              // active lanes
  std::uint16_t bytes = 0;                             // per lane
  std::array<std::uint64_t, lanes_per_warp> offsets{}; // bytes; 0 for inactive lanes
  std::optional<BulkExtent> bulk = {}; // of bulk copies, whose lanes are where their first bytes lie
  friend bool operator==(const AddressShape&, const AddressShape&) = default;
};

// One execution of a block by a warp. `accesses` holds one index into `shapes` per memory task of the
// block, in order (Task::access); lanes masked off by a guard are not in the shape's mask.
struct BlockVisit {
  BlockId block = 0;
  std::uint32_t active_mask = 0;
  Range accesses; // in LaunchBehaviour::access_pool
};

// A path is a list of nodes. A visit node executes visits[visit] once. A repeat node executes the `length`
// nodes that follow it `count` times; repeats nest.
struct PathNode {
  enum class Kind : std::uint8_t { visit, repeat };
  Kind kind = Kind::visit;
  std::uint32_t visit = 0;  // visit
  std::uint32_t length = 0; // repeat
  std::uint64_t count = 1;  // repeat
  friend bool operator==(const PathNode&, const PathNode&) = default;
};

struct WarpPath {
  std::vector<PathNode> nodes;
};

struct CtaClass {
  std::vector<std::uint32_t> warp_paths; // index into paths, per warp of the CTA
  std::uint64_t cta_count = 0;           // CTAs of the grid in this class
  ClassExtent extent = {};               // of the grid; all of it where that is not known
};

struct LaunchBehaviour {
  std::vector<AddressShape> shapes;
  std::vector<std::uint32_t> access_pool;
  std::vector<BlockVisit> visits;
  std::vector<WarpPath> paths;
  std::vector<CtaClass> classes;          // cta_count sums to the grid's CTAs
  std::shared_ptr<const GridOrder> order; // of the grid's CTAs; null: not known
  std::uint64_t ctas_executed = 0;        // how many CTAs were executed to find the classes
  std::vector<std::string> assumptions;   // every guess, with its line
};

// Of the whole grid, by path.
inline std::vector<double> warps_by_path(const LaunchBehaviour& behaviour) {
  std::vector<double> warps(behaviour.paths.size());
  for (const CtaClass& one : behaviour.classes)
    for (const std::uint32_t path : one.warp_paths)
      warps[path] += static_cast<double>(one.cta_count);
  return warps;
}

} // namespace kerncast::tasklist
