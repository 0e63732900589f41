// A graph's nodes in streams: which ones they are issued to, and what holds them, as timeline.h describes.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "timeline/event_core.h"
#include "timeline/timeline.h"

namespace kerncast::timeline {

class GraphLaunch {
public:
  explicit GraphLaunch(EventCore& core) : core_(core) {}

  // From now on nodes are those of this launch.
  void begin(const GraphEvent& launch);
  void end();
  bool is_open() const { return is_open_; }
  // Where what the graph has in a stream of its own goes; the stream as it is outside of graphs.
  std::uint32_t stream_of(std::uint32_t stream, std::uint8_t device);

private:
  // Of the stream that the graph is launched to.
  std::uint8_t device() const { return static_cast<std::uint8_t>(launch_.stream / device_streams); }

  struct Branch {
    std::uint32_t of_graph = 0;
    std::uint32_t stream = 0;
    std::uint8_t device = 0;
  };

  EventCore& core_;
  bool is_open_ = false;
  GraphEvent launch_;
  std::uint32_t begin_ = 0;      // record
  std::vector<Branch> branches_; // the first one is the stream that the graph is launched to
  // Launches to one stream follow each other, so their further streams may be the same ones.
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> further_; // by stream and branch
  struct LastLaunch {
    std::uint32_t stream = 0;
    std::uint32_t end = 0; // record
  };
  std::unordered_map<std::uint32_t, LastLaunch> last_; // by graph
};

} // namespace kerncast::timeline
