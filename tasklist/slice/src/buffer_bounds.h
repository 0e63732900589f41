// Whether accesses are aligned and stay inside the buffers that a launch describes, the CTA's shared memory
// and the thread's local memory, and come from no null pointer.
//
// Only what surely happens is looked at: known addresses, of warps that have met no branch on unknown data.
// Loops that are advanced in closed form execute their first and last iterations, between which addresses are
// affine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tasklist/launch.h"
#include "warp/lane_file.h"
#include "warp/program.h"
#include "warp_names.h"

namespace kerncast::slice {

struct OutsideAccess {
  std::uint32_t access = 0;
  std::uint32_t lane = 0;
  std::uint64_t address = 0;
};

class BufferBounds {
public:
  BufferBounds(const Program& program, const tasklist::Launch& launch);

  // The first lane whose address is not aligned, or that accesses something outside of the memory that it
  // lies in or behind or closely before. None for addresses of which the launch does not say what is there.
  std::optional<OutsideAccess> find(std::uint32_t access, const Lanes<std::uint64_t>& addresses,
                                    LaneMask lanes) const;
  // "4 bytes at byte 4096 of argument 2, which is a buffer of 4096 bytes"
  std::string describe(const OutsideAccess& outside) const;

private:
  struct Buffer {
    std::uint64_t bytes = 0;    // 0: not known
    std::uint32_t argument = 0; // from 0
  };
  void add(const tasklist::Argument& argument, std::uint32_t number);
  // Where an address belongs: a buffer, and how far from its beginning.
  struct Place {
    Buffer buffer;
    std::int64_t offset = 0;
  };
  Place place_of(std::uint64_t address) const;
  bool is_outside(std::uint64_t address, std::uint32_t bytes) const;
  std::optional<OutsideAccess> find_in_buffers(std::uint32_t access, const Lanes<std::uint64_t>& addresses,
                                               LaneMask lanes) const;
  bool is_outside_of_own(const warp::AccessStep& step, std::uint64_t address) const;
  std::string describe_place(const OutsideAccess& outside) const;

  const Program& program_;
  std::vector<Buffer> buffers_; // by number
  std::uint64_t shared_bytes_;  // of a CTA
};

} // namespace kerncast::slice
