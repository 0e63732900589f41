// A chain of texture fetches (apps/microbench/textures) from a texture that L1 holds.
#include <algorithm>

#include "families.h"
#include "repeated.h"

namespace kerncast::app {

Expected<Findings> find_textures(const Laboratory& laboratory) {
  constexpr std::uint32_t fetches_per_trip = 8;
  constexpr std::uint32_t texels = 256;
  constexpr double tolerance = 0.02;
  const configs::Gpu& gpu = laboratory.gpu();
  tasklist::Image texture;
  texture.name = "texels";
  texture.format = tasklist::TexelFormat::s32;
  texture.width = texels;
  texture.pitch_bytes = texels * 4;
  tasklist::Launch launch;
  launch.block.x = tasklist::lanes_per_warp;
  launch.arguments = {texture_argument(0), buffer_argument(1, 4096)};
  const Expected<double> trip = cycles_per_trip(
      laboratory,
      {.kernel = "chase_texture", .launch = launch, .buffers = {texels * 4, 4096}, .textures = {texture}});
  if (!trip)
    return tl::unexpected(trip.error());
  return Findings{{"latency", "texture", "cycles", *trip / fetches_per_trip,
                   std::max(gpu.texture_latency, gpu.l1.latency), tolerance}};
}

} // namespace kerncast::app
