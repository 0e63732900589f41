// Executes fetches from textures and accesses of surfaces, lane by lane from the lowest.
//
// Leaves out: races on surfaces, and that fetches may not see what the same launch stores.
#pragma once

#include "address_space.h"
#include "fault.h"
#include "texels.h"
#include "texture_axes.h"
#include "warp/lane_file.h"

namespace kerncast::functional {

class ImageUnit {
public:
  explicit ImageUnit(AddressSpace& space) : space_(space) {}

  // False if the operation is a fault, which is then in fault(). `warp`: its number in the CTA.
  bool execute(const warp::ImageOp& op, warp::LaneMask lanes, warp::LaneFile& file, std::uint32_t warp);
  const Fault& fault() const { return fault_; }
  // Where the first texel of each lane lies; false if it lies nowhere.
  bool find_addresses(const warp::ImageOp& op, warp::LaneMask lanes, warp::LaneFile& file,
                      warp::Lanes<std::uint64_t>& addresses);

private:
  using Axes = std::array<Axis, 3>;
  // Bytes of a surface; no memory for a place outside that reads zeros and stores nothing.
  struct SurfacePlace {
    std::uint64_t offset = 0; // bytes behind the image's first
    bool is_inside = false;
  };

  bool execute_lane(const warp::ImageOp& op, std::uint32_t lane, warp::LaneFile& file);
  bool select(const warp::ImageOp& op, std::uint32_t lane, warp::LaneFile& file);
  bool select_sampler(const warp::ImageOp& op, std::uint32_t lane, warp::LaneFile& file);
  bool check_geometry(const warp::ImageOp& op, std::uint32_t lane);
  bool check_result(const warp::ImageOp& op, std::uint32_t lane);
  Axes axes_of(const warp::ImageOp& op, std::uint32_t lane, warp::LaneFile& file) const;
  std::int64_t layer_of(const warp::ImageOp& op, std::uint32_t lane, warp::LaneFile& file) const;
  std::uint64_t offset_of(std::int64_t x, std::int64_t y, std::int64_t slice) const;
  std::uint8_t* bytes_at(std::uint64_t offset, std::uint32_t bytes, std::uint32_t lane, bool reads,
                         bool writes);
  bool read_corner(const Axes& axes, std::uint32_t corner, std::uint32_t lane, Texel& texel);
  bool sample(const warp::ImageOp& op, std::uint32_t lane, warp::LaneFile& file);
  bool gather(const warp::ImageOp& op, std::uint32_t lane, warp::LaneFile& file);
  void query(const warp::ImageOp& op, std::uint32_t lane, warp::LaneFile& file) const;
  static void set_result(const warp::ImageOp& op, const Texel& texel, std::uint32_t lane,
                         warp::LaneFile& file);
  bool access_surface(const warp::ImageOp& op, std::uint32_t lane, warp::LaneFile& file);
  bool place_on_surface(const warp::ImageOp& op, std::uint32_t bytes, std::uint32_t lane,
                        warp::LaneFile& file, SurfacePlace& place);
  bool store_texel(const warp::ImageOp& op, SurfacePlace place, std::uint32_t lane, warp::LaneFile& file);
  bool reduce(const warp::ImageOp& op, SurfacePlace place, std::uint32_t lane, warp::LaneFile& file);
  bool fail(std::string message, std::uint32_t lane, std::string note = {});

  AddressSpace& space_;
  const tasklist::Image* image_ = nullptr; // of the lane at hand
  tasklist::Sampler sampler_;
  std::uint32_t warp_ = 0;
  Fault fault_;
};

} // namespace kerncast::functional
