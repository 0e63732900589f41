// The iterations of one run through a loop, repetitions folded while they arrive.
//
// Iterations are numbers (equal numbers: equal iterations). A pattern of up to max_period iterations that
// repeats is kept once with its count.
#pragma once

#include <cstdint>
#include <vector>

namespace kerncast::warp {

class LoopRun {
public:
  // Alignments within a 128-byte line repeat after at most 128 iterations.
  static constexpr std::size_t max_period = 128;

  void append(std::uint32_t iteration);
  // Iterations of the pattern now repeating, 0 if none does.
  std::size_t period() const { return body_.size(); }
  // Iterations covered by the repetition now going on.
  std::uint64_t steady_iterations() const { return count_ * body_.size() + matched_; }
  // As if the pattern had come that many times more.
  void repeat(std::uint64_t times) { count_ += times; }
  // All segments: length, count (low, high word), that many iterations; and so on. Resets the run.
  std::vector<std::uint32_t> close();

private:
  void fold_tail();
  void end_repetition();
  void emit(std::uint64_t count, const std::uint32_t* begin, const std::uint32_t* end);
  void emit_tail();

  std::vector<std::uint32_t> segments_; // closed
  std::vector<std::uint32_t> tail_;     // no repetition found in it yet
  std::vector<std::uint32_t> body_;     // the pattern now repeating, empty if none
  std::uint64_t count_ = 0;             // complete repetitions of body_
  std::size_t matched_ = 0;             // iterations of the next repetition seen
};

} // namespace kerncast::warp
