// Alignment of access i in CTA p = base_i + sum over d of step_i,d * p_d, modulo 128.
#include "alignment_classes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "warp/address_shapes.h"

namespace kerncast::slice {
namespace {

using Steps = std::array<std::uint8_t, 3>; // of one access per CTA in x, y, z, modulo 128

std::uint8_t modulo_line(std::uint64_t x) { return static_cast<std::uint8_t>(x % line_bytes); }

// Steps of every access from the first CTA's neighbours; empty if a neighbour behaves differently.
Expected<std::optional<std::vector<Steps>>> steps_of(const Box& box, const CtaSample& first,
                                                     CtaSampler& sampler) {
  std::vector<Steps> steps(first.phases.size());
  for (std::size_t d = 0; d < 3; ++d) {
    if (box.extent(d) == 1)
      continue;
    Position neighbour = box.first;
    ++neighbour[d];
    const auto next = sampler.sample(neighbour);
    if (!next)
      return tl::unexpected(next.error());
    if ((*next)->signature != first.signature)
      return std::nullopt;
    for (std::size_t i = 0; i < steps.size(); ++i)
      steps[i][d] = modulo_line((*next)->phases[i] + line_bytes - first.phases[i]);
  }
  return steps;
}

bool is_affine(const CtaSample& probe, const CtaSample& first, const std::vector<Steps>& steps) {
  if (probe.signature != first.signature)
    return false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::uint64_t phase = first.phases[i];
    for (std::size_t d = 0; d < 3; ++d)
      phase += std::uint64_t{steps[i][d]} * (probe.at[d] - first.at[d]);
    if (modulo_line(phase) != probe.phases[i])
      return false;
  }
  return true;
}

// CTAs after which all alignments repeat along each dimension, at most its extent.
std::array<std::uint64_t, 3> periods(const Box& box, const std::set<Steps>& steps) {
  std::array<std::uint64_t, 3> result{1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) {
    for (const Steps& s : steps)
      result[d] = std::max(result[d], line_bytes / std::gcd(line_bytes, std::uint64_t{s[d]}));
    result[d] = std::min(result[d], box.extent(d));
  }
  return result;
}

std::vector<AlignmentClass> group_by_alignment(const Box& box, const std::set<Steps>& steps) {
  const auto period = periods(box, steps);
  std::map<std::vector<std::uint32_t>, std::size_t> numbers;
  std::vector<AlignmentClass> classes;
  std::vector<std::uint32_t> key(steps.size());
  for (std::uint64_t r = 0; r < period[0] * period[1] * period[2]; ++r) {
    const std::uint64_t residue[3] = {r % period[0], r / period[0] % period[1], r / period[0] / period[1]};
    std::uint64_t ctas = 1;
    Position at{};
    for (std::size_t d = 0; d < 3; ++d) {
      ctas *= (box.extent(d) - residue[d] + period[d] - 1) / period[d];
      at[d] = box.first[d] + static_cast<std::uint32_t>(residue[d]);
    }
    std::transform(steps.begin(), steps.end(), key.begin(), [&](const Steps& s) {
      return modulo_line(s[0] * residue[0] + s[1] * residue[1] + s[2] * residue[2]);
    });
    const auto [entry, added] = numbers.try_emplace(key, classes.size());
    if (added)
      classes.push_back({at, 0});
    classes[entry->second].ctas += ctas;
  }
  return classes;
}

// Keeps evenly spaced classes, each with the CTAs of those that follow it.
void merge(AlignmentClasses& found) {
  const std::size_t share = (found.classes.size() + max_alignment_classes - 1) / max_alignment_classes;
  found.merged = share > 1;
  std::vector<AlignmentClass> kept;
  for (std::size_t i = 0; i < found.classes.size(); ++i) {
    if (i % share == 0)
      kept.push_back({found.classes[i].representative, 0});
    kept.back().ctas += found.classes[i].ctas;
  }
  found.classes = std::move(kept);
}

} // namespace

Expected<std::optional<AlignmentClasses>>
find_alignment_classes(const Box& box, const std::vector<const CtaSample*>& probes, CtaSampler& sampler) {
  const auto first = sampler.sample(box.first);
  if (!first)
    return tl::unexpected(first.error());
  const auto steps = steps_of(box, **first, sampler);
  if (!steps)
    return tl::unexpected(steps.error());
  if (!*steps)
    return std::nullopt;
  const auto fits = [&](const CtaSample* probe) { return is_affine(*probe, **first, **steps); };
  if (!std::all_of(probes.begin(), probes.end(), fits))
    return std::nullopt;
  AlignmentClasses found;
  found.classes = group_by_alignment(box, std::set<Steps>((*steps)->begin(), (*steps)->end()));
  merge(found);
  for (const AlignmentClass& c : found.classes) {
    const auto representative = sampler.sample(c.representative);
    if (!representative)
      return tl::unexpected(representative.error());
    if (!fits(*representative))
      return std::nullopt;
  }
  return found;
}

} // namespace kerncast::slice
