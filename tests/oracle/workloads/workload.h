// The PTX of workloads, executed on small inputs beside plain C++ of the same algorithm. The plain form
// computes in doubles, so that neither fused products nor the order of sums matter; tolerances are some float
// roundings.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "device.h"
#include "support/files.h"

namespace kerncast::functional_test {

using Integers = std::vector<std::int32_t>;

inline std::string path_of(const std::string& workload) { // "rodinia/nn"
  return "apps/workloads/" + workload + workload.substr(workload.find('/')) + ".ptx";
}

inline Code workload(const std::string& name, const std::string& kernel) {
  return Code::of_path(path_of(name), kernel);
}

struct Constant {
  template <class T>
  Constant(std::string name, const std::vector<T>& values)
      : variable(std::move(name)), bytes(values.size() * sizeof(T)) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }

  std::string variable; // in constant memory
  std::vector<unsigned char> bytes;
};

// The same with values in variables of constant memory, where a host's copies put them.
inline Code workload_with(const std::vector<Constant>& constants, const std::string& name,
                          const std::string& kernel) {
  const auto source = read_source(std::string(KERNCAST_SOURCE_DIR) + "/" + path_of(name));
  EXPECT_TRUE(source) << render(source.error());
  std::string text(source->text());
  for (const Constant& constant : constants) {
    std::string list;
    for (const unsigned char byte : constant.bytes)
      list += (list.empty() ? " = {" : ", ") + std::to_string(byte);
    const std::size_t declared = text.find(".b8 " + constant.variable + "[");
    EXPECT_NE(declared, std::string::npos) << constant.variable;
    text.insert(text.find(';', declared), list + "}");
  }
  return Code::of_text(text, kernel);
}

inline void expect_near(const std::vector<float>& got, const std::vector<double>& expected,
                        double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k)
    EXPECT_NEAR(got[k], expected[k], tolerance * std::fmax(1, std::fabs(expected[k]))) << "element " << k;
}

inline std::vector<double> doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

inline Argument wide(std::int64_t value) {
  return {Argument::Kind::i64, static_cast<std::uint64_t>(value), 0, 0};
}

// Fails the test where the launch does.
inline void run_shared(Device& device, const Code& code, Dim3 grid, Dim3 block,
                       std::vector<Argument> arguments, std::uint32_t shared_bytes) {
  const auto result = device.try_run(code, grid, block, std::move(arguments), {}, shared_bytes);
  EXPECT_TRUE(result) << error_of(result);
}

inline Argument count(std::size_t value) { return integer(static_cast<std::int32_t>(value)); }

} // namespace kerncast::functional_test
