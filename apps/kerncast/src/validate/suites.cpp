#include "suites.h"

namespace kerncast::app {
namespace {

constexpr Suite table[] = {
    {"curves", true, validate_curves},
};

} // namespace

std::span<const Suite> suites() { return table; }

} // namespace kerncast::app
