#include "hit_rates/issued_source.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "issued_warp.h"

namespace kerncast::hit_rates {
namespace {

using machine::MachineOp;
using tasklist::AccessPattern;
using tasklist::CtaTrace;
using tasklist::PlacedTrace;
using tasklist::TracedAccess;

// No address of a launch is as large.
constexpr std::uint64_t spill_base = std::uint64_t{0xE} << 60;
// Accesses of traces that are kept in their order, besides those of the last one: neighbours share traces.
constexpr std::size_t most_kept = 1U << 18;

class IssuedSource final : public tasklist::AccessSource {
public:
  IssuedSource(std::unique_ptr<tasklist::AccessSource> inner, const tasklist::Tasklist& list,
               const machine::MachineProgram& program, bool in_turns)
      : inner_(std::move(inner)), front_(list.local_bytes_per_thread),
        warp_(issue_of(list, program, in_turns)),
        first_of_inner_(static_cast<std::uint32_t>(patterns_.size())) {
    note_patterns();
  }

  PlacedTrace cta(std::uint64_t number) override {
    PlacedTrace placed = inner_->cta(number);
    note_patterns();
    if (placed.own_patterns && first_of_inner_ > 0) {
      auto own = std::make_shared<std::vector<AccessPattern>>(patterns_.begin(),
                                                              patterns_.begin() + first_of_inner_);
      own->insert(own->end(), placed.own_patterns->begin(), placed.own_patterns->end());
      placed.own_patterns = std::move(own);
    }
    placed.trace = issued(std::move(placed.trace));
    return placed;
  }
  const std::vector<AccessPattern>& patterns() const override { return patterns_; }
  std::uint64_t executed() const override { return inner_->executed(); }

private:
  struct Issued {
    std::shared_ptr<const CtaTrace> plain, issued;
  };

  // Finds the patterns of spills.
  WarpIssue issue_of(const tasklist::Tasklist& list, const machine::MachineProgram& program, bool in_turns) {
    SpillAccesses spills;
    for (Position at = 0; at < program.ops.size(); ++at)
      if (const MachineOp& op = program.ops[at]; op.is_spill)
        spills.emplace(at, access_of(op, task_of(op, list)));
    return {list, program, in_turns, std::move(spills), static_cast<std::uint32_t>(patterns_.size())};
  }

  TracedAccess access_of(const MachineOp& op, tasklist::TaskId task) {
    const auto [known, is_new] =
        pattern_of_.try_emplace(op.access_bytes, static_cast<std::uint32_t>(patterns_.size()));
    if (is_new) {
      AccessPattern pattern{.local = true, .mask = ~std::uint32_t{0}, .bytes = op.access_bytes};
      for (std::uint32_t lane = 0; lane < tasklist::lanes_per_warp; ++lane)
        pattern.offsets[lane] = std::int64_t{lane} * op.access_bytes;
      patterns_.push_back(pattern);
    }
    const std::uint64_t in_frame = (front_ + std::uint64_t{op.frame_offset}) * tasklist::lanes_per_warp;
    return {.address = spill_base + in_frame, .task = task, .pattern = known->second};
  }

  // Those of the launch become known as its CTAs are executed.
  void note_patterns() {
    const std::vector<AccessPattern>& inner = inner_->patterns();
    patterns_.insert(patterns_.end(), inner.begin() + (patterns_.size() - first_of_inner_), inner.end());
  }

  std::shared_ptr<const CtaTrace> issued(std::shared_ptr<const CtaTrace> plain) {
    if (const auto known = kept_.find(plain.get()); known != kept_.end())
      return known->second.issued;
    if (kept_accesses_ > most_kept) {
      kept_.clear();
      kept_accesses_ = 0;
    }
    auto issued = std::make_shared<const CtaTrace>(in_order(*plain));
    kept_accesses_ += plain->accesses.size() + issued->accesses.size();
    const CtaTrace* const key = plain.get();
    kept_.emplace(key, Issued{std::move(plain), issued});
    return issued;
  }

  CtaTrace in_order(const CtaTrace& plain) {
    CtaTrace trace{.accesses = {}, .warp_begin = {}, .truncated = plain.truncated};
    trace.accesses.reserve(plain.accesses.size());
    for (std::size_t w = 0; w + 1 < plain.warp_begin.size(); ++w) {
      trace.warp_begin.push_back(static_cast<std::uint32_t>(trace.accesses.size()));
      warp_.add({plain.accesses.data() + plain.warp_begin[w], plain.warp_begin[w + 1] - plain.warp_begin[w]},
                trace.accesses);
    }
    trace.warp_begin.push_back(static_cast<std::uint32_t>(trace.accesses.size()));
    return trace;
  }

  std::unique_ptr<tasklist::AccessSource> inner_;
  std::uint64_t front_;                               // bytes per thread in front of the spills
  std::map<std::uint16_t, std::uint32_t> pattern_of_; // of a spill, by bytes per lane
  std::vector<AccessPattern> patterns_;               // of spills, then of the launch
  WarpIssue warp_;
  std::uint32_t first_of_inner_;                     // of patterns_
  std::unordered_map<const CtaTrace*, Issued> kept_; // by the plain trace
  std::size_t kept_accesses_ = 0;
};

std::string text_of(const CodeEvent& event, const CodeOrder& order) {
  std::string text(1, event.waits_for_all ? 'w' : event.is_spill ? 's' : event.is_access ? 'a' : 'u');
  for (const std::uint16_t slot : order.slots(event.needed))
    text += fmt::format(",{}", slot);
  for (const std::uint16_t slot : order.slots(event.loaded))
    text += fmt::format(";{}", slot);
  return text;
}

// What each operation is and waits for, and the numbers of the accesses.
std::string text_of(const CodePiece& piece, const CodeOrder& order) {
  std::map<Position, std::size_t> numbers;
  for (std::size_t i = 0; i < piece.places.size(); ++i)
    numbers.emplace(piece.places[i], i);
  std::string text = fmt::format(" {}x{}", piece.trips, piece.accesses);
  for (const CodeEvent& event : piece.events) {
    text += text_of(event, order);
    if (const auto number = numbers.find(event.at); number != numbers.end())
      text += fmt::format("#{}", number->second);
  }
  return text;
}

} // namespace

bool keeps_warps(configs::SchedulerPolicy scheduler) { return scheduler != configs::SchedulerPolicy::lrr; }

std::unique_ptr<tasklist::AccessSource> as_issued(std::unique_ptr<tasklist::AccessSource> source,
                                                  const tasklist::Tasklist& list,
                                                  const machine::MachineProgram& program,
                                                  configs::SchedulerPolicy scheduler) {
  if (source == nullptr)
    return nullptr;
  return std::make_unique<IssuedSource>(std::move(source), list, program, keeps_warps(scheduler));
}

std::string text_of_order(const tasklist::Tasklist& list, const machine::MachineProgram& program) {
  const CodeOrder order(list, program);
  std::string text;
  for (tasklist::BlockId b = 0; b < list.blocks.size(); ++b) {
    text += text_of(order.of(b), order);
    if (const CodePiece* const group = order.group_of(b))
      text += text_of(*group, order);
  }
  return text;
}

} // namespace kerncast::hit_rates
