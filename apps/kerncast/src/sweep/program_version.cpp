#include "sweep/program_version.h"

#include "model_version.h"

namespace kerncast::app {

std::string program_version() { return std::string(KERNCAST_VERSION "+") + model_version; }

} // namespace kerncast::app
