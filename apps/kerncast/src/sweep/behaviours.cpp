#include "sweep/behaviours.h"

#include "support/byte_parts.h"

namespace kerncast::app {

std::string encode(const tasklist::LaunchBehaviour& behaviour) {
  std::string bytes, paths, classes;
  append_plains(behaviour.shapes, bytes);
  append_plains(behaviour.access_pool, bytes);
  append_plains(behaviour.visits, bytes);
  for (const tasklist::WarpPath& path : behaviour.paths)
    append_plains(path.nodes, paths);
  append_part(paths, bytes);
  for (const tasklist::CtaClass& one : behaviour.classes) {
    append_plain(one.cta_count, classes);
    append_plains(one.warp_paths, classes);
  }
  append_part(classes, bytes);
  append_plains(behaviour.order, bytes);
  append_plain(behaviour.ctas_executed, bytes);
  for (const std::string& assumption : behaviour.assumptions)
    append_part(assumption, bytes);
  return bytes;
}

tasklist::LaunchBehaviour decode_behaviour(std::string_view bytes) {
  tasklist::LaunchBehaviour behaviour;
  behaviour.shapes = take_plains<tasklist::AddressShape>(bytes);
  behaviour.access_pool = take_plains<std::uint32_t>(bytes);
  behaviour.visits = take_plains<tasklist::BlockVisit>(bytes);
  for (std::string_view paths = take_part(bytes); !paths.empty();)
    behaviour.paths.push_back({take_plains<tasklist::PathNode>(paths)});
  for (std::string_view classes = take_part(bytes); !classes.empty();) {
    tasklist::CtaClass one;
    one.cta_count = take_plain<std::uint64_t>(classes);
    one.warp_paths = take_plains<std::uint32_t>(classes);
    behaviour.classes.push_back(std::move(one));
  }
  behaviour.order = take_plains<tasklist::ClassRun>(bytes);
  behaviour.ctas_executed = take_plain<std::uint64_t>(bytes);
  while (!bytes.empty())
    behaviour.assumptions.emplace_back(take_part(bytes));
  return behaviour;
}

} // namespace kerncast::app
