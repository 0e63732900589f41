// Decoded fetches from textures and accesses of surfaces, for functional execution (PTX ISA, sections 9.7.10
// and 9.7.11).
#pragma once

#include <optional>
#include <string>

#include "tasklist/image.h"
#include "warp/memory_op.h"

namespace kerncast::warp {

struct ImageOp {
  enum class Kind : std::uint8_t {
    sample, // tex
    gather, // tld4
    query,  // txq, suq
    load,   // suld.b
    store,  // sust
    reduce, // sured
  };
  enum class Geometry : std::uint8_t { d1, d2, d3, a1d, a2d, cube, acube };
  enum class OutOfRange : std::uint8_t { trap, clamp, zero };
  enum class Query : std::uint8_t {
    width,
    height,
    depth,
    channel_type,
    channel_order,
    is_normalized,
    array_size,
    levels, // 1: levels of detail and samples are left out
    is_linear,
  };
  static constexpr std::uint32_t most_elements = 4;

  Kind kind = Kind::sample;
  Geometry geometry = Geometry::d1;
  AddressOf handle;
  std::optional<AddressOf> sampler; // .texmode_independent: else the texture has one
  SlotId layer;                     // of arrays
  std::array<SlotId, 3> coordinates{};
  bool has_float_coordinates = false;
  std::array<SlotId, 3> offsets{}; // in texels; Pool::none: none
  SlotId is_resident;              // a predicate that becomes true; Pool::none: not wanted
  ptx::Type type = ptx::Type::none;
  std::uint8_t elements = 1;
  std::array<SlotId, most_elements> data{};
  std::uint8_t component = 0; // gather
  Query query = Query::width; // query
  bool counts_texels = false; // .p: the first coordinate counts texels, not bytes
  OutOfRange out_of_range = OutOfRange::trap;
  Atomic function = Atomic::add; // reduce

  bool is_array() const {
    return geometry == Geometry::a1d || geometry == Geometry::a2d || geometry == Geometry::acube;
  }
  bool is_cube() const { return geometry == Geometry::cube || geometry == Geometry::acube; }
  // Coordinates beside the layer.
  std::uint32_t dimensions() const;
};

// A .texref, .samplerref or .surfref variable of the module. The first and the last are found among a
// device's images by their names.
struct OpaqueVariable {
  std::string name;
  std::uint64_t address = 0;
  std::optional<tasklist::Sampler> sampler; // of a .samplerref whose fields are known
};

} // namespace kerncast::warp
