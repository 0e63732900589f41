// What of a CTA's behaviour stays when the CTA is moved in the grid.
//
// Moving a CTA usually moves each access by a constant, which changes nothing but the alignment to the
// 128-byte line. So a path is split in two: its signature, with every alignment relative to the access's
// first one in the path, and these first alignments, its phases.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tasklist/behaviour.h"
#include "warp/intern.h"
#include "warp_names.h"

namespace kerncast::slice {

struct MovablePath {
  std::uint32_t signature = 0;
  std::vector<std::uint8_t> phases; // alignment in bytes, modulo 128
};

class Translation {
public:
  explicit Translation(const tasklist::LaunchBehaviour& behaviour) : behaviour_(behaviour) {}

  const MovablePath& path(std::uint32_t path);
  std::uint32_t signature_of(std::span<const std::uint32_t> parts) { return lists_.intern(parts); }

private:
  // A shape with the lowest active lane at offset 0.
  struct MovableShape {
    std::uint32_t id = 0;
    std::uint8_t phase = 0;
    bool has_phase = false;
  };
  using FirstPhases = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint8_t>; // by block and access

  MovableShape movable(const tasklist::AddressShape& shape);
  const MovableShape& shape(std::uint32_t shape);
  void append_visit(const tasklist::BlockVisit& visit, FirstPhases& first, MovablePath& path,
                    std::vector<std::uint32_t>& signature);

  const tasklist::LaunchBehaviour& behaviour_;
  ListTable lists_;
  std::vector<MovableShape> shapes_;
  std::vector<MovablePath> paths_;
};

} // namespace kerncast::slice
