// What the warps of a launch do: by slice execution of the PTX; of a tasklist, which has no values to
// execute, every block once in the order of the text.
#pragma once

#include <cstdint>
#include <optional>

#include "predict/input.h"
#include "tasklist/behaviour.h"

namespace kerncast::app {

// `sample_ctas`: CTAs executed at most to find those that behave alike.
Expected<tasklist::LaunchBehaviour> behaviour_of(const KernelCode& kernel, const LaunchJob& job,
                                                 std::optional<std::uint32_t> sample_ctas);

} // namespace kerncast::app
