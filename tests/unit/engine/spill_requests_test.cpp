// A spill is an access to local memory that no behaviour of a launch tells of.
#include <gtest/gtest.h>

#include "engine/request_of.h"

namespace kerncast::engine {
namespace {

machine::MachineOp spill(std::uint16_t bytes) {
  machine::MachineOp op;
  op.kind = machine::OpKind::memory;
  op.task_kind = tasklist::TaskKind::store;
  op.space = tasklist::Space::local;
  op.access_bytes = bytes;
  return op;
}

constexpr memory_model::HitRates in_l1{1, 1};

configs::Gpu gpu() {
  configs::Gpu gpu;
  gpu.l1.sector_bytes = 32;
  gpu.l1.line_bytes = 128;
  return gpu;
}

// 32 lanes beside each other: 32 * 4 / 32 = 4 sectors of a word, 16 of four words.
TEST(SpillRequests, the_lanes_places_lie_beside_each_other) {
  const auto sectors = [](std::uint16_t bytes, std::uint32_t mask) {
    const machine::MachineOp op = spill(bytes);
    return request_of(op, spill_shape(op, mask), in_l1, gpu()).sectors;
  };
  EXPECT_EQ(sectors(4, UINT32_MAX), 4u);
  EXPECT_EQ(sectors(16, UINT32_MAX), 16u);
}

// Eight lanes of four bytes fill one sector.
TEST(SpillRequests, lanes_that_are_masked_off_ask_for_nothing) {
  const machine::MachineOp op = spill(4);
  EXPECT_EQ(request_of(op, spill_shape(op, 0xFF), in_l1, gpu()).sectors, 1u);
}

} // namespace
} // namespace kerncast::engine
