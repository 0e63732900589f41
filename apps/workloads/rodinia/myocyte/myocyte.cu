// One evaluation of the rates of a heart muscle cell's 91 values: one thread of the first CTA has the 46 of
// the cell's membrane and calcium, one of the second CTA the three times 15 of calmodulin; the others of each
// warp do nothing. An ordinary differential equations' solver on the host launches it.
#include "model.h"

extern "C" __global__ void kernel(int time_ms, const float* values, float* rates, const float* parameters,
                                  float* calcium) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0)
    myocyte::cell_rates(time_ms, values, parameters, rates);
  else
    myocyte::calmodulin_rates(values, parameters, rates, calcium);
}
