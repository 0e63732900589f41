// Observes the result of one instruction through an address: lane 0 stores at address 0, every other lane
// at the instruction's result, so the shape's offsets are the results themselves, bit for bit.
#pragma once

#include <optional>

#include "slice_fixture.h"

namespace kerncast::slice_test {

using U64 = std::uint64_t;

// Operands of lane i: a * (2i+1), b + i, c. Registers: %a %b %c (64 bits), %ra %rb %rc (32), %ha %hb %hc
// (16), %fa %fb (f32 of %ra, %rb), %da %db (f64 of %a, %b), %pa %pb (a bit 0, b bit 0).
inline std::uint64_t operand_a(std::uint64_t a, std::uint32_t lane) { return a * (2 * lane + 1); }
inline std::uint64_t operand_b(std::uint64_t b, std::uint32_t lane) { return b + lane; }

// `instruction` writes %result (64 bits), %word (32 bits), %half (16 bits), %float, %double or %truth; the
// kernel widens that one to 64 bits without sign.
inline std::string probe_kernel(const std::string& instruction) {
  const auto writes = [&](const char* name) { return instruction.find(name) != std::string::npos; };
  std::string widen;
  if (writes("%half"))
    widen = "cvt.u64.u16 %result, %half;\n";
  else if (writes("%float"))
    widen = "mov.b32 %word, %float;\ncvt.u64.u32 %result, %word;\n";
  else if (writes("%double"))
    widen = "mov.b64 %result, %double;\n";
  else if (writes("%truth"))
    widen = "selp.u64 %result, 1, 0, %truth;\n";
  else if (writes("%word"))
    widen = "cvt.u64.u32 %result, %word;\n";
  return ".version 8.6\n.target sm_90\n.address_size 64\n"
         ".visible .entry probe(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
         ".reg .pred %pa, %pb, %pc, %truth, %other, %first;\n"
         ".reg .b16 %ha, %hb, %hc, %half;\n"
         ".reg .b32 %lane, %ra, %rb, %rc, %word, %one;\n"
         ".reg .f32 %fa, %fb, %float;\n.reg .f64 %da, %db, %double;\n"
         ".reg .b64 %a, %b, %c, %wide, %odd, %result, %address;\n"
         "mov.u32 %lane, %laneid;\n"
         "ld.param.u64 %a, [a];\nld.param.u64 %b, [b];\nld.param.u64 %c, [c];\n"
         "cvt.u64.u32 %wide, %lane;\n"
         "shl.b64 %odd, %wide, 1;\nadd.u64 %odd, %odd, 1;\n"
         "mul.lo.u64 %a, %a, %odd;\nadd.u64 %b, %b, %wide;\n"
         "cvt.u32.u64 %ra, %a;\ncvt.u32.u64 %rb, %b;\ncvt.u32.u64 %rc, %c;\n"
         "cvt.u16.u64 %ha, %a;\ncvt.u16.u64 %hb, %b;\ncvt.u16.u64 %hc, %c;\n"
         "mov.b32 %fa, %ra;\nmov.b32 %fb, %rb;\nmov.b64 %da, %a;\nmov.b64 %db, %b;\n"
         "and.b32 %one, %ra, 1;\nsetp.ne.u32 %pa, %one, 0;\n"
         "and.b32 %one, %rb, 1;\nsetp.ne.u32 %pb, %one, 0;\n"
         "and.b32 %one, %rc, 1;\nsetp.ne.u32 %pc, %one, 0;\n" +
         instruction + "\n" + widen +
         "setp.eq.u32 %first, %lane, 0;\n"
         "selp.b64 %address, 0, %result, %first;\n"
         "st.global.u32 [%address], %lane;\nret;\n}\n";
}

class InstructionProbe {
public:
  explicit InstructionProbe(const std::string& instruction)
      : kernel_(Kernel::of_text(probe_kernel(instruction))) {}

  // Results of lanes 1 to lanes - 1 (element 0 is unused); empty if one of them is unknown.
  std::optional<std::array<std::uint64_t, 32>> run(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                                   std::uint32_t lanes = 32) const {
    const auto behaviour = kernel_.execute(
        launch({1, 1, 1}, {lanes, 1, 1}, {long_integer(a), long_integer(b), long_integer(c)}));
    const auto shapes = store_shapes(behaviour, kernel_.list(), 0, tasklist::Space::global);
    if (shapes.size() != 1 || !shapes[0].place_known)
      return std::nullopt;
    return shapes[0].offsets;
  }

private:
  Kernel kernel_;
};

} // namespace kerncast::slice_test
