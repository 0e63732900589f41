// Virtual registers that have become one, with the union of their live ranges.
#pragma once

#include <vector>

#include "live_ranges.h"

namespace kerncast::machine {

class RegisterClasses {
public:
  // A write of a register; `copied` is the register whose value it copies, or no_id.
  struct Write {
    std::uint32_t position = 0;
    VirtualRegister copied = tasklist::no_id;
  };

  explicit RegisterClasses(std::uint32_t registers);
  // Registers take part only once their ranges and writes (ascending) are known here.
  void describe(VirtualRegister r, std::span<const Segment> range, std::span<const Write> writes);

  VirtualRegister representative(VirtualRegister r) const;
  // Makes both one register unless one of them gets another value while the other is needed.
  bool try_merge(VirtualRegister a, VirtualRegister b);
  // Writes of the class that are not copies within it.
  std::span<const Write> writes(VirtualRegister r) const { return writes_of(class_of(r)); }
  // Some write of `r`'s class, other than copies of `r` or `other`, lies where `other` is needed.
  bool is_written_within(VirtualRegister r, VirtualRegister other) const;

private:
  struct Class {
    tasklist::Range range, writes; // of the one register that it began with, in segments_ and writes_
    bool is_united = false;        // of several by now:
    std::vector<Segment> united_range;
    std::vector<Write> united_writes;
  };
  const Class& class_of(VirtualRegister r) const { return classes_[class_of_[representative(r)]]; }
  std::span<const Segment> range_of(const Class& c) const {
    return c.is_united ? c.united_range : std::span(segments_).subspan(c.range.begin, c.range.count);
  }
  std::span<const Write> writes_of(const Class& c) const {
    return c.is_united ? c.united_writes : std::span(writes_).subspan(c.writes.begin, c.writes.count);
  }
  void unite(Class& kept, Class& merged, VirtualRegister root) const;

  mutable std::vector<VirtualRegister> parents_;
  std::vector<std::uint32_t>
      class_of_; // by representative: in classes_, no_id of registers that take no part
  std::vector<Class> classes_;
  std::vector<Segment> segments_;
  std::vector<Write> writes_;
};

} // namespace kerncast::machine
