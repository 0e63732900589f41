#include "link_process.h"

#include <algorithm>

namespace kerncast::ranks {

// The head of a message has come. Its end leaves when the link has moved all bytes, and not before it came.
void LinkProcess::handle(const RankEvent& event, RankOutbox& out) {
  RankMessage message = event.payload;
  Route route;
  topology_.find_route(message.from, message.to, route);
  const Hop hop = route[message.hop];
  const LinkCost link = topology_.link(hop);
  const Picoseconds service = link.service(message.bytes);
  Port& port = ports_[hop.port];
  const Picoseconds begin = std::max(event.time, port.free_at);
  port.free_at = begin + service;
  port.busy += service;
  port.bytes += message.bytes;
  message.tail = std::max(message.tail, begin + service) + link.latency;
  if (++message.hop < route.size()) {
    out.send(route[message.hop].vertex, begin + link.latency, message);
    return;
  }
  message.kind = RankMessage::Kind::arrived;
  out.send(message.to, message.tail, message);
}

void LinkProcess::add_loads(std::vector<LinkLoad>& loads) const {
  for (std::uint32_t p = 0; p < ports_.size(); ++p)
    if (ports_[p].bytes > 0)
      loads.push_back({topology_.link({vertex_, p}).kind,
                       static_cast<double>(ports_[p].busy) / picoseconds_per_us, ports_[p].bytes});
}

} // namespace kerncast::ranks
