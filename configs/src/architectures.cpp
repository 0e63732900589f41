// Sizes: CUDA C++ programming guide, the sections on shared memory of each compute capability.
#include "architectures.h"

#include <algorithm>
#include <iterator>

namespace kerncast::configs {
namespace {

constexpr Capability capabilities[] = {
    {1, 0, "tesla"},           {1, 1, "tesla"},           {1, 2, "tesla"},
    {1, 3, "tesla"},           {2, 0, "fermi"},           {2, 1, "fermi"},
    {3, 0, "gk10x"},           {3, 2, "gk10x"},           {3, 5, "kepler"},
    {3, 7, "kepler"},          {5, 0, "maxwell"},         {5, 2, "maxwell"},
    {5, 3, "maxwell"},         {6, 0, "pascal"},          {6, 1, "pascal"},
    {6, 2, "pascal"},          {7, 0, "volta", 128},      {7, 2, "volta", 128},
    {7, 5, "turing", 96},      {8, 0, "ampere", 192},     {8, 6, "ga10x", 128},
    {8, 7, "ga10x", 192},      {8, 9, "ada", 128},        {9, 0, "hopper", 256},
    {10, 0, "blackwell", 256}, {10, 1, "blackwell", 256}, {10, 3, "blackwell", 256},
    {11, 0, "blackwell", 256}, {12, 0, "gb20x", 128},     {12, 1, "gb20x", 128}};

} // namespace

const Capability* capability(std::uint32_t major, std::uint32_t minor) {
  const auto* const found =
      std::find_if(std::begin(capabilities), std::end(capabilities),
                   [&](const Capability& c) { return c.major == major && c.minor == minor; });
  return found == std::end(capabilities) ? nullptr : found;
}

std::string_view family_of(std::string_view architecture) {
  return architecture.substr(0, architecture.find('-'));
}

bool is_real(std::string_view architecture) {
  return std::any_of(std::begin(capabilities), std::end(capabilities),
                     [&](const Capability& c) { return c.architecture == family_of(architecture); });
}

} // namespace kerncast::configs
