// Where points lie in the unit cube, one coordinate in [0, 1) per axis.
//
// Deterministic: the same seed gives the same points on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace kerncast::sweep {

using Coordinates = std::vector<double>; // one per axis

// Every axis is cut into `points` equal intervals, and each has one point, in its middle (McKay, Beckman and
// Conover, Technometrics 1979, with centred cells).
std::vector<Coordinates> latin_hypercube(std::size_t axes, std::size_t points, std::uint64_t seed);

// The first `points` of Sobol's sequence with the direction numbers of Joe and Kuo (SIAM J. Sci. Comput.
// 2008), each axis shifted bit by bit by the seed (seed 0: not shifted), so that its intervals stay filled.
inline constexpr std::size_t most_sobol_axes = 21;
std::vector<Coordinates> sobol(std::size_t axes, std::size_t points, std::uint64_t seed);

// from * (to / from)^t for t in [0, 1], by square roots only: the same last bit on every machine.
double between_geometrically(double from, double to, double t);

} // namespace kerncast::sweep
