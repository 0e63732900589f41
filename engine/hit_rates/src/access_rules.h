// What a memory task does to the caches, by its PTX operation and the GPU.
#pragma once

#include <vector>

#include "configs/gpu.h"
#include "tasklist/tasklist.h"

namespace kerncast::hit_rates {

enum class Effect : std::uint8_t { load, store, atomic, constant };

struct AccessRule {
  Effect effect = Effect::load;
  bool through_l1 = true; // loads: looked up in L1, and kept there
  bool is_bulk = false;   // a bulk copy
};

// By TaskId.
std::vector<AccessRule> access_rules(const tasklist::Tasklist& list, const configs::Gpu& gpu);

} // namespace kerncast::hit_rates
