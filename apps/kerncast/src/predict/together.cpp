// Of many parts some go to a worker at once: each time it asks takes it some 0.1 ms. What it finds travels as
// packed bytes.
#include "together.h"

#include <algorithm>
#include <string_view>

#include "support/byte_parts.h"
#include "support/packed_bytes.h"

namespace kerncast::app {
namespace {

constexpr std::size_t questions_of_a_rank = 256;

std::vector<std::string> parts_of(const std::vector<std::string>& told) {
  std::vector<std::string> parts;
  for (const std::string& some : told) {
    const std::string bytes = unpacked(some);
    for (std::string_view left = bytes; !left.empty();)
      parts.emplace_back(take_part(left));
  }
  return parts;
}

// On rank 0.
std::vector<std::string> told_by_all(const Together& all, std::size_t count, const Together::Part& part) {
  const std::size_t questions = questions_of_a_rank * static_cast<std::size_t>(all.cluster.ranks());
  const std::size_t at_once = std::max<std::size_t>(1, (count + questions - 1) / questions);
  std::vector<std::string> told =
      all.cluster.compute((count + at_once - 1) / at_once, all.threads, [&](std::size_t question) {
        std::string some;
        for (std::size_t i = question * at_once; i < std::min(count, (question + 1) * at_once); ++i)
          append_part(all.stopped() ? std::string() : part(i), some);
        return packed(some);
      });
  if (all.cluster.agree({all.stopped() ? 1 : 0, {}}).exit_code != 0)
    throw StoppedTogether{};
  return told;
}

} // namespace

std::vector<std::string> Together::on_root(std::size_t count, const Part& part) const {
  return parts_of(told_by_all(*this, count, part));
}

std::vector<std::string> Together::on_all(std::size_t count, const Part& part) const {
  const std::vector<std::string> told = told_by_all(*this, count, part);
  std::string bytes;
  for (const std::string& some : told)
    append_part(some, bytes);
  bytes = cluster.broadcast(std::move(bytes));
  std::vector<std::string> of_all;
  for (std::string_view left = bytes; !left.empty();)
    of_all.emplace_back(take_part(left));
  return parts_of(of_all);
}

} // namespace kerncast::app
