// What timelines call a stream of a device, by its number (timeline/timeline.h): one of the application's, or
// a branch that graphs use beside the stream they are launched to.
#pragma once

#include <cstdint>
#include <string>

namespace kerncast::app {

std::string stream_name(std::uint32_t stream);
// As a member of JSON: a number of the application's, or the name of a branch.
std::string stream_member(std::uint32_t stream);

} // namespace kerncast::app
