// Fat binaries: what nvcc puts into .fatbin files and into the sections .nv_fatbin and __nv_relfatbin, one
// for each translation unit. The layout was worked out from files that nvcc 13 writes and from public
// descriptions (the kaitai and README of github.com/jiegec/fatbinary):
//
//   fat binary  +0 magic 0xBA55ED50, +4 u16 version 1, +6 u16 header bytes, +8 u64 bytes behind the header
//   entry       +0 u16 kind (1 PTX, 2 cubin), +4 u32 header bytes, +8 u64 payload bytes with padding,
//               +16 u32 compressed bytes, +24 u16 PTX minor, +26 u16 PTX major, +28 u32 architecture,
//               +40 u64 flags (0x2000 LZ4, 0x8000 zstd), +56 u64 unpacked bytes; the payload follows
#pragma once

#include <string_view>

#include "containers/container.h"

namespace kerncast::containers {

bool is_fat_binary(std::string_view bytes);

// Adds the entries of the fat binaries that lie one behind the other in [offset, offset + bytes) of the file.
// `unit` counts fat binaries.
Expected<void> read_fat_binaries(const SourceText& file, std::uint64_t offset, std::uint64_t bytes,
                                 std::uint32_t& unit, std::vector<Entry>& out);

} // namespace kerncast::containers
