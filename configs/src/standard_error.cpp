#include "configs/standard_error.h"

#include <string>

namespace kerncast::configs {

double standard_error(const Gpu& gpu, std::string_view key) {
  const auto origin = gpu.origins.find(std::string(key));
  if (origin == gpu.origins.end())
    return 0;
  if (origin->second.error)
    return *origin->second.error;
  switch (origin->second.evidence) {
  case Evidence::measured:
    return error_of_measurements;
  case Evidence::guess:
    return error_of_guesses;
  case Evidence::stated:
  case Evidence::specified:
  case Evidence::follows:
    break;
  }
  return 0;
}

} // namespace kerncast::configs
