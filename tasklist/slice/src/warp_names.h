// Slice execution speaks of decoded kernels, lanes and recorded paths throughout.
#pragma once

namespace kerncast::warp {}

namespace kerncast::slice {
using namespace warp;
}
