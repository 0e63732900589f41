// Union-find with live ranges. All live members of a class hold the same value at any time.
#include "register_classes.h"

#include <algorithm>
#include <iterator>
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

template <class T> tasklist::Range add_to_pool(std::span<const T> elements, std::vector<T>& pool) {
  const auto begin = static_cast<std::uint32_t>(pool.size());
  pool.insert(pool.end(), elements.begin(), elements.end());
  return {begin, static_cast<std::uint32_t>(elements.size())};
}

} // namespace

RegisterClasses::RegisterClasses(std::uint32_t registers)
    : parents_(registers), class_of_(registers, tasklist::no_id) {
  std::iota(parents_.begin(), parents_.end(), 0);
}

void RegisterClasses::describe(VirtualRegister r, std::span<const Segment> range,
                               std::span<const Write> writes) {
  class_of_[r] = static_cast<std::uint32_t>(classes_.size());
  Class& described = classes_.emplace_back();
  described.range = add_to_pool(range, segments_);
  described.writes = add_to_pool(writes, writes_);
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
  return std::ranges::any_of(writes_of(classes_[class_of_[mine]]), [&](const Write& w) {
    if (w.copied != tasklist::no_id) {
      const VirtualRegister source = representative(w.copied);
      if (source == mine || source == theirs)
        return false;
    }
    return covers(range_of(classes_[class_of_[theirs]]), w.position);
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
  unite(classes_[class_of_[root]], classes_[class_of_[child]], root);
  return true;
}

void RegisterClasses::unite(Class& kept, Class& merged, VirtualRegister root) const {
  std::vector<Write> writes;
  for (const Class* one : {&kept, &merged})
    std::ranges::copy_if(writes_of(*one), std::back_inserter(writes), [&](const Write& w) {
      return w.copied == tasklist::no_id || representative(w.copied) != root;
    });
  kept.united_range = united(range_of(kept), range_of(merged));
  kept.united_writes = std::move(writes);
  kept.is_united = true;
  merged = {};
}

} // namespace kerncast::machine
