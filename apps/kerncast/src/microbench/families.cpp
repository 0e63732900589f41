#include "families.h"

#include <iterator>

namespace kerncast::app {
namespace {

using Family = Expected<Findings> (*)(const Laboratory& laboratory);
constexpr Family families[] = {find_operations, find_occupancies,   find_unit_mixes, find_divergence,
                               find_barriers,   find_shared_memory, find_constants,  find_textures,
                               find_atomics,    find_memory_levels, find_bandwidths};

} // namespace

Expected<Findings> find_all(const configs::Gpu& gpu) {
  const Expected<Laboratory> laboratory = Laboratory::open(gpu);
  if (!laboratory)
    return tl::unexpected(laboratory.error());
  Findings all;
  for (const Family family : families) {
    Expected<Findings> found = family(*laboratory);
    if (!found)
      return found;
    all.insert(all.end(), std::make_move_iterator(found->begin()), std::make_move_iterator(found->end()));
  }
  return all;
}

} // namespace kerncast::app
