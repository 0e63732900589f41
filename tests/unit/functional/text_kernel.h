// Small kernels in PTX.
#pragma once

#include "device.h"

namespace kerncast::functional_test {

// A kernel with parameters `a` and `b` (64 bits) and `n` (32), in %a, %b and %n; the thread's index in its
// CTA is in %t, its byte offset for 4-byte elements in %o, the addresses of its elements in %pa and %pb.
inline std::string text_kernel(const std::string& body, const std::string& declarations = {}) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + declarations +
         ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
         ".reg .pred %p, %q;\n.reg .b16 %h, %g;\n.reg .b32 %t, %n, %x, %y, %z, %w;\n"
         ".reg .b64 %a, %b, %o, %pa, %pb, %l, %m;\n.reg .f32 %f, %e;\n.reg .f64 %d;\n"
         "ld.param.u64 %a, [a];\nld.param.u64 %b, [b];\nld.param.u32 %n, [n];\n"
         "mov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 4;\nadd.s64 %pa, %a, %o;\nadd.s64 %pb, %b, %o;\n" +
         body + "\nret;\n}\n";
}

// A declaration of 128 words of shared memory.
inline const std::string shared_words = ".shared .align 4 .b8 s[512];\n";

// A kernel's text for the first target with clusters.
inline std::string sm_90(std::string text) { return text.replace(text.find("sm_80"), 5, "sm_90"); }

// What one CTA of `threads` threads leaves in b (one word per thread, from `in` in a).
inline std::vector<std::uint32_t> words_after(const std::string& body, const std::vector<std::uint32_t>& in,
                                              std::uint32_t threads = 32, std::int32_t n = 0,
                                              const std::string& declarations = {}) {
  const Code code = Code::of_text(text_kernel(body, declarations));
  Device device;
  const Argument a = device.buffer(in), b = device.buffer(std::vector<std::uint32_t>(threads));
  device.run(code, {1}, {threads}, {a, b, integer(n)});
  return device.read<std::uint32_t>(b);
}

inline std::vector<std::uint32_t> iota_words(std::uint32_t count) {
  return generated<std::uint32_t>(count, [](std::uint32_t k) { return k; });
}

} // namespace kerncast::functional_test
