#include "pdes/simulation.h"

namespace kerncast::pdes {

void in_turn(std::size_t count, const std::function<void(std::size_t)>& task) {
  for (std::size_t i = 0; i < count; ++i)
    task(i);
}

} // namespace kerncast::pdes
