// Union-find with live ranges. All live members of a class hold the same value at any time.
#include "register_classes.h"

#include <algorithm>
#include <numeric>

namespace kerncast::machine {
namespace {

std::vector<Segment> united(std::span<const Segment> a, std::span<const Segment> b) {
  std::vector<Segment> all(a.size() + b.size());
  std::ranges::merge(a, b, all.begin(), {}, &Segment::begin, &Segment::begin);
  std::vector<Segment> joined;
  for (const Segment& s : all)
    if (!joined.empty() && s.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, s.end);
    else
      joined.push_back(s);
  return joined;
}

} // namespace

RegisterClasses::RegisterClasses(std::uint32_t registers)
    : parents_(registers), class_of_(registers, tasklist::no_id) {
  std::iota(parents_.begin(), parents_.end(), 0);
}

void RegisterClasses::describe(VirtualRegister r, std::span<const Segment> range, std::vector<Write> writes) {
  class_of_[r] = static_cast<std::uint32_t>(classes_.size());
  classes_.push_back({{range.begin(), range.end()}, std::move(writes)});
}

VirtualRegister RegisterClasses::representative(VirtualRegister r) const {
  while (parents_[r] != r) {
    parents_[r] = parents_[parents_[r]];
    r = parents_[r];
  }
  return r;
}

bool RegisterClasses::is_written_within(VirtualRegister r, VirtualRegister other) const {
  const VirtualRegister mine = representative(r), theirs = representative(other);
  return std::ranges::any_of(classes_[class_of_[mine]].writes, [&](const Write& w) {
    if (w.copied != tasklist::no_id) {
      const VirtualRegister source = representative(w.copied);
      if (source == mine || source == theirs)
        return false;
    }
    return covers(classes_[class_of_[theirs]].range, w.position);
  });
}

bool RegisterClasses::try_merge(VirtualRegister a, VirtualRegister b) {
  a = representative(a);
  b = representative(b);
  if (a == b)
    return true;
  if (is_written_within(a, b) || is_written_within(b, a))
    return false;
  const VirtualRegister root = std::min(a, b), child = std::max(a, b);
  parents_[child] = root;
  Class& kept = classes_[class_of_[root]];
  Class& merged = classes_[class_of_[child]];
  kept.range = united(kept.range, merged.range);
  kept.writes.insert(kept.writes.end(), merged.writes.begin(), merged.writes.end());
  std::erase_if(kept.writes, [&](const Write& w) {
    return w.copied != tasklist::no_id && representative(w.copied) == root;
  });
  merged = {};
  return true;
}

} // namespace kerncast::machine
