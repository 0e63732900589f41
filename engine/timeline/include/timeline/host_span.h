// What an observer sees of the host: a launch that costs it time, or a wait.
#pragma once

#include <cstdint>

namespace kerncast::timeline {

struct HostSpan {
  enum class Kind : std::uint8_t {
    launch,
    graph_launch,
    waits_for_everything,
    waits_for_device,
    waits_for_stream,
    waits_for_record
  };
  Kind kind = Kind::launch;
  std::uint32_t number = 0; // the distinct launch, the graph, the device, the stream
  double begin = 0;
  double end = 0;
};

} // namespace kerncast::timeline
