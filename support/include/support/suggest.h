// "did you mean ...?" for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kerncast {

// The candidate nearest to `name` by edit distance (two swapped letters count once), or "" if none is near
// (more than a third of the name's letters differ). Of equally near candidates the first wins.
std::string nearest(std::string_view name, std::span<const std::string_view> candidates);
std::string nearest(std::string_view name, std::span<const std::string> candidates);

} // namespace kerncast
