#include "plain_stepping.h"

#include <algorithm>
#include <deque>

namespace kerncast::ppt_gpu_2019 {
namespace {

struct PlainWarp {
  bool active = true;
  bool syncing = false;
  double stalled = 0;
  std::size_t next = 0;
  std::vector<double> completions;
};

struct PlainBlock {
  bool active = true;
  std::size_t sync_count = 0;
  double end = 0;
  double actual_end = 0;
  std::vector<PlainWarp> warps;
};

class PlainSm {
public:
  PlainSm(const Input& input, std::uint32_t blocks)
      : in_(input), hw_(input.hardware), sp_(std::max(1U, hw_.sp_lanes / 32)),
        dp_(std::max(1U, hw_.dp_lanes / 32)), sf_(std::max(1U, hw_.sf_lanes / 32)),
        ls_(hw_.load_store_units) {
    PlainBlock block;
    block.warps.resize((input.launch.threads_per_block + 31) / 32);
    blocks_.assign(blocks, block);
  }

  Result run() {
    while (any_active()) {
      std::uint32_t issued = 0;
      for (PlainBlock& block : blocks_) {
        if (issued >= hw_.warp_schedulers)
          break;
        issued += step_block(block, issued);
      }
      issue_events_ += issued;
      ++cycle_;
    }
    Result result;
    result.cycles = cycle_;
    result.warp_issue_events = issue_events_;
    for (const PlainBlock& block : blocks_) {
      result.block_end_computations.push_back(block.end);
      result.block_actual_end.push_back(block.actual_end);
    }
    return result;
  }

private:
  bool any_active() {
    return std::ranges::any_of(blocks_, [this](PlainBlock& b) { return is_active(b); });
  }

  bool is_active(PlainBlock& block) const {
    if (!block.active)
      return false;
    if (std::ranges::any_of(block.warps, &PlainWarp::active))
      return true;
    block.active = false;
    block.end = cycle_;
    for (const PlainWarp& warp : block.warps)
      block.actual_end = std::max(block.actual_end, warp.completions.back());
    return false;
  }

  std::uint32_t step_block(PlainBlock& block, std::uint32_t issued) {
    std::uint32_t own = 0;
    for (PlainWarp& warp : block.warps) {
      if (!warp.active)
        continue;
      if (issued + own >= hw_.warp_schedulers)
        break;
      own += step_warp(block, warp) ? 1 : 0;
    }
    if (block.sync_count == block.warps.size()) {
      for (PlainWarp& warp : block.warps)
        warp.syncing = false;
      block.sync_count = 0;
    }
    return own;
  }

  bool step_warp(PlainBlock& block, PlainWarp& warp) {
    std::uint32_t done = 0;
    while (done < hw_.instructions_per_warp && process(block, warp))
      ++done;
    return done > 0;
  }

  bool process(PlainBlock& block, PlainWarp& warp) {
    if (!(warp.stalled < cycle_) || warp.syncing)
      return false;
    if (warp.next == in_.items.size()) {
      warp.active = false;
      return false;
    }
    const Item& item = in_.items[warp.next];
    const bool barrier = item.kind == ItemKind::thread_sync;
    double dependency = 0;
    if (barrier)
      for (const double completion : warp.completions)
        dependency = std::max(dependency, completion);
    else
      for (const std::uint32_t d : in_.dependencies_of(item))
        dependency = std::max(dependency, warp.completions[d]);
    if (cycle_ < dependency) {
      warp.stalled = dependency;
      return false;
    }
    if (!resources(item))
      return false;
    warp.completions.push_back(barrier ? 0 : cycle_ + latency(item));
    warp.syncing = barrier;
    block.sync_count += barrier ? 1 : 0;
    ++warp.next;
    return true;
  }

  bool take(std::vector<double>& slots) const {
    const auto slot = std::ranges::find_if(slots, [this](double free) { return free <= cycle_; });
    if (slot == slots.end())
      return false;
    *slot = cycle_ + 1;
    return true;
  }

  bool resources(const Item& item) {
    switch (item.kind) {
    case ItemKind::ialu:
    case ItemKind::falu:
      return take(sp_);
    case ItemKind::dalu:
      return take(dp_);
    case ItemKind::sfu:
      return take(sf_);
    case ItemKind::shared:
    case ItemKind::thread_sync:
      return true;
    default:
      return take(ls_) && enqueue(latency(item));
    }
  }

  bool enqueue(double latency) {
    while (!queue_.empty() && queue_.front() <= cycle_)
      queue_.pop_back();
    if (queue_.size() >= hw_.memory_queue_entries)
      return false;
    queue_.push_back(cycle_ + latency);
    return true;
  }

  double latency(const Item& item) const {
    switch (item.kind) {
    case ItemKind::global:
      return average_memory_access_time(hw_, in_.launch.l2_hit);
    case ItemKind::global_other:
      return hw_.l2_latency + hw_.l2_to_global_latency;
    case ItemKind::shared:
      return hw_.shared_latency;
    case ItemKind::local:
      return hw_.local_latency;
    case ItemKind::param:
    case ItemKind::constant:
      return hw_.constant_latency;
    case ItemKind::texture:
      return hw_.texture_latency;
    default:
      return item.latency;
    }
  }

  const Input& in_;
  const Hardware& hw_;
  std::vector<double> sp_, dp_, sf_, ls_; // "free at", per slot
  std::deque<double> queue_;
  std::vector<PlainBlock> blocks_;
  double cycle_ = 0;
  std::uint64_t issue_events_ = 0;
};

} // namespace

Result plain_stepping(const Input& input, std::uint32_t blocks) { return PlainSm(input, blocks).run(); }

} // namespace kerncast::ppt_gpu_2019
