#include "register_tuples.h"

#include <algorithm>

namespace kerncast::machine {
namespace {

using tasklist::no_id;
using tasklist::TaskKind;

class TupleFinder {
public:
  TupleFinder(const Draft& draft, std::span<const std::uint8_t> widths) : draft_(draft), widths_(widths) {
    found_.of.assign(draft.register_count(), no_id);
  }

  RegisterTuples run() {
    for (const DraftOp& op : draft_.ops) {
      if (op.op.kind != OpKind::memory || op.op.is_spill)
        continue;
      if (op.op.task_kind == TaskKind::load)
        add(draft_.writes(op), op.op.access_bytes, op.op.space == tasklist::Space::texture);
      else if (op.op.task_kind == TaskKind::store && op.reads.count > 0)
        for (const std::size_t address : {0, 1}) // a variable's name takes no register
          add(draft_.reads(op).subspan(address), op.op.access_bytes, false);
    }
    return std::move(found_);
  }

private:
  // Parts of registers, guards and values that no vector register holds make no tuple. Of texels what nobody
  // reads is not fetched, and the rest lies in pairs (TEX has two results).
  void add(std::span<const VirtualRegister> values, std::uint32_t bytes, bool is_texel) {
    if (values.size() < 2)
      return;
    std::vector<VirtualRegister> tuple;
    std::uint32_t registers = 0;
    for (const VirtualRegister r : values)
      if (draft_.widths[r] != 0) {
        if (widths_[r] == 0 || found_.of[r] != no_id || std::ranges::find(tuple, r) != tuple.end())
          return;
        tuple.push_back(r);
        registers += widths_[r];
      }
    if (tuple.size() < 2 || registers * bytes_per_register != bytes)
      return;
    if (is_texel)
      std::erase_if(tuple, [this](VirtualRegister r) { return !is_read(r); });
    const std::size_t longest = is_texel ? 2 : tuple.size();
    for (std::span<const VirtualRegister> rest = tuple; rest.size() > 1;) {
      const auto part = rest.first(std::min(longest, rest.size()));
      for (const VirtualRegister r : part)
        found_.of[r] = static_cast<std::uint32_t>(found_.tuples.size());
      found_.tuples.emplace_back(part.begin(), part.end());
      rest = rest.subspan(part.size());
    }
  }

  bool is_read(VirtualRegister r) {
    if (is_read_.empty()) {
      is_read_.assign(draft_.register_count(), false);
      for (const DraftOp& op : draft_.ops)
        for (const VirtualRegister read : draft_.reads(op))
          is_read_[read] = true;
    }
    return is_read_[r];
  }

  const Draft& draft_;
  std::span<const std::uint8_t> widths_;
  RegisterTuples found_;
  std::vector<bool> is_read_; // by virtual register; found when first asked for
};

} // namespace

RegisterTuples find_register_tuples(const Draft& draft, std::span<const std::uint8_t> widths) {
  return TupleFinder(draft, widths).run();
}

} // namespace kerncast::machine
