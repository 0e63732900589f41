// Executes tcgen05 on tensor memory, of the CTA or of the pair of CTAs whose ranks in the cluster differ in
// the lowest bit. Products sum in double in the order of k, beginning with D, and round once.
//
// Leaves out: races, also between asynchronous operations that nothing orders.
#pragma once

#include <vector>

#include "address_space.h"
#include "fault.h"
#include "tensor_memory.h"
#include "warp/lane_file.h"
#include "warp/tensor_memory_op.h"
#include "warp/wgmma_op.h"

namespace kerncast::functional {

class TensorUnit {
public:
  explicit TensorUnit(AddressSpace& space) : space_(space) {}

  void start_cta(std::uint32_t rank) {
    rank_ = rank;
    memory_.clear();
  }
  void begin(std::uint32_t line, std::uint32_t warp) {
    line_ = line;
    warp_ = warp;
  }
  TensorMemory& memory() { return memory_; }

  // False if the operation is a fault, which is then in fault(). Warps allocate, load and store; of other
  // operations each thread does one.
  bool allocate(const warp::TensorMemoryOp& op, warp::LaneFile& file, std::uint32_t& column);
  bool free(const warp::TensorMemoryOp& op, warp::LaneFile& file);
  bool relinquish(const warp::TensorMemoryOp& op);
  bool copy(const warp::TensorMemoryOp& op, std::uint32_t lane, warp::LaneFile& file);
  bool shift(const warp::TensorMemoryOp& op, std::uint32_t lane, warp::LaneFile& file);
  bool check_group(bool of_pair, std::uint32_t lane);
  bool move(const warp::TensorMove& op, warp::LaneMask lanes, warp::LaneFile& file);
  bool multiply(const warp::TensorMultiply& op, warp::LaneMask lanes, warp::LaneFile& file);
  const Fault& fault() const { return fault_; }

private:
  // A CTA that the operation at hand works on.
  struct Target {
    TensorMemory& memory;
    std::vector<std::uint8_t>& shared;
  };
  // The 32 lanes of a warp, of which each multiplies what lies in them.
  struct Partition {
    std::uint32_t first_lane = 0; // of tensor memory
    std::uint32_t first_row = 0;  // of the CTA's part of A
    std::uint32_t rows = 0;
    std::uint32_t first_column = 0; // of B
    std::uint32_t columns = 0;
  };
  // A row of A: its elements, and which ones of a row of B's transposed they meet.
  struct Row {
    std::vector<double> values;
    std::vector<std::uint32_t> k;
  };
  struct Product;

  Target own() { return {memory_, space_.shared()}; }
  bool find_targets(bool of_pair, std::uint32_t lane, std::vector<Target>& targets);
  bool shift_lane(std::uint32_t lane, std::uint32_t first_column, Target& target);
  bool word(Target& target, std::uint32_t lane, std::uint32_t column, std::uint32_t*& found);
  bool copy_row(const warp::TensorMemoryOp& op, const warp::SharedMatrix& matrix, std::uint32_t row,
                warp::TensorAddress to, Target& target);
  bool move_register(const warp::TensorMove& op, warp::TensorAddress base, std::uint32_t thread,
                     std::uint32_t r, warp::LaneFile& file);
  bool move_word(const warp::TensorMove& op, warp::TensorAddress at, std::uint32_t thread, std::uint32_t r,
                 warp::LaneFile& file);
  static void reduce(const warp::TensorMove& op, warp::LaneFile& file);
  bool multiply_once(const warp::TensorMultiply& op, std::uint32_t lane, warp::LaneFile& file);
  bool load_element(const Target& target, const warp::SharedMatrix& matrix, warp::Element element,
                    bool k_major, warp::MatrixPlace at, double& value);
  bool find_matrix(std::uint64_t descriptor, bool transposed, warp::Element element,
                   warp::SharedMatrix& matrix);
  bool load_b(Product& product);
  bool hide_columns(Product& product, std::uint64_t mask);
  bool load_rows(Product& product, std::uint32_t cta, const Partition& partition, std::vector<Row>& rows);
  bool load_shared_row(Product& product, Target& target, const warp::SharedMatrix& matrix, std::uint32_t row,
                       std::vector<double>& values);
  bool load_packed(Product& product, Target& target, std::uint32_t lane, std::vector<double>& values);
  bool place_sparse(Product& product, Target& target, const Partition& partition, std::uint32_t row,
                    Row& into);
  bool scale_rows(Product& product, Target& target, const Partition& partition, std::vector<Row>& rows);
  bool scale_columns(Product& product, Target& target, const Partition& partition,
                     std::vector<double>& columns);
  bool check_product(const Product& product);
  bool multiply_everywhere(Product& product);
  bool multiply_partition(Product& product, std::uint32_t cta, const Partition& partition);
  bool accumulate(Product& product, std::uint32_t cta, const Partition& partition, const Row& row,
                  std::uint32_t number, const std::vector<double>& columns);
  bool fail(std::string message, std::string note = {});

  AddressSpace& space_;
  TensorMemory memory_;
  std::uint32_t rank_ = 0;
  std::uint32_t line_ = 0, warp_ = 0;
  std::uint32_t lane_ = 0; // of the warp, whose operation it is
  Fault fault_;
};

} // namespace kerncast::functional
