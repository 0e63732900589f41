#include "together.h"

#include "support/byte_parts.h"

namespace kerncast::app {

std::vector<std::string> Together::on_root(std::size_t count, const Part& part) const {
  std::vector<std::string> parts =
      cluster.compute(count, threads, [&](std::size_t i) { return stopped() ? std::string() : part(i); });
  if (cluster.agree({stopped() ? 1 : 0, {}}).exit_code != 0)
    throw StoppedTogether{};
  return parts;
}

std::vector<std::string> Together::on_all(std::size_t count, const Part& part) const {
  std::vector<std::string> parts = on_root(count, part);
  if (cluster.ranks() == 1)
    return parts;
  std::string told;
  for (const std::string& one : parts)
    append_part(one, told);
  told = cluster.broadcast(std::move(told));
  parts.clear();
  for (std::string_view left = told; !left.empty();)
    parts.emplace_back(take_part(left));
  return parts;
}

} // namespace kerncast::app
