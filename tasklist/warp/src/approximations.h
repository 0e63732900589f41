// Transcendental functions of single-precision accuracy, computed in doubles from additions, multiplications
// and divisions alone, so that every machine gives the same bits. More accurate than the manual asks of
// .approx (PTX ISA, section 9.7.3), so the device's last bits may differ.
#pragma once

namespace kerncast::warp {

double approximate_exp2(double x);
double approximate_log2(double x);
double approximate_sine(double x);
double approximate_cosine(double x);
double approximate_tanh(double x);

} // namespace kerncast::warp
