// Loads from buffers whose contents are known.
#pragma once

#include <memory>

#include "slice/known_contents.h"
#include "warp/micro_op.h"
#include "warp_names.h"

namespace kerncast::slice {

class ContentLoads {
public:
  // Without contents no load is known.
  ContentLoads(std::shared_ptr<const KnownContents> contents, std::uint32_t address_bits)
      : contents_(std::move(contents)), address_bits_(address_bits) {}

  // Of these lanes those whose address is known and lies in known contents; their values are kept.
  LaneMask read(const MicroOp& op, LaneMask lanes, LaneFile& file);
  // What was read last, into a slot of the destination's pool.
  void write(const MicroOp& op, std::uint32_t result, LaneFile& file) const;

private:
  const std::uint8_t* find(std::uint64_t address, std::uint32_t bytes);

  std::shared_ptr<const KnownContents> contents_;
  std::uint32_t address_bits_;
  // Of the buffer that was found last.
  std::uint64_t base_ = 0;
  const std::vector<std::uint8_t>* held_ = nullptr;
  LaneMask loaded_ = 0;
  Lanes<std::uint64_t> values_{};
};

} // namespace kerncast::slice
