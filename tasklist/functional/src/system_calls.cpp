// The driver's functions, thread by thread.
#include <bit>

#include <fmt/format.h>

#include "host_bytes.h"
#include "memory_unit.h"
#include "print_format.h"

namespace kerncast::functional {
namespace {

using warp::LaneFile;
using warp::LaneMask;
using warp::MemoryOp;
using warp::Pool;
using warp::SystemCall;

} // namespace

// A generic address.
std::optional<std::uint64_t> MemoryUnit::value_at(std::uint64_t address, std::uint32_t lane,
                                                  std::uint32_t bytes) {
  MemoryOp load;
  load.type = ptx::Type::b8;
  addresses_[lane] = address;
  if (!resolve_lane(load, ptx::Space::generic, lane, bytes, false))
    return std::nullopt;
  return read_bytes(places_[lane], bytes);
}

// Up to its zero.
std::optional<std::string> MemoryUnit::text_at(std::uint64_t address, std::uint32_t lane, std::size_t most) {
  std::string text;
  while (text.size() < most) {
    const auto byte = value_at(address + text.size(), lane, 1);
    if (!byte)
      return std::nullopt;
    if (*byte == 0)
      break;
    text.push_back(static_cast<char>(*byte));
  }
  return text;
}

bool MemoryUnit::system_call(const SystemCall& call, LaneMask lanes, LaneFile& file) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    CallArguments arguments{};
    for (std::size_t i = 0; i < arguments.size() && call.arguments[i].pool != Pool::none; ++i)
      arguments[i] = lane_value(file, call.arguments[i], lane);
    const std::optional<std::uint64_t> result = system_call(call.kind, arguments, lane);
    if (!result)
      return false;
    set_lane_value(file, call.result, lane, *result);
  }
  return true;
}

std::optional<std::uint64_t> MemoryUnit::system_call(SystemCall::Kind kind, const CallArguments& arguments,
                                                     std::uint32_t lane) {
  switch (kind) {
  case SystemCall::Kind::print:
    return print(arguments[0], arguments[1], lane);
  case SystemCall::Kind::assertion:
    fail_assertion(arguments, lane);
    return std::nullopt;
  case SystemCall::Kind::allocate:
    return space_.allocate(arguments[0]);
  case SystemCall::Kind::release:
    if (arguments[0] != 0 && !space_.release(arguments[0])) {
      fail(fmt::format("free of {}, which malloc did not give, or which is free already",
                       space_.describe(arguments[0])),
           lane, "free what malloc gave, once");
      return std::nullopt;
    }
    window_ = {};
    return 0;
  }
  return 0;
}

// Of the arguments, which lie one behind the other, each at a multiple of its size.
std::optional<std::uint64_t> MemoryUnit::print(std::uint64_t format, std::uint64_t list, std::uint32_t lane) {
  constexpr std::uint64_t null_format = ~std::uint64_t{0}; // -1
  if (format == 0)
    return null_format;
  const auto text = text_at(format, lane, most_printed);
  if (!text)
    return std::nullopt;
  std::uint64_t at = list;
  const PrintSource source{
      space_.address_bytes(),
      [&](std::uint32_t bytes) {
        at = (at + bytes - 1) / bytes * bytes + bytes;
        return value_at(at - bytes, lane, bytes);
      },
      [&](std::uint64_t address, std::size_t most) { return text_at(address, lane, most); }};
  const auto printed = format_printed(*text, source);
  if (!printed)
    return std::nullopt;
  if (printed_->size() <= most_printed)
    printed_->append(printed->text);
  return printed->arguments;
}

void MemoryUnit::fail_assertion(const CallArguments& arguments, std::uint32_t lane) {
  const auto text = [&](std::size_t i) { return text_at(arguments[i], lane, most_printed).value_or("?"); };
  const std::string what = text(0), file = text(1), function = text(3);
  fail(fmt::format("assertion `{}' failed", what), lane,
       fmt::format("{}:{}, in {}", file, static_cast<std::uint32_t>(arguments[2]), function));
}

} // namespace kerncast::functional
