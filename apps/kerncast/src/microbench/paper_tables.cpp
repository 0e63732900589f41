// Intervals are cycles per warp instruction of a full SM, latencies those of one warp. 004 calls shared
// memory local, and a thread's own arrays private.
#include "paper_tables.h"

#include <algorithm>
#include <utility>

#include "configs/compute_capability.h"
#include "described.h"
#include "measurements.h"
#include "published.h"
#include "repeated.h"

namespace kerncast::app {
namespace {

struct PaperOperation {
  const char* row; // of the table
  const char* kernel;
  const char* ptx;
  std::uint32_t least_capability = 10;
};
constexpr PaperOperation sp_op = {"SP", "mul_f32", "mul.f32"}, int_op = {"INT", "mul_lo_s32", "mul.lo.s32"},
                         dp_op = {"DP", "mul_f64", "mul.f64", 13},
                         sf_op = {"SF", "cos_f32", "cos.approx.f32"};
constexpr PaperOperation table_5_operations[] = {{"cos.approx.f32", "cos_f32", "cos.approx.f32"},
                                                 {"mul.f32", "mul_f32", "mul.f32"},
                                                 {"mul.f64", "mul_f64", "mul.f64", 13},
                                                 {"mul.s32", "mul_lo_s32", "mul.lo.s32"},
                                                 {"div.f32", "div_f32", "div.full.f32", 20},
                                                 {"div.f64", "div_f64", "div.rn.f64", 13},
                                                 {"div.s32", "div_s32", "div.s32"}};

// An interval and a latency.
struct Costs {
  double interval = 0;
  double latency = 0;
};

// Measures one table after the other; the first error ends it.
class Tables {
public:
  explicit Tables(const Laboratory& laboratory) : laboratory_(laboratory), gpu_(laboratory.gpu()) {}

  Expected<std::vector<PaperTable>> measure() && {
    for (const auto part : {&Tables::table_ii, &Tables::computations, &Tables::global_memory,
                            &Tables::near_memory, &Tables::table_4, &Tables::table_5, &Tables::table_6})
      if ((this->*part)(); !errors_.empty())
        return tl::unexpected(std::move(errors_));
    return std::move(tables_);
  }

private:
  double value(const Expected<double>& measured) {
    if (!measured && errors_.empty())
      errors_ = measured.error();
    return measured.value_or(0);
  }

  void table(std::string title, std::vector<std::string> columns) {
    tables_.push_back({std::move(title), std::move(columns), {}});
  }
  void row(std::string_view of, const char* name, const std::vector<std::vector<double>>& found) {
    const std::vector<std::vector<double>> published = published_row(gpu_.name, of, name);
    PaperTable::Row out{name, {}};
    for (std::size_t i = 0; i < found.size(); ++i)
      out.cells.push_back({found[i], i < published.size() ? published[i] : std::vector<double>{}});
    tables_.back().rows.push_back(std::move(out));
  }

  bool has(const PaperOperation& one) const {
    return row_of(gpu_, one.ptx) != nullptr && configs::compute_capability(gpu_) >= one.least_capability;
  }

  double warps() const {
    return resident_ctas(gpu_, usual_threads) * (usual_threads / double{tasklist::lanes_per_warp});
  }
  Load full() const { return {resident_ctas(gpu_, usual_threads), usual_threads}; }

  // With so many independent chains.
  Costs costs(const PaperOperation& one, std::uint32_t chains) {
    return {value(cycles_per_step(laboratory_, one.kernel, chains, full())) / (chains * warps()),
            value(cycles_per_step(laboratory_, one.kernel, chains, {})) / chains};
  }

  void table_ii() {
    table("004 Table II: operations", {"latency", "interval"});
    for (const PaperOperation& one : {sp_op, dp_op, sf_op}) {
      if (!has(one))
        continue;
      const Costs least = costs(one, 4);
      row("004 Table II", one.row, {{costs(one, 1).latency}, {least.interval}});
    }
  }

  void computations() {
    table("004 Table III: computations, instruction-level parallelism 1/2/4",
          {"1e9 operations/s", "interval", "latency", "ridge point, threads"});
    for (const PaperOperation& one : {sp_op, int_op, sf_op}) {
      std::vector<std::vector<double>> cells(4);
      for (const std::uint32_t chains : {1U, 2U, 4U}) {
        const Costs of = costs(one, chains);
        cells[0].push_back(gpu_.sms * tasklist::lanes_per_warp * gpu_.clock_mhz / 1e3 / of.interval);
        cells[1].push_back(of.interval);
        cells[2].push_back(of.latency);
        cells[3].push_back(tasklist::lanes_per_warp * of.latency / of.interval);
      }
      row("004 Table III", one.row, cells);
    }
  }

