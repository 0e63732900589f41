#include "timeline/graph_launch.h"

#include <algorithm>
#include <cassert>

namespace kerncast::timeline {

void GraphLaunch::begin(const GraphEvent& launch) {
  launch_ = launch;
  is_open_ = true;
  branches_.clear();
  const auto last = last_.find(launch.graph);
  if (last != last_.end() && last->second.stream != launch.stream)
    core_.issue_wait(launch.stream, last->second.end, device());
  begin_ = core_.issue_record(launch.stream, device());
}

std::uint32_t GraphLaunch::stream_of(std::uint32_t stream, std::uint8_t device) {
  if (!is_open_)
    return stream;
  const auto known = std::find_if(branches_.begin(), branches_.end(),
                                  [&](const Branch& branch) { return branch.of_graph == stream; });
  if (known != branches_.end())
    return known->stream;
  Branch branch{stream, launch_.stream, device};
  if (!branches_.empty()) {
    const auto number = first_graph_stream + static_cast<std::uint32_t>(further_.size());
    branch.stream = further_.try_emplace({launch_.stream, branches_.size()}, number).first->second;
    assert(branch.stream < device_streams && "the reader of applications limits streams of graphs");
    core_.issue_wait(branch.stream, begin_, device);
  }
  branches_.push_back(branch);
  return branch.stream;
}

void GraphLaunch::end() {
  for (std::size_t i = 1; i < branches_.size(); ++i)
    core_.issue_wait(launch_.stream, core_.issue_record(branches_[i].stream, branches_[i].device), device());
  last_[launch_.graph] = {launch_.stream, core_.issue_record(launch_.stream, device())};
  is_open_ = false;
}

} // namespace kerncast::timeline
