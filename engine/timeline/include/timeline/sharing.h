// Kernels of different streams on one GPU at the same time.
//
// The GPU gives CTAs of a later kernel what the CTAs of earlier ones leave free (CUDA C++ Programming Guide,
// "Concurrent Kernel Execution"). Which SMs those are, and how much what runs there takes from each other, is
// not published; the model stays on the safe side:
// - Kernels start in the order in which they become ready, none overtakes another one.
// - A kernel keeps its SMs, and on each the room of the most CTAs it has there, until it ends. So one that
//   fills the GPU runs alone, its last wave too.
// - Kernels run together if they fit side by side (their SMs together are no more than the GPU has) or one
//   upon the other (on no SM do their CTAs need more than its room), and if the GPU holds so many grids.
// - Together they are slowed down alike, by the sum of what each of them alone keeps busy of its busiest
//   resource, if that is more than 1: of L2 and DRAM bandwidth always, of those of an SM where they share
//   SMs. As if all had the same busiest resource.
// So work is conserved: what a kernel does in a time that it runs at 1/s of its speed, it would do alone in
// 1/s of that time. The whole takes at least the time of the longest kernel, and at most their sum.
// Left out: thread-block clusters' want of neighbouring SMs, caches that they take from each other,
// priorities, CTAs of one kernel in the tail of another one. Whoever simulates kernels on the SMs that they
// share knows better: SimulatedTogether.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace kerncast::timeline {

// What a kernel takes while it runs alone, all from 0 to 1. By default the whole GPU.
struct KernelShare {
  double sms = 1;       // SMs with CTAs of it / SMs
  double residency = 1; // most CTAs that one SM has at a time / CTAs that fit there
  double of_sm = 1;     // time that the busiest resource of such an SM is busy
  double of_gpu = 1;    // likewise of L2 and DRAM bandwidth

  KernelShare& operator+=(const KernelShare& other) {
    sms += other.sms;
    residency += other.residency;
    of_sm += other.of_sm;
    of_gpu += other.of_gpu;
    return *this;
  }
};

// One of several kernels that overlap.
struct BegunKernel {
  std::uint32_t launch = 0; // distinct
  double begin = 0;         // when the GPU gets it, since it got the first one

  friend auto operator<=>(const BegunKernel&, const BegunKernel&) = default;
};

// When each of these ends, in the time of their begins, if no others begin; in the order in which they do, at
// least two of which each begins before those before it have all ended. Others that begin at some time change
// nothing that happens before. Nothing: nobody knows.
using EndsTogether = std::function<std::optional<std::vector<double>>(std::span<const BegunKernel> kernels)>;

// Who knows that.
struct SimulatedTogether {
  EndsTogether ends = {};
  std::size_t most_kernels = 0; // that overlap
};

// By distinct launch; without any, every kernel takes the whole GPU.
struct Concurrency {
  std::span<const KernelShare> shares;
  std::uint32_t grids = 1; // that the GPU holds at a time
  // If it is given, the GPU gets whatever is ready, and shares decide only where nobody knows.
  SimulatedTogether together = {};
};

// What a prediction with such kernels says.
inline constexpr const char* sharing_assumption = "kernels that share the GPU are slowed down by what each "
                                                  "of them alone keeps busy of its busiest resource, "
                                                  "as if that were the same one";

// And one with kernels that were simulated together.
inline constexpr const char* together_assumption =
    "kernels that overlap are simulated on the SMs that they share: all CTAs of a kernel before those of "
    "the next one, each on the SM with most room; L1 is as large as for that of them with the most shared "
    "memory";

// Whether kernels of these shares in all may run together.
bool fit_together(const KernelShare& sum);
// By which each of several kernels of these shares in all runs longer; at least 1.
double slowdown(const KernelShare& sum);

} // namespace kerncast::timeline
