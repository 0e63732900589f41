// The steps of lowering that --without leaves out, whether they change the kernel or its machine program.
#pragma once

#include <string>
#include <vector>

#include "lowering/lower.h"
#include "machine/annotate.h"

namespace kerncast::app {

// What --without takes, each name once.
std::vector<std::string> lowering_steps();

lowering::LowerOptions lower_options(const std::vector<std::string>& without);
machine::AnnotateOptions annotate_options(const std::vector<std::string>& without);

} // namespace kerncast::app
