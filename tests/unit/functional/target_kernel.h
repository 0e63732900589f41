// Small kernels on targets that PTX 9.2 has.
#pragma once

#include "text_kernel.h"

namespace kerncast::functional_test {

inline std::string on_target(const std::string& target, std::string text) {
  const std::string old = ".version 8.0\n.target sm_80";
  text.replace(text.find(old), old.size(), ".version 9.2\n.target " + target);
  return text;
}

// As words_after.
inline std::vector<std::uint32_t> words_after_on(const std::string& target, const std::string& body,
                                                 const std::vector<std::uint32_t>& in,
                                                 std::uint32_t threads = 32,
                                                 const std::string& declarations = {}) {
  const Code code = Code::of_text(on_target(target, text_kernel(body, declarations)));
  Device device;
  const Argument a = device.buffer(in), b = device.buffer(std::vector<std::uint32_t>(threads));
  device.run(code, {1}, {threads}, {a, b, integer(0)});
  return device.read<std::uint32_t>(b);
}

} // namespace kerncast::functional_test
