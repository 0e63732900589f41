// What is handed out to the threads of all ranks: rows of one application that share what is expensive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/fingerprint.h"
#include "sweep/job.h"

namespace kerncast::app {

// Rows that are computed together.
struct WorkUnit {
  std::uint32_t group = 0; // of units that share what is expensive, too; from 0
  std::uint32_t app = 0;
  bool is_group = false;             // its group has no other unit
  bool finds = false;                // no rows, but what those of its group share
  std::vector<std::uint32_t> points; // `finds`: some of the group, on all its L2s
  std::string shared;                // what another worker found; empty: who computes the rows finds it
};
std::string encode(const WorkUnit& unit);
WorkUnit decode_unit(std::string_view bytes);

// What rank 0 hears of a worker's unit.
struct UnitReport {
  std::uint32_t group = 0;
  bool is_stopped = false; // the worker was asked to stop
  std::string shared;      // of a unit that finds it
};
std::string encode(const UnitReport& report);
UnitReport decode_report(std::string_view bytes);

// How long it takes, compared with others.
double expected_cost(const SweepJob& job, const WorkUnit& unit);

struct MissingUnits {
  std::vector<WorkUnit> units;
  std::vector<WorkUnit> finding; // by group: what finds that which its units share
};

// Units of the rows of these points that are not in `there` (ascending).
// `workers`: threads of all ranks.
MissingUnits missing_units(const SweepJob& job, const std::vector<std::uint32_t>& points,
                           const std::vector<sweep::Fingerprint>& there, std::size_t workers);

} // namespace kerncast::app
