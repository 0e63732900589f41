// Which program computed rows: its version, and a hash of all sources that predictions depend on.
#pragma once

#include <string>

namespace kerncast::app {

std::string program_version(); // "0.1.0+0123456789abcdef"

} // namespace kerncast::app
