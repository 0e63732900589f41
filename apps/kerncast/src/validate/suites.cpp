#include "suites.h"

namespace kerncast::app {
namespace {

constexpr Suite suite_table[] = {
    {"papers", false, validate_papers},         {"ppt-lanl", false, validate_ppt_lanl},
    {"curves", true, validate_curves},          {"measured", true, validate_measured},
    {"microbench", false, validate_microbench},
};

} // namespace

std::span<const Suite> suites() { return suite_table; }

} // namespace kerncast::app
