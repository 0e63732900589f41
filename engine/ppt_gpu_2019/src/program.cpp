#include "program.h"

#include <utility>

#include "ppt_gpu_2019/model.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

constexpr std::uint32_t unread = UINT32_MAX;

Port port_of(ItemKind kind) {
  switch (kind) {
  case ItemKind::ialu:
  case ItemKind::falu:
    return Port::sp;
  case ItemKind::dalu:
    return Port::dp;
  case ItemKind::sfu:
    return Port::sf;
  case ItemKind::shared:
    return Port::shared;
  case ItemKind::thread_sync:
    return Port::barrier;
  default:
    return Port::ls;
  }
}

double latency_of(const Item& item, const Hardware& hardware, double amat) {
  switch (item.kind) {
  case ItemKind::global:
    return amat;
  case ItemKind::global_other:
    return hardware.l2_latency + hardware.l2_to_global_latency;
  case ItemKind::shared:
    return hardware.shared_latency;
  case ItemKind::local:
    return hardware.local_latency;
  case ItemKind::param:
  case ItemKind::constant:
    return hardware.constant_latency;
  case ItemKind::texture:
    return hardware.texture_latency;
  default:
    return item.latency;
  }
}

// Index of the last item that reads each item's completion, `unread` if none does.
std::vector<std::uint32_t> last_readers(const Input& input) {
  std::vector<std::uint32_t> last(input.items.size(), unread);
  for (std::uint32_t i = 0; i < input.items.size(); ++i)
    for (const std::uint32_t d : input.dependencies_of(input.items[i]))
      last[d] = i;
  return last;
}

// Hands out slots, the ones given back first.
class Slots {
public:
  std::uint32_t take() {
    if (free_.empty())
      return count_++;
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::uint32_t slot) { free_.push_back(slot); }
  std::uint32_t count() const { return count_; }

private:
  std::vector<std::uint32_t> free_;
  std::uint32_t count_ = first_free_slot;
};

class Compiler {
public:
  explicit Compiler(const Input& input)
      : input_(input), amat_(average_memory_access_time(input.hardware, input.launch.l2_hit)),
        last_reader_(last_readers(input)), slot_of_(input.items.size(), unread_slot) {}

  Program run() {
    program_.ops.reserve(input_.items.size());
    for (std::uint32_t i = 0; i < input_.items.size(); ++i)
      program_.ops.push_back(compile_item(i));
    program_.slot_count = slots_.count();
    return std::move(program_);
  }

private:
  Op compile_item(std::uint32_t i) {
    const Item& item = input_.items[i];
    Op op{.latency = latency_of(item, input_.hardware, amat_), .port = port_of(item.kind)};
    if (op.port == Port::barrier) {
      op.sources[0] = latest_slot;
      op.latency = 0;
      slot_of_[i] = zero_slot;
      return op;
    }
    read_dependencies(i, op);
    if (last_reader_[i] != unread)
      op.destination = slot_of_[i] = slots_.take();
    return op;
  }

  void read_dependencies(std::uint32_t i, Op& op) {
    op.first_more = static_cast<std::uint32_t>(program_.more_sources.size());
    std::size_t place = 0;
    for (const std::uint32_t d : input_.dependencies_of(input_.items[i])) {
      if (place < op.sources.size())
        op.sources[place++] = slot_of_[d];
      else
        program_.more_sources.push_back(slot_of_[d]);
      const bool read_for_good = last_reader_[d] == i && slot_of_[d] >= first_free_slot;
      if (!read_for_good)
        continue;
      slots_.give_back(slot_of_[d]);
      last_reader_[d] = unread; // an item may name one dependency twice
    }
    op.more_count = static_cast<std::uint32_t>(program_.more_sources.size()) - op.first_more;
  }

  const Input& input_;
  double amat_;
  std::vector<std::uint32_t> last_reader_;
  std::vector<std::uint32_t> slot_of_; // by item
  Slots slots_;
  Program program_;
};

} // namespace

Program compile(const Input& input) { return Compiler(input).run(); }

} // namespace kerncast::ppt_gpu_2019
