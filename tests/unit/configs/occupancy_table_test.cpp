// CTAs per SM equal the CUDA occupancy calculator's, for every compute capability from 3.0 to 12.1.
#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capability_gpu.h"
#include "configs/occupancy.h"

namespace kerncast::configs::test {
namespace {

struct OccupancyCase {
  std::string capability;
  CtaResources cta;
  std::uint32_t ctas_per_sm;
};

std::vector<OccupancyCase> read_cases() {
  std::ifstream in(data / "occupancy_cases.csv");
  std::vector<OccupancyCase> cases;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#") || line.starts_with("cc,"))
      continue;
    std::istringstream fields(line);
    OccupancyCase c{};
    char comma = 0;
    std::getline(fields, c.capability, ',');
    fields >> c.cta.threads_per_cta >> comma >> c.cta.registers_per_thread >> comma >>
        c.cta.shared_bytes_per_cta >> comma >> c.ctas_per_sm;
    cases.push_back(c);
  }
  return cases;
}

TEST(OccupancyTable, EqualsTheCalculator) {
  const Sandbox sandbox;
  std::map<std::string, Gpu> gpus;
  const std::vector<OccupancyCase> cases = read_cases();
  ASSERT_EQ(cases.size(), 5000U);
  int equal = 0;
  for (const OccupancyCase& c : cases) {
    if (!gpus.contains(c.capability))
      gpus[c.capability] = gpu_of(c.capability, sandbox);
    const auto result = occupancy(c.cta, gpus[c.capability]);
    equal += (result ? result->ctas_per_sm : 0) == c.ctas_per_sm ? 1 : 0;
    EXPECT_EQ(result ? result->ctas_per_sm : 0, c.ctas_per_sm)
        << c.capability << ": " << c.cta.threads_per_cta << " threads, " << c.cta.registers_per_thread
        << " registers, " << c.cta.shared_bytes_per_cta << " bytes";
  }
  EXPECT_EQ(gpus.size(), 24U);
  RecordProperty("equal", equal);
}

} // namespace
} // namespace kerncast::configs::test
