// Executes the memory operations of a warp.
//
// Lanes go one after the other, from the lowest: of several that store to one place the highest wins.
// Accesses that miss memory, are not aligned, write constants or read unknown contents are faults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "address_space.h"
#include "fault.h"
#include "global_races.h"
#include "image_unit.h"
#include "race_check.h"
#include "tensor_unit.h"
#include "warp/lane_file.h"
#include "warp/matrix_op.h"
#include "warp/mbarrier_op.h"
#include "warp/system_call_op.h"
#include "warp/tensor_copy_op.h"
#include "warp/wgmma_op.h"

namespace kerncast::functional {

class MemoryUnit {
public:
  // `printed` gets what printf writes.
  MemoryUnit(AddressSpace& space, RaceCheck* races, GlobalRaces* global_races, std::string& printed)
      : space_(space), races_(races), global_races_(global_races), printed_(&printed), images_(space),
        tensors_(space) {
    if (global_races != nullptr)
      space.watch_loads(global_races->buffers_with_loads());
  }

  // What stores are attributed to from now on; `rank`: in the cluster.
  void start_cta(std::uint32_t number, std::uint32_t rank) {
    writer_.cta = number;
    rank_ = rank;
    tensors_.start_cta(rank);
  }
  void next_phase() { ++writer_.phase; }
  // Whose operation comes next. `local`: the warp's local memory, lane by lane; `warp`: its number in the
  // CTA.
  void begin(std::uint32_t line, std::uint8_t* local, std::uint32_t warp) {
    writer_.line = line;
    local_ = local;
    warp_ = warp;
    tensors_.begin(line, warp);
  }

