// What is handed out to the threads of all ranks: rows of one application that share what is expensive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sweep/fingerprint.h"
#include "sweep/job.h"

namespace kerncast::app {

// Rows that are computed together.
struct WorkUnit {
  std::uint32_t group = 0; // of units that share what is expensive, too; from 0
  std::uint32_t app = 0;
  std::vector<std::uint32_t> points;
};
std::string encode(const WorkUnit& unit);
WorkUnit decode_unit(const std::string& bytes);

// How long it takes, compared with others.
double expected_cost(const SweepJob& job, const WorkUnit& unit);

// Units of the rows of these points that are not in `there` (ascending).
// `workers`: threads of all ranks.
std::vector<WorkUnit> missing_units(const SweepJob& job, const std::vector<std::uint32_t>& points,
                                    const std::vector<sweep::Fingerprint>& there, std::size_t workers);

} // namespace kerncast::app
