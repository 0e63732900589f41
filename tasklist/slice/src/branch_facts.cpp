// Keys are matched once per launch; the choices use Kronecker's sequence with the plastic number (Roberts:
// The Unreasonable Effectiveness of Quasirandom Sequences, R2).
#include "branch_facts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kerncast::slice {
namespace {

bool names(const std::string& key, const std::string& label, std::uint32_t line) {
  return (!label.empty() && key == label) || (line != 0 && key == std::to_string(line));
}

bool set_branch(const Program& program, const std::string& key, double probability, BranchFacts& facts) {
  bool found = false;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    const Terminator& t = program.blocks[b].terminator;
    if (t.kind == Terminator::Kind::branch && names(key, t.label, t.line)) {
      facts.taken[b] = probability;
      found = true;
    }
  }
  for (std::uint32_t s = 0; s < program.steps.size(); ++s)
    if (program.steps[s].kind == Step::Kind::exit && names(key, "", program.steps[s].line)) {
      facts.exit_taken[s] = probability;
      found = true;
    }
  return found;
}

bool set_loop(const Program& program, const std::string& key, std::uint64_t trips, BranchFacts& facts) {
  bool found = false;
  for (std::size_t l = 0; l < program.loops.size(); ++l)
    if (names(key, program.loops[l].label, program.loops[l].line)) {
      facts.trips[l] = trips;
      found = true;
    }
  return found;
}

bool set_addresses(const Program& program, const std::string& key, const tasklist::AddressFact& fact,
                   BranchFacts& facts) {
  bool found = false;
  for (std::size_t a = 0; a < program.accesses.size(); ++a)
    if (names(key, "", program.accesses[a].line)) {
      facts.addresses[a] = fact;
      found = true;
    }
  return found;
}

// The buffer to which the parameters point; none if there are several, or one whose value is not known.
const tasklist::Argument* only_buffer(const tasklist::Launch& launch,
                                      const std::vector<std::uint32_t>& parameters) {
  const tasklist::Argument* found = nullptr;
  bool is_one = true;
  const auto add = [&](const tasklist::Argument& a) {
    if (a.kind != tasklist::Argument::Kind::buffer)
      return;
    is_one = is_one && (found == nullptr || found->buffer == a.buffer);
    found = &a;
  };
  for (const std::uint32_t p : parameters) {
    if (p >= launch.arguments.size() || launch.arguments[p].kind == tasklist::Argument::Kind::unknown)
      return nullptr;
    add(launch.arguments[p]);
    for (const tasklist::StructMember& member : launch.members)
      if (member.argument == p)
        add(member.value);
  }
  return is_one ? found : nullptr;
}

void set_buffer_addresses(const Program& program, const tasklist::Launch& launch, BranchFacts& facts) {
  for (std::size_t a = 0; a < program.accesses.size() && !launch.facts.buffer_addresses.empty(); ++a) {
    const tasklist::Argument* buffer =
        facts.addresses[a] ? nullptr : only_buffer(launch, program.address_parameters[a]);
    const auto fact = buffer == nullptr ? launch.facts.buffer_addresses.end()
                                        : launch.facts.buffer_addresses.find(buffer->buffer);
    if (fact == launch.facts.buffer_addresses.end())
      continue;
    facts.addresses[a] = fact->second;
    facts.ranges[a] = {buffer_address(buffer->buffer, program.address_bits), buffer->buffer_bytes};
  }
}

Diagnostic error(std::string message, std::string note) {
  Diagnostic d;
  d.message = std::move(message);
  d.notes.push_back(std::move(note));
  return d;
}

// "lines 12 ($L__BB0_3), 40": what a key may name.
std::string branch_places(const Program& program) {
  std::string text;
  for (const BlockProgram& b : program.blocks)
    if (b.terminator.kind == Terminator::Kind::branch)
      text += fmt::format("{}line {} ({})", text.empty() ? "" : ", ", b.terminator.line, b.terminator.label);
  return text.empty() ? "the kernel has no conditional branch" : "conditional branches: " + text;
}

std::string loop_places(const Program& program) {
  std::string text;
  for (const LoopProgram& l : program.loops)
    text += fmt::format("{}line {} ({})", text.empty() ? "" : ", ", l.line, l.label);
  return (text.empty() ? "the kernel has no loop" : "loops: " + text) +
         "; loops of few trips, which the text tells, are unrolled and have no facts (--without unrolling "
         "keeps them)";
}

std::string access_places(const Program& program) {
  std::set<std::uint32_t> lines;
  for (const AccessStep& access : program.accesses)
    if (access.space != tasklist::Space::param)
      lines.insert(access.line);
  return lines.empty() ? "the kernel accesses no memory"
                       : fmt::format("it accesses memory in the lines {}", fmt::join(lines, ", "));
}

} // namespace

Expected<BranchFacts> resolve_facts(const Program& program, const tasklist::Launch& launch) {
  const tasklist::ControlFacts& facts = launch.facts;
  BranchFacts resolved;
  resolved.taken.resize(program.blocks.size());
  resolved.trips.resize(program.loops.size());
  resolved.addresses.resize(program.accesses.size());
  resolved.ranges.resize(program.accesses.size());
  resolved.draws_lots = std::ranges::any_of(
      facts.branch_taken, [](const auto& fact) { return fact.second > 0 && fact.second < 1; });
  Diagnostics errors;
  for (const auto& [key, probability] : facts.branch_taken) {
    if (!(probability >= 0 && probability <= 1))
      errors.push_back(error(fmt::format("branch '{}' of kernel {}: probability {} is outside [0, 1]", key,
                                         program.kernel, probability),
                             "give the share of warps that take the branch"));
    else if (!set_branch(program, key, probability, resolved))
      errors.push_back(error(fmt::format("kernel {} has no conditional branch '{}'", program.kernel, key),
                             branch_places(program)));
  }
  for (const auto& [key, trips] : facts.loop_trips)
    if (!set_loop(program, key, trips, resolved))
      errors.push_back(
          error(fmt::format("kernel {} has no loop '{}'", program.kernel, key), loop_places(program)));
  for (const auto& [key, fact] : facts.addresses)
    if (!set_addresses(program, key, fact, resolved))
      errors.push_back(
          error(fmt::format("kernel {} has no access to memory in line '{}'", program.kernel, key),
                access_places(program)));
  set_buffer_addresses(program, launch, resolved);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return resolved;
}

bool is_taken(double probability, std::uint64_t warp, std::uint64_t visit) {
  // 1/g and 1/g^2 in units of 2^-64, g = 1.3247179572447460 (g^3 = g + 1).
  constexpr std::uint64_t step_per_warp = 0xc13fa9a902a6328fULL;
  constexpr std::uint64_t step_per_visit = 0x91e10da5c79e7b1dULL;
  const std::uint64_t position = (warp + 1) * step_per_warp + (visit + 1) * step_per_visit;
  return static_cast<double>(position >> 11) * 0x1p-53 < probability;
}

} // namespace kerncast::slice
