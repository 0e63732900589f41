// Which of a request's executions hit and which miss: numbers that fall evenly on [0, 1), here on 2^64.
//
// A draw is a point of an additive sequence (Weyl's: multiples of an irrational number, modulo 1, are spread
// evenly at any number of them) in which access of which step of its path a warp executes, which warp that
// is, and in which iterations of the loops around the step. It does not depend on when that happens. So the
// levels' shares hold over accesses, steps, warps and iterations, and a warp hits and misses the same way on
// every GPU: what changes the order of warps a little does not change what each of them waits for.
//
// Warps are counted from 1, as a draw of 0 falls in the first level whatever its share, and on the next SM
// from 2 and so on: so SMs that do the same do not miss in the same cycles.
#pragma once

#include <array>
#include <cstdint>

namespace kerncast::engine {

// 2^64 times the fractional parts of irrational numbers of which none is a sum of multiples of the others.
inline constexpr std::uint64_t draw_of_access = 0x9e3779b97f4a7c15ULL; // the golden ratio
inline constexpr std::uint64_t draw_of_step = 0x629a292a367cd507ULL;   // the square root of 29
inline constexpr std::uint64_t draw_of_warp = 0x6a09e667f3bcc908ULL;   // the square root of 2
// Of a loop by its depth: those of 3, 7, 11, 13, 17, 19, 23 and 31; deeper ones begin again.
inline constexpr std::array<std::uint64_t, 8> draw_of_iteration = {
    0xbb67ae8584caa73bULL, 0xa54ff53a5f1d36f1ULL, 0x510e527fade682d1ULL, 0x9b05688c2b3e6c1fULL,
    0x1f83d9abfb41bd6bULL, 0x5be0cd19137e2179ULL, 0xcbbb9d5dc1059ed8ULL, 0x9159015a3070dd17ULL};

inline std::uint64_t iteration_draw(std::uint32_t depth) {
  return draw_of_iteration[depth % draw_of_iteration.size()];
}

} // namespace kerncast::engine
