// What becomes of the accesses that L1s let through: L2s see them, or they are kept for L2s whose contents
// are not known yet.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hit_counts.h"
#include "l2_run.h"

namespace kerncast::hit_rates {

class BehindL1 {
public:
  virtual ~BehindL1() = default;
  virtual void run(std::span<const L2Access> accesses) = 0;
  // Of the accesses since the last call: `common` is what does not depend on L2. If they are not counted,
  // they leave what they leave in L2.
  virtual void end_stretch(const HitCounts& common, bool is_counted) = 0;
};

class L2sBehindL1 final : public BehindL1 {
public:
  // `l2s` must outlive the object. `tasks`: numbers that accesses' tasks are below of.
  L2sBehindL1(std::vector<L2InUse>& l2s, const configs::Cache& l1, std::size_t tasks);

  void run(std::span<const L2Access> accesses) override;
  void end_stretch(const HitCounts& common, bool is_counted) override;

  // [stretch that is counted][L2].
  std::vector<std::vector<HitCounts>> stretches;

private:
  std::vector<L2Run> l2s_;
};

class KeptForL2 final : public BehindL1 {
public:
  void run(std::span<const L2Access> accesses) override;
  void end_stretch(const HitCounts& common, bool is_counted) override;

  std::string bytes; // as processes of one program understand them

private:
  std::string accesses_;        // of this stretch
  std::uint64_t last_line_ = 0; // lines are kept as differences
};

// The bytes must come from KeptForL2.
void replay(std::string_view bytes, BehindL1& to);

} // namespace kerncast::hit_rates
