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
  void describe(VirtualRegister r, std::span<const Segment> range, std::vector<Write> writes);

  VirtualRegister representative(VirtualRegister r) const;
  // Makes both one register unless one of them gets another value while the other is needed.
  bool try_merge(VirtualRegister a, VirtualRegister b);
  // Writes of the class that are not copies within it.
  const std::vector<Write>& writes(VirtualRegister r) const { return class_of(r).writes; }
  // Some write of `r`'s class, other than copies of `r` or `other`, lies where `other` is needed.
  bool is_written_within(VirtualRegister r, VirtualRegister other) const;

private:
  struct Class {
    std::vector<Segment> range;
    std::vector<Write> writes;
  };
  const Class& class_of(VirtualRegister r) const { return classes_[class_of_[representative(r)]]; }

  mutable std::vector<VirtualRegister> parents_;
  std::vector<std::uint32_t>
      class_of_; // by representative: in classes_, no_id of registers that take no part
  std::vector<Class> classes_;
};

} // namespace kerncast::machine
