// A valid PTX module made at random: declarations, initial values, nested scopes with equal names, labels,
// debug information, and operands of every form.
#pragma once

#include <string>

#include <rapidcheck.h>

namespace kerncast::ptx {

std::string random_module();

} // namespace kerncast::ptx
