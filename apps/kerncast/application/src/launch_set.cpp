#include "launch_set.h"

#include <bit>
#include <utility>

namespace kerncast::application {
namespace {

// The launch as bytes that are equal exactly when the launches are.
class Key {
public:
  Key& operator<<(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte)
      bytes_.push_back(static_cast<char>(value >> (8 * byte) & 0xff));
    return *this;
  }
  Key& operator<<(double value) { return *this << std::bit_cast<std::uint64_t>(value); }
  Key& operator<<(const std::string& text) {
    *this << std::uint64_t{text.size()};
    bytes_ += text;
    return *this;
  }
  Key& operator<<(const tasklist::Dim3& extent) {
    return *this << std::uint64_t{extent.x} << std::uint64_t{extent.y} << std::uint64_t{extent.z};
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

void add_arguments(const tasklist::Launch& launch, Key& key) {
  const auto add = [&](const tasklist::Argument& a) {
    key << static_cast<std::uint64_t>(a.kind) << a.bits << std::uint64_t{a.buffer} << a.buffer_bytes;
  };
  key << std::uint64_t{launch.arguments.size()};
  for (const tasklist::Argument& a : launch.arguments)
    add(a);
  key << std::uint64_t{launch.members.size()};
  for (const tasklist::StructMember& m : launch.members) {
    key << std::uint64_t{m.argument} << std::uint64_t{m.offset} << std::uint64_t{m.bytes};
    add(m.value);
  }
}

void add_facts(const tasklist::ControlFacts& facts, Key& key) {
  key << std::uint64_t{facts.branch_taken.size()};
  for (const auto& [label, taken] : facts.branch_taken)
    key << label << taken;
  key << std::uint64_t{facts.loop_trips.size()};
  for (const auto& [label, trips] : facts.loop_trips)
    key << label << trips;
  key << std::uint64_t{facts.addresses.size()};
  for (const auto& [line, fact] : facts.addresses)
    key << line << static_cast<std::uint64_t>(fact.spread) << static_cast<std::uint64_t>(fact.stride);
  key << std::uint64_t{facts.buffer_addresses.size()};
  for (const auto& [buffer, fact] : facts.buffer_addresses)
    key << std::uint64_t{buffer} << static_cast<std::uint64_t>(fact.spread)
        << static_cast<std::uint64_t>(fact.stride);
}

std::string key_of(const DistinctLaunch& distinct) {
  const tasklist::Launch& launch = distinct.launch;
  Key key;
  key << distinct.kernel << launch.grid << launch.block << std::uint64_t{launch.dynamic_shared_bytes}
      << std::uint64_t{launch.registers.value_or(0)}
      << (launch.spill_store_bytes ? *launch.spill_store_bytes + std::uint64_t{1} : 0)
      << launch.cluster.value_or(tasklist::Dim3{0, 0, 0});
  add_arguments(launch, key);
  add_facts(launch.facts, key);
  if (distinct.hit_rates)
    key << distinct.hit_rates->l1 << distinct.hit_rates->l2;
  return key.take();
}

} // namespace

std::uint32_t LaunchSet::add(DistinctLaunch launch) {
  const auto [found, is_new] =
      numbers_.try_emplace(key_of(launch), static_cast<std::uint32_t>(launches_.size()));
  if (is_new)
    launches_.push_back(std::move(launch));
  else
    launches_[found->second].launches += launch.launches;
  return found->second;
}

} // namespace kerncast::application
