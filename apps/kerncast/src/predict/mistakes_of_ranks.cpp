#include "mistakes_of_ranks.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kerncast::app {
namespace {

using ProblemKind = ranks::Problem::Kind;
using ranks::Problem;

std::string where(const PredictInput& input, std::uint32_t position) {
  return fmt::format("{}:{}", input.source.name(), input.program.step(position).place.line);
}

// The ranks that wait for each other, from the one given back to it; empty if it waits for none of them.
std::vector<std::uint32_t> circle(std::uint32_t rank,
                                  const std::map<std::uint32_t, std::uint32_t>& waits_for) {
  std::vector<std::uint32_t> way = {rank};
  auto next = waits_for.find(rank);
  while (next != waits_for.end() && next->second != rank && way.size() <= waits_for.size()) {
    way.push_back(next->second);
    next = waits_for.find(next->second);
  }
  const bool closes = next != waits_for.end() && next->second == rank && way.size() > 1;
  return closes ? way : std::vector<std::uint32_t>{};
}

class Teller {
public:
  Teller(const PredictInput& input, const std::vector<Problem>& problems) : input_(input) {
    for (const Problem& problem : problems) {
      if (problem.kind == ProblemKind::never_ends && problem.other_rank != problem.rank)
        waits_for_[problem.rank] = problem.other_rank;
      misses_ranks_ = misses_ranks_ || problem.kind == ProblemKind::absent;
    }
  }

  // Another problem says the same: who does not come to a collective, or the first rank of a circle.
  bool is_said(const Problem& problem) const {
    if (problem.kind != ProblemKind::never_ends)
      return false;
    if (problem.other_rank == problem.rank)
      return misses_ranks_;
    const std::vector<std::uint32_t> ranks = circle(problem.rank, waits_for_);
    return !ranks.empty() && *std::min_element(ranks.begin(), ranks.end()) < problem.rank;
  }

  Diagnostic tell(const Problem& problem) const {
    switch (problem.kind) {
    case ProblemKind::never_ends:
      return never_ends(problem);
    case ProblemKind::not_received:
      return at(problem.other_position,
                fmt::format("rank {} never receives the {} bytes that rank {} sends it", problem.rank,
                            problem.other_bytes, problem.other_rank),
                {"add a recv of that rank, or leave this send out"});
    case ProblemKind::other_size:
      return at(problem.position,
                fmt::format("rank {} expects {} bytes of rank {}, which sends {}", problem.rank,
                            problem.bytes, problem.other_rank, problem.other_bytes),
                {fmt::format("the send is at {}", where(input_, problem.other_position))});
    case ProblemKind::other_op:
      return at(
          problem.position,
          fmt::format("rank {} comes to {} of {} bytes where rank {} has come to another collective, of {} "
                      "bytes, another root or another algorithm",
                      problem.rank, ranks::name(problem.op), problem.bytes, problem.other_rank,
                      problem.other_bytes),
          {fmt::format("that is at {}; the n-th collective of every rank is the same",
                       where(input_, problem.other_position))});
    case ProblemKind::absent:
      return at(problem.other_position,
                fmt::format("rank {} never comes to this {}", problem.rank, ranks::name(problem.op)),
                {problem.bytes == 1 ? std::string("all other ranks do")
                                    : fmt::format("{} ranks do not", problem.bytes)});
    }
    return {};
  }

private:
  Diagnostic at(std::uint32_t position, const std::string& message, std::vector<std::string> notes) const {
    return input_.source.error(input_.program.step(position).place, 1, message, std::move(notes));
  }

  Diagnostic never_ends(const Problem& problem) const {
    std::string message =
        fmt::format("rank {} waits for ever: its {}", problem.rank, ranks::name(problem.op));
    std::vector<std::string> notes;
    if (problem.other_rank != problem.rank)
      message += fmt::format(" of {} bytes {} rank {} has no partner", problem.bytes,
                             problem.op == ranks::CommunicationOp::send ? "to" : "from", problem.other_rank);
    else
      message += " is not that of all ranks";
    if (const std::vector<std::uint32_t> ranks = circle(problem.rank, waits_for_); !ranks.empty())
      notes.push_back(
          fmt::format("ranks wait for each other: {}, {}", fmt::join(ranks, ", "), ranks.front()));
    notes.emplace_back("what starts together stands in a group, or on streams of its own");
    return at(problem.position, message, std::move(notes));
  }

  const PredictInput& input_;
  std::map<std::uint32_t, std::uint32_t> waits_for_;
  bool misses_ranks_ = false;
};

} // namespace

Diagnostics mistakes_of_ranks(const PredictInput& input, const std::vector<Problem>& problems,
                              std::size_t error_limit) {
  const Teller teller(input, problems);
  Diagnostics errors;
  for (const Problem& problem : problems) {
    if (error_limit != 0 && errors.size() == error_limit)
      break;
    if (!teller.is_said(problem))
      errors.push_back(teller.tell(problem));
  }
  return errors;
}

} // namespace kerncast::app
