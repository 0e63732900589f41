// What machine operations that synchronise do: barriers, groups of asynchronous operations, mbarriers.
//
// A tasklist names the PTX operation and those of its operands that are constants. Left out, and named as
// assumptions: barriers and counts that are computed, and bytes that are.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/kernel.h"
#include "engine/sm_workload.h"

namespace kerncast::engine {

class SyncOps {
public:
  explicit SyncOps(const KernelInput& input);

  // Completes `out`, which operation `index` of the program became.
  void resolve(std::uint32_t index, SmOp& out);
  // The step's use of an operation whose barrier lies in memory, when its lanes access `shape`.
  std::uint32_t use_of(const machine::MachineOp& op, const tasklist::AddressShape& shape);

  std::vector<BarrierUse> uses() && { return std::move(uses_); }
  const std::set<std::string>& assumptions() const { return assumptions_; }

private:
  void find_expected_arrivals();
  void resolve_cta_barrier(const tasklist::Task& task, SmOp& out);
  void resolve_arrival_of_copies(const tasklist::Task& task, SmOp& out);
  void resolve_mbarrier(const tasklist::Task& task, SmOp& out) const;
  std::uint32_t number(const std::string& barrier);
  std::uint32_t add(const BarrierUse& use);
  void assume(const tasklist::Task& task, const char* what);
  std::vector<std::uint64_t> integers(const tasklist::Task& task) const;
  const std::string& operation(const tasklist::Task& task) const;

  const KernelInput& input_;
  std::map<std::string, std::uint32_t> numbers_;           // of barriers, by name
  std::map<std::string, std::uint64_t> expected_arrivals_; // at mbarriers whose count is a constant, in lanes
  std::vector<BarrierUse> uses_;
  std::set<std::string> assumptions_;
};

} // namespace kerncast::engine
