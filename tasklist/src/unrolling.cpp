// Fits to 2, 4, ... 256 trips of bodies of fused multiply-adds with 0 to 32 loads. In a loop within a loop,
// loads and stores of shared memory raise the limit by the root of their number and one, up to sm_89. So do
// trips of loops within that are unrolled already, everywhere, each by half as much.
#include "tasklist/unrolling.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tasklist/operation.h"

namespace kerncast::tasklist {

namespace {

constexpr std::uint32_t first_without_shared = 90; // sm_90: shared memory is nothing special
constexpr std::uint32_t first_with_copied_shuffles = 90;
constexpr std::uint32_t first_with_short_matrices = 90;

double common_limit(double trips) { return std::min(344 + 14 * trips, 850 + 2.7 * trips); }

double raised_limit(double trips, double raising) {
  return std::min(310 + 19 * trips, 650 + 8.5 * trips) * std::sqrt(1 + raising);
}

// Around loops that are unrolled already.
double outer_limit(double trips, double inner_trips, double shared_accesses, bool is_within_loop) {
  return (is_within_loop ? 0.9 : 1) * raised_limit(trips, 0.5 + inner_trips / 2 + shared_accesses);
}

// Quotients of 64-bit integers, and what is rounded exactly, save for short quotients of integers.
bool has_slow_path(std::string_view operation) {
  const std::string_view opcode = operation.substr(0, operation.find('.'));
  if (opcode == "rsqrt")
    return operation.ends_with(".f64");
  if (opcode != "div" && opcode != "rem" && opcode != "rcp" && opcode != "sqrt")
    return false;
  bool has = operation.ends_with(".s64") || operation.ends_with(".u64");
  for_each_part(operation, [&](std::string_view part) {
    has |= part == "rn" || part == "rz" || part == "rm" || part == "rp";
  });
  return has;
}

// In registers of a warp; those of warp groups (wgmma) are none.
bool is_of_matrices(std::string_view operation) {
  constexpr std::string_view names[] = {"mma.", "wmma.", "ldmatrix.", "stmatrix.", "movmatrix."};
  return std::ranges::any_of(names, [&](std::string_view name) { return operation.starts_with(name); });
}

} // namespace

bool needs_whole_warp(const Task& task, std::string_view operation) {
  return task.kind == TaskKind::warp_sync ||
         (task.kind != TaskKind::barrier && operation.find(".sync") != operation.npos);
}

MatrixWeight weight_of_matrices(const Task& task, std::string_view operation, std::uint32_t target) {
  if (!is_of_matrices(operation))
    return {};
  const bool is_short = target >= first_with_short_matrices;
  if (!is_memory(task.kind))
    return is_short && operation.starts_with("mma.") ? MatrixWeight{1, 1} : MatrixWeight{2, 1};
  if (!operation.starts_with("wmma."))
    return is_short ? MatrixWeight{2, 1} : MatrixWeight{4, 2};
  return task.space == Space::shared ? MatrixWeight{16, 8} : MatrixWeight{10, 10};
}

bool allows_unrolling(const Task& task, std::string_view operation, std::uint32_t target) {
  const bool may_be_copied =
      !needs_whole_warp(task, operation) || is_of_matrices(operation) || target >= first_with_copied_shuffles;
  const bool is_fence = task.kind == TaskKind::fence && !operation.starts_with("cp.async.");
  return may_be_copied && !is_fence && task.kind != TaskKind::exit && !operation.starts_with("brx") &&
         !operation.starts_with("tcgen05") && !operation.starts_with("wgmma") && !has_slow_path(operation);
}

std::uint32_t target_number(std::string_view target) {
  const std::size_t digits = std::min(target.find('_'), target.size() - 1) + 1;
  std::uint32_t number = 0;
  std::from_chars(target.data() + digits, target.data() + target.size(), number);
  return number;
}

bool is_unrolled_completely(const Loop& loop, const UnrolledBody& body, std::uint32_t target) {
  const auto trips = static_cast<double>(body.trips);
  const bool is_within_loop = loop.parent != no_id;
  const bool shared_counts = is_within_loop && target < first_without_shared;
  const double shared_accesses = shared_counts ? static_cast<double>(body.shared_accesses) : 0;
  double limit = common_limit(trips);
  if (body.inner_trips > 0)
    limit = outer_limit(trips, static_cast<double>(body.inner_trips), shared_accesses, is_within_loop);
  else if (shared_accesses > 0)
    limit = raised_limit(trips, shared_accesses);
  return trips * static_cast<double>(body.weight) <= limit;
}

} // namespace kerncast::tasklist