  // False if the operation is a fault, which is then in fault().
  bool execute(const warp::MemoryOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  // Loads or stores pieces of a matrix; all lanes take part.
  bool access_matrix(const warp::MatrixAccess& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool mbarrier(const warp::MbarrierOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool bulk_copy(const warp::BulkCopy& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool tensor_copy(const warp::TensorCopy& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool change_tensor_map(const warp::TensorMapChange& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool multiply_warpgroup(const warp::WarpgroupOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool tensor_memory(const warp::TensorMemoryOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool tensor_move(const warp::TensorMove& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool tensor_multiply(const warp::TensorMultiply& op, warp::LaneMask lanes, warp::LaneFile& file);
  TensorMemory& tensors() { return tensors_.memory(); }
  bool system_call(const warp::SystemCall& call, warp::LaneMask lanes, warp::LaneFile& file);
  // Fetches from textures and accesses of surfaces.
  bool image(const warp::ImageOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  ImageUnit& images() { return images_; }
  std::optional<tasklist::TensorMap> tensor_map(std::uint64_t address) { return space_.tensor_map(address); }
  const Fault& fault() const { return fault_; }

private:
  using Addresses = warp::Lanes<std::uint64_t>;
  using Places = std::array<std::uint8_t*, warp::lanes_per_warp>; // in the host's memory
  // Of a matrix in memory; the stride counts elements.
  struct MatrixBase {
    std::uint64_t address = 0;
    std::uint64_t stride = 0;
  };

  void read_addresses(const warp::AddressOf& address, warp::LaneFile& file);
  bool resolve(const warp::MemoryOp& op, ptx::Space space, warp::LaneMask lanes, std::uint32_t bytes,
               bool writes);
  bool resolve_lane(const warp::MemoryOp& op, ptx::Space space, std::uint32_t lane, std::uint32_t bytes,
                    bool writes);
  bool place_lane(const warp::MemoryOp& op, ptx::Space space, std::uint32_t lane, std::uint32_t bytes,
                  bool writes);
  bool fail_outside(const warp::MemoryOp& op, ptx::Space space, std::uint32_t lane, std::uint32_t bytes,
                    bool writes);
  bool fail_unaligned(const warp::MemoryOp& op, std::uint32_t lane, std::uint32_t bytes, bool writes);
  bool change_mbarrier(warp::MbarrierOp::Kind kind, std::uint32_t lane, std::uint32_t value);
  // Of the mbarrier at the lane's address.
  bool complete_bytes(std::uint32_t lane, std::uint32_t bytes);
  // Ranks in the cluster; none: the CTA at the address.
  static std::vector<std::optional<std::uint32_t>> targets_of(const warp::BulkSignal& signal,
                                                              std::uint32_t lane, warp::LaneFile& file);
  bool deliver(const warp::BulkSignal& signal, std::uint32_t lane, std::uint64_t bytes,
               std::optional<std::uint32_t> rank, warp::LaneFile& file);
  // At the lane's address; null with a fault.
  std::uint8_t* bulk_bytes(warp::MemoryOp::Kind kind, ptx::Space space, std::uint32_t lane,
                           std::uint32_t bytes, std::uint32_t alignment);
  bool reduce_bytes(warp::Atomic function, ptx::Type type, std::uint8_t* to, const std::uint8_t* from,
                    std::uint64_t bytes, std::uint32_t lane);
  bool copy_masked_bytes(const warp::BulkCopy& op, std::uint32_t lane, const std::uint8_t* from,
                         std::uint32_t bytes, std::uint64_t mask);
  bool copy_inner_bytes(const warp::BulkCopy& op, std::uint32_t lane, std::uint32_t bytes,
                        warp::LaneFile& file);
  bool copy_bulk_bytes(const warp::BulkCopy& op, std::uint32_t lane, std::uint32_t bytes,
                       std::optional<std::uint32_t> rank, warp::LaneFile& file);
  struct TileCopy {
    const tasklist::TensorMap& map;
    warp::MemoryOp::Kind global_access{};
    warp::Atomic function{};
    std::uint32_t lane = 0;
    std::uint64_t box_address = 0; // in shared memory
    std::uint8_t* box = nullptr;   // in the host's
    std::uint32_t box_bytes = 0, row_bytes = 0;
  };
  struct TileRow {
    std::uint32_t at = 0;             // in the box, bytes
    std::uint32_t begin = 0, end = 0; // which of its bytes are in the tensor
  };
  // What a load of `bytes` bytes gives; nothing with a fault.
  std::optional<std::uint64_t> value_at(std::uint64_t address, std::uint32_t lane, std::uint32_t bytes);
  std::optional<std::string> text_at(std::uint64_t address, std::uint32_t lane, std::size_t most);
  using CallArguments = std::array<std::uint64_t, warp::SystemCall::most_arguments>;
  // The result, which may mean nothing; nothing with a fault.
  std::optional<std::uint64_t> system_call(warp::SystemCall::Kind kind, const CallArguments& arguments,
                                           std::uint32_t lane);
  std::optional<std::uint64_t> print(std::uint64_t format, std::uint64_t list, std::uint32_t lane);
  void fail_assertion(const CallArguments& arguments, std::uint32_t lane);
  bool read_tensor_map(const warp::TensorCopy& op, std::uint32_t lane, warp::LaneFile& file,
                       tasklist::TensorMap& map);
  bool copy_tile(const warp::TensorCopy& op, std::uint32_t lane, const tasklist::TensorMap& map,
                 std::optional<std::uint32_t> rank, warp::LaneFile& file);
  bool copy_tile_row(const TileCopy& copy, std::uint64_t global, TileRow row);
  RaceCheck* races_at(std::uint64_t address) const;
  bool resolve_local(ptx::Space space, std::uint32_t lane, std::uint32_t bytes);
  bool use_written(const warp::MemoryOp& op, std::uint64_t offset, std::uint32_t lane, std::uint32_t bytes,
                   bool writes);
  bool changes(const warp::MemoryOp& op, std::uint32_t lane, warp::LaneFile& file) const;
  bool execute_at_addresses(const warp::MemoryOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool execute_together(const warp::MemoryOp& op, warp::LaneFile& file);
  bool check_written(const warp::MemoryOp& op, const Window& window, std::uint64_t offset, std::uint32_t lane,
                     std::uint32_t bytes);
  bool load_all(const warp::MemoryOp& op, warp::LaneFile& file);
  bool store_all(const warp::MemoryOp& op, warp::LaneFile& file);
  std::uint8_t* all_lanes_at(const warp::MemoryOp& op, bool writes);
  void load(const warp::MemoryOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  void store(const warp::MemoryOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  void exchange_wide(const warp::MemoryOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  void atomic(const warp::MemoryOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool copy(const warp::MemoryOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool clear(const warp::MemoryOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool clear_bytes(const warp::MemoryOp& op, std::uint32_t lane, std::uint64_t bytes);
  // Of a matrix in shared memory.
  struct SharedRows {
    std::uint32_t first = 0, rows = 0, k = 0;
    warp::Element element{};
    bool is_transposed = false;
  };
  bool load_shared_rows(std::uint64_t descriptor, SharedRows wanted, std::vector<double>& values);
  bool find_rows(const warp::MatrixAccess& op);
  bool find_element(const warp::MatrixAccess& op, std::uint32_t lane, warp::MatrixPlace place,
                    MatrixBase base);
  bool move_fragment(const warp::MatrixAccess& op, std::uint32_t lane, MatrixBase base, warp::LaneFile& file);
  static void move_rows(const warp::MatrixAccess& op, const Places& rows, warp::LaneFile& file);
  static void move_byte_rows(const warp::MatrixAccess& op, const Places& rows, warp::LaneFile& file);
  bool allocate_tensors(const warp::TensorMemoryOp& op, warp::LaneFile& file);
  bool commit_tensors(const warp::TensorMemoryOp& op, std::uint32_t lane, warp::LaneFile& file);
  bool tensor_operation(const warp::TensorMemoryOp& op, std::uint32_t lane, warp::LaneFile& file);
  bool fail_tensors();
  void note_stores(const warp::MemoryOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  void note_loads(const warp::MemoryOp& op, warp::LaneMask lanes);
  bool meets_race(const warp::MemoryOp& op, std::uint32_t lane, bool stores, bool changes = true);
  bool is_racing(const warp::MemoryOp& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool fail(std::string message, std::uint32_t lane, std::string note = {});

  AddressSpace& space_;
  RaceCheck* races_;          // null: not checked
  GlobalRaces* global_races_; // likewise
  std::string* printed_;
  Writer writer_;
  ImageUnit images_;
  TensorUnit tensors_;
  std::uint8_t* local_ = nullptr;
  std::uint32_t warp_ = 0;
  std::uint32_t rank_ = 0;
  Addresses addresses_{};
  Places places_{};                            // of active lanes
  Window window_;                              // the last one found
  ptx::Space window_space_ = ptx::Space::none; // for instructions of this space
  Fault fault_;
};

} // namespace kerncast::functional