  // Of a warp-wide access with so many bytes a lane.
  double interval_of(double gbps, std::uint32_t bytes) const {
    return double{tasklist::lanes_per_warp} * bytes * gpu_.sms * gpu_.clock_mhz / 1e3 / gbps;
  }

  double gbps_of(double interval, std::uint32_t bytes) const { return interval_of(interval, bytes); }

  void global_memory() {
    table("004 Table III: global memory", {"1e9 bytes/s", "interval", "latency"});
    constexpr std::pair<std::uint32_t, const char*> sizes[] = {
        {1, "global 1B"}, {2, "global 2B"}, {4, "global 4B"}, {8, "global 8B"}, {16, "global 16B"}};
    for (const auto& [bytes, name] : sizes) {
      const double gbps = value(read_gbps(laboratory_, bytes));
      row("004 Table III", name,
          {{gbps}, {interval_of(gbps, bytes)}, {value(cycles_per_lone_read(laboratory_, bytes))}});
    }
  }

  Costs shared_memory() {
    return {value(cycles_per_shared_load(laboratory_, 1, full())) / warps(),
            value(cycles_per_shared_load(laboratory_, 1, {}))};
  }

  void near_memory() {
    table("004 Table III: memories near the SM", {"1e9 bytes/s", "interval", "latency", "cache size, KiB"});
    const Costs shared = shared_memory();
    row("004 Table III", "local 4B",
        {{gbps_of(shared.interval, 4)}, {shared.interval}, {shared.latency}, {}});
    const Expected<ConstantLoads> constant = cycles_per_constant_load(laboratory_);
    if (!constant)
      errors_ = constant.error();
    else
      row("004 Table III", "constant 4B",
          {{}, {}, {constant->hit, constant->miss}, {static_cast<double>(gpu_.constant_bytes) / 1024}});
    row("004 Table III", "private 4B", {{}, {}, {value(cycles_per_private_load(laboratory_))}, {}});
  }

  void table_4() {
    table("003 Table 4: instruction mix", {"interval of ALU", "interval of SFU", "issue limit"});
    double limit = 0;
    for (const std::uint32_t beta : {1U, 2U, 4U, 8U, 16U})
      limit =
          std::max(limit, 8 * (beta + 1) * warps() / value(cycles_per_mix_trip(laboratory_, beta, full())));
    row("003 Table 4", "instruction mix", {{costs(sp_op, 4).interval}, {costs(sf_op, 4).interval}, {limit}});
  }

  void table_5() {
    table("003 Table 5: instructions", {"interval", "latency"});
    const auto add = [&](const char* name, const Costs& of) {
      row("003 Table 5", name, {{of.interval}, {of.latency}});
    };
    for (const PaperOperation& one : table_5_operations)
      if (has(one))
        add(one.row, {costs(one, 4).interval, costs(one, 1).latency});
    if (const configs::IsaRow* barrier = row_of(gpu_, "bar.sync")) {
      const std::uint32_t ctas = filling_warps(describe(*barrier, gpu_), gpu_);
      add("bar.sync", {value(cycles_per_barrier(laboratory_, {ctas, tasklist::lanes_per_warp})) / ctas,
                       value(cycles_per_barrier(laboratory_, {}))});
    }
    add("ld.global.s32",
        {interval_of(value(read_gbps(laboratory_, 4)), 4), value(cycles_per_dram_load(laboratory_))});
    add("ld.local.s32", shared_memory());
  }

  void table_6() {
    table("003 Table 6: global memory", {"throughput, 1e9 bytes/s", "bandwidth", "efficiency, %"});
    const double gbps = value(read_gbps(laboratory_, 4));
    row("003 Table 6", "global memory",
        {{gbps}, {gpu_.dram.bandwidth_gbps}, {100 * gbps / gpu_.dram.bandwidth_gbps}});
  }

  const Laboratory& laboratory_;
  const configs::Gpu& gpu_;
  std::vector<PaperTable> tables_;
  Diagnostics errors_;
};

} // namespace

Expected<std::vector<PaperTable>> paper_tables(const Laboratory& laboratory) {
  return Tables(laboratory).measure();
}

} // namespace kerncast::app
