#include "stream_names.h"

#include <fmt/format.h>

#include "timeline/timeline.h"

namespace kerncast::app {

std::string stream_name(std::uint32_t stream) {
  if (stream < timeline::first_graph_stream)
    return fmt::format("stream {}", stream);
  return fmt::format("branch {} of graphs", stream - timeline::first_graph_stream);
}

std::string stream_member(std::uint32_t stream) {
  if (stream < timeline::first_graph_stream)
    return fmt::format(R"("stream":{})", stream);
  return fmt::format(R"("stream":"{}")", stream_name(stream));
}

} // namespace kerncast::app
