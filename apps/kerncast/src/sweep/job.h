// A sweep that is ready to run: its points, its applications, and which rows there should be.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "configs/loader.h"
#include "sweep/applications.h"
#include "sweep/plan.h"
#include "sweep/store.h"
#include "sweep/sweep_file.h"

namespace kerncast::app {

struct SweepJob {
  sweep::SweepFile file;
  sweep::Plan plan;
  std::vector<SweepApplication> apps;
  sweep::StoreContents contents;

  bool is_search() const { return file.sampling == sweep::Sampling::search; }
};

// Names that objectives may use beside keys and derived values.
std::set<std::string> result_names(const std::vector<std::string>& apps);

// Reads what prepare_sweep reads, so that read_file can keep copies of it; errors are left to that.
void read_files(const SourceText& source, const configs::ConfigPath& path, std::size_t threads);

// Every error of the file, its GPUs and its applications.
Expected<SweepJob> prepare_sweep(SourceText source, const configs::ConfigPath& path, std::size_t threads);

// Rows that are computed together: of one application, points that share what is expensive.
struct WorkUnit {
  std::uint32_t group = 0; // of units that share it, too; from 0
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
