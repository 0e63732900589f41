// Logarithms and powers of two from IEEE 754's basic operations: the same bits with every library.
#pragma once

namespace kerncast::statistics {

// Base 2, of a positive finite number, to within 1e-15 of what is larger, the logarithm or 1. By the series
// of atanh.
double binary_logarithm(double value);

// 2 to that power, to within 1e-15 of it; 0 or infinity beyond a double's range. By the series of exp.
double power_of_two(double exponent);

} // namespace kerncast::statistics
