// Values in the host's memory and in lanes, by their width.
//
// Other threads may write the same place: benign in kernels that all store one value.
#pragma once

#include <atomic>
#include <cstdint>

#include "warp/lane_file.h"
#include "warp/memory_op.h"

namespace kerncast::functional {

template <class T> T read(std::uint8_t* at) {
  return std::atomic_ref<T>(*reinterpret_cast<T*>(at)).load(std::memory_order_relaxed);
}
template <class T> void write(std::uint8_t* at, T value) {
  std::atomic_ref<T>(*reinterpret_cast<T*>(at)).store(value, std::memory_order_relaxed);
}

inline std::uint64_t read_bytes(std::uint8_t* at, std::uint32_t bytes) {
  switch (bytes) {
  case 1:
    return read<std::uint8_t>(at);
  case 2:
    return read<std::uint16_t>(at);
  case 4:
    return read<std::uint32_t>(at);
  default:
    return read<std::uint64_t>(at);
  }
}

inline void write_bytes(std::uint8_t* at, std::uint32_t bytes, std::uint64_t value) {
  switch (bytes) {
  case 1:
    return write(at, static_cast<std::uint8_t>(value));
  case 2:
    return write(at, static_cast<std::uint16_t>(value));
  case 4:
    return write(at, static_cast<std::uint32_t>(value));
  default:
    return write(at, value);
  }
}

inline std::uint64_t lane_value(warp::LaneFile& file, warp::SlotId slot, std::uint32_t lane) {
  return slot.pool == warp::Pool::word ? file.lanes<std::uint32_t>(slot.index)[lane]
                                       : file.lanes<std::uint64_t>(slot.index)[lane];
}

inline void set_lane_value(warp::LaneFile& file, warp::SlotId slot, std::uint32_t lane, std::uint64_t value) {
  if (slot.pool == warp::Pool::word)
    file.lanes<std::uint32_t>(slot.index)[lane] = static_cast<std::uint32_t>(value);
  else if (slot.pool == warp::Pool::longword)
    file.lanes<std::uint64_t>(slot.index)[lane] = value;
}

inline std::uint64_t lane_address(warp::LaneFile& file, const warp::AddressOf& address, std::uint32_t lane) {
  return address.offset + (address.base.pool == warp::Pool::none ? 0 : lane_value(file, address.base, lane));
}

} // namespace kerncast::functional
