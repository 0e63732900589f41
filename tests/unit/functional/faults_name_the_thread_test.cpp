// Kernels that go wrong end with kernel, CTA, thread, line and address, within a bounded number of steps.
#include <gmock/gmock.h>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string fault_of(const std::string& body, std::uint32_t threads = 32,
                     const std::string& declarations = {}, const functional::RunOptions& options = {}) {
  const Code code = Code::of_text(text_kernel(body, declarations));
  Device device;
  const Argument a = device.unknown_buffer<std::uint32_t>(64),
                 b = device.buffer(std::vector<std::uint32_t>(128));
  return error_of(device.try_run(code, {1}, {threads}, {a, b, integer(0)}, options));
}

TEST(Faults, OutOfBounds) {
  EXPECT_THAT(fault_of("setp.eq.u32 %p, %t, 9;\n@%p st.global.u32 [%pb+512], %t;"),
              AllOf(HasSubstr("test.ptx:20:"),
                    HasSubstr("kernel k, CTA (0, 0, 0), thread (9, 0, 0): store of 4 bytes "
                              "outside of memory"),
                    HasSubstr("byte 548 of buffer 'b1' (512 bytes)")));
  EXPECT_THAT(fault_of("mov.u64 %l, 64;\nld.global.u32 %x, [%l];"),
              HasSubstr("outside of memory, at address 0x40"));
  EXPECT_THAT(fault_of("mov.u32 %x, s;\nst.shared.u32 [%x], %t;", 32, ".extern .shared .align 4 .b8 s[];\n"),
              AllOf(HasSubstr("outside of shared memory"), HasSubstr("bytes of dynamic shared memory")));
}

TEST(Faults, BranchesWithoutATarget) {
  const std::string table = "T: .branchtargets A, B;\n@%p brx.idx %t, T;\nA:\nB:\n";
  EXPECT_THAT(fault_of("setp.ge.u32 %p, %t, 0;\n" + table),
              AllOf(HasSubstr("test.ptx:21:"),
                    HasSubstr("thread (2, 0, 0): index 2 of brx.idx has no target: there are 2")));
  EXPECT_EQ(fault_of("setp.lt.u32 %p, %t, 2;\n" + table), "");
  // A call of nothing.
  EXPECT_THAT(fault_of("mov.u64 %l, 0;\nsetp.eq.u32 %p, %t, 7;\n@!%p mov.u64 %l, f;\n"
                       "P: .callprototype _ ();\ncall %l, P;",
                       32, ".func f()\n{\nret;\n}\n"),
              AllOf(HasSubstr("test.ptx:27:"),
                    HasSubstr("thread (7, 0, 0): call of address 0x0, which is no function")));
}

// Of another function, of none, of data, and of itself.
TEST(Faults, CallsOfWhatTheyCannotReach) {
  const std::string functions =
      ".func f()\n{\nret;\n}\n.func g()\n{\nret;\n}\n.func h(.param .b32 x)\n{\nret;\n}\n"
      ".global .u64 t[3] = {f, g, h};\n.global .u64 me;\n"
      ".func again()\n{\n.reg .b64 %x;\nld.global.u64 %x, [me];\n"
      "P: .callprototype _ ();\ncall %x, P;\nret;\n}\n";
  const auto fault_of_call = [&](const std::string& address,
                                 const std::string& list = "P: .callprototype _ ();") {
    return fault_of(address + "\n" + list + "\ncall %l, P;", 1, functions);
  };
  EXPECT_EQ(fault_of_call("mov.u64 %l, g;"), "");
  EXPECT_THAT(fault_of_call("mov.u64 %l, h;"), HasSubstr("which is no function of the call's prototype"));
  EXPECT_THAT(fault_of_call("mov.u64 %l, f;\nadd.u64 %l, %l, 1;"), HasSubstr("which is no function"));
  EXPECT_THAT(fault_of_call("mov.u64 %l, f;\nadd.u64 %l, %l, 0x100000000;"),
              HasSubstr("which is no function"));
  EXPECT_THAT(fault_of_call("mov.u64 %l, f;", "P: .calltargets g;"),
              HasSubstr("call of a function that is being called, or that the call does not list"));
  EXPECT_THAT(fault_of_call("mov.u64 %l, again;\nst.global.u64 [me], %l;"),
              HasSubstr("recursion is not executed"));
}

TEST(Faults, LoadsOutsideOfTheParameters) {
  EXPECT_THAT(fault_of("ld.param.u32 %x, [n+4];"),
              AllOf(HasSubstr("test.ptx:19:"),
                    HasSubstr("ld.param.u32 at byte 20 of the kernel's parameters, of which there are 20")));
  EXPECT_THAT(fault_of("ld.param.u64 %l, [b+4];"),
              HasSubstr("ld.param.u64 at byte 12 of the kernel's parameters, which is no multiple of 8"));
  EXPECT_THAT(fault_of("ld.param.v2.u32 {%x, %y}, [n];"), HasSubstr("at byte 16"));
  EXPECT_EQ(fault_of("ld.param.v2.u32 {%x, %y}, [b];"), "");
  EXPECT_EQ(fault_of("setp.gt.u32 %p, %t, 99;\n@%p ld.param.u32 %x, [n+4];"), ""); // by nobody
}

TEST(Faults, ThreadsThatAreNotInTheirOwnMemberMask) {
  EXPECT_THAT(fault_of("shfl.sync.idx.b32 %x, %t, 0, 31, 0xfffffff0;"),
              AllOf(HasSubstr("test.ptx:19:"), HasSubstr("thread (0, 0, 0): this thread is not in its own "
                                                         "member mask 0xfffffff0")));
  EXPECT_THAT(fault_of("setp.ge.u32 %p, %t, 3;\n@%p redux.sync.add.u32 %x, %t, 0xff;"),
              HasSubstr("thread (8, 0, 0): this thread is not in its own member mask 0x000000ff"));
  EXPECT_EQ(fault_of("shfl.idx.b32 %x, %t, 0, 31;"), ""); // without a mask
}

TEST(Faults, Misaligned) {
  EXPECT_THAT(fault_of("ld.global.u32 %x, [%pb+2];"),
              AllOf(HasSubstr("thread (0, 0, 0)"), HasSubstr("not aligned")));
}

TEST(Faults, UnknownContents) {
  EXPECT_THAT(fault_of("ld.global.u32 %x, [%pa+4];"),
              AllOf(HasSubstr("whose contents are unknown"), HasSubstr("byte 4 of buffer 'b0'")));
  EXPECT_EQ(fault_of("st.global.u32 [%pa], %t;\nld.global.u32 %x, [%pa];"), ""); // known once it is written
}

TEST(Faults, WritesToConstants) {
  EXPECT_THAT(fault_of("mov.u64 %l, c;\nst.u32 [%l], 1;", 1, ".const .align 4 .u32 c = 1;\n"),
              HasSubstr("constant memory"));
}

TEST(Faults, EndlessLoops) {
  functional::RunOptions options;
  options.max_visits_per_warp = 1000;
  EXPECT_THAT(fault_of("L:\nadd.u32 %x, %x, 1;\nbra L;", 32, {}, options),
              AllOf(HasSubstr("visited 1000 blocks without leaving"), HasSubstr("test.ptx:20:")));
  // Waiting for a flag that nobody sets.
  EXPECT_THAT(
      fault_of("L:\nld.volatile.global.u32 %x, [%b];\nsetp.eq.u32 %p, %x, 0;\n@%p bra L;", 64, {}, options),
      HasSubstr("without leaving"));
}

// Eight warps that wait in vain, in turns of 4,096 visits, each counted twice for its load: 4 * 10,000 are
// reached in the first round.
TEST(Faults, EndlessLoopsOfAllWarpsOfACta) {
  functional::RunOptions options;
  options.max_visits_per_warp = 10'000;
  EXPECT_THAT(
      fault_of("L:\nld.volatile.global.u32 %x, [%b];\nsetp.eq.u32 %p, %x, 0;\n@%p bra L;", 256, {}, options),
      AllOf(HasSubstr("the CTA's warps visited"), HasSubstr("without leaving")));
}

TEST(Faults, DeadlockedBarriers) {
  EXPECT_THAT(fault_of("setp.lt.u32 %p, %t, 32;\n@%p bra A;\nbar.sync 1;\nbra B;\nA:\nbar.sync 2;\nB:", 64),
              AllOf(HasSubstr("deadlock: 2 of 2 warps wait"), HasSubstr("thread (0, 0, 0)")));
}

TEST(Faults, RacesInSharedMemory) {
  const std::string stores =
      "mov.u32 %x, s;\nshl.b32 %y, %t, 2;\nadd.u32 %z, %x, %y;\nst.shared.u32 [%z], %t;\n";
  const std::string loads = "sub.u32 %y, 508, %y;\nadd.u32 %z, %x, %y;\nld.shared.u32 %w, [%z];\n";
  EXPECT_THAT(
      fault_of(stores + loads, 128, shared_words),
      AllOf(HasSubstr("race: "), HasSubstr("without a barrier in between"), HasSubstr("CTA (0, 0, 0)")));
  EXPECT_EQ(fault_of(stores + "bar.sync 0;\n" + loads, 128, shared_words), "");
  // Two warps store different values to one word; equal values are no race.
  EXPECT_THAT(fault_of("mov.u32 %x, s;\nst.shared.u32 [%x], %t;", 64, shared_words),
              HasSubstr("race: store of 4"));
  EXPECT_EQ(fault_of("mov.u32 %x, s;\nst.shared.u32 [%x], 1;", 64, shared_words), "");
  functional::RunOptions allowed;
  allowed.check_races = false;
  EXPECT_EQ(fault_of(stores + loads, 128, shared_words, allowed), "");
}

// What several threads store to one place without order, unless it is one value.
TEST(Faults, RacesInGlobalMemory) {
  const auto fault = [](const std::string& body, std::uint32_t ctas, std::uint32_t threads,
                        std::size_t workers = 1) {
    const Code code = Code::of_text(text_kernel("mov.u32 %x, %ctaid.x;\n" + body));
    Device device;
    const Argument a = device.buffer(iota_words(256)), b = device.buffer(std::vector<std::uint32_t>(256));
    return error_of(device.try_run(code, {ctas}, {threads}, {a, b, integer(0)}, on_threads(workers)));
  };
  const std::string each_cta = "st.global.u32 [%b+8], %x;";
  const std::string expected = "threads of CTAs 0 and 6 store different values to byte 8 of buffer 'b1'";
  EXPECT_THAT(fault(each_cta, 7, 1), AllOf(HasSubstr(expected), HasSubstr("CTA (6, 0, 0), thread (0, 0, 0)"),
                                           HasSubstr("test.ptx:20:")));
  EXPECT_EQ(fault(each_cta, 7, 1, 4), fault(each_cta, 7, 1));
  EXPECT_EQ(fault("st.global.u32 [%b+8], 5;", 7, 64), "");
  EXPECT_EQ(fault("st.volatile.global.u32 [%b+8], %x;", 7, 1), "");
  EXPECT_EQ(fault("red.global.add.u32 [%b+8], %x;", 7, 64), "");
  // One CTA: two lanes of one instruction, two warps, two warps with a barrier between.
  EXPECT_THAT(fault("st.global.u32 [%b], %t;", 1, 2), HasSubstr("threads of one CTA store different values"));
  const std::string by_warps = "setp.ge.u32 %p, %t, 32;\nand.b32 %y, %t, 31;\nmul.wide.u32 %l, %y, 4;\n"
                               "add.u64 %l, %b, %l;\n@%p st.global.u32 [%l], %t;\n";
  EXPECT_THAT(fault(by_warps + "@!%p st.global.u32 [%l], %t;", 1, 64), HasSubstr("race: threads of one CTA"));
  EXPECT_EQ(fault(by_warps + "bar.sync 0;\n@!%p st.global.u32 [%l], %t;", 1, 64), "");
}

TEST(Faults, Traps) {
  EXPECT_THAT(fault_of("setp.eq.u32 %p, %t, 3;\n@%p trap;"),
              AllOf(HasSubstr("trap ends the kernel"), HasSubstr("thread (3, 0, 0)")));
}

TEST(Faults, OperationsThatAreNotSupported) {
  EXPECT_THAT(
      fault_of("{ .reg .b32 %c;\nmov.u32 %c, %smid; }"),
      AllOf(HasSubstr("mov.u32 is not supported by functional execution"), HasSubstr("test.ptx:20:")));
  // Not reached: no fault.
  EXPECT_EQ(fault_of("bra END;\n{ .reg .b32 %c;\nmov.u32 %c, %smid; }\nEND:"), "");
}

// What cannot be executed is never passed over: the name and the line are told.
TEST(Faults, OperationsThatAreNotSupportedAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"tcgen05.mma.cta_group::1.kind::f16.ashift [%x], [%x], %l, %x, %p;",
       "tcgen05.mma.cta_group::1.kind::f16.ashift"},
      {"mov.u32 %x, %smid;", "mov.u32"},
      {"cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%x], [%l, {%y, "
       "%y, %y}], "
       "[%x], {%h, %h};",
       "cp.async.bulk.tensor.3d"},
      {"cvt.rs.satfinite.e2m1x4.f32 %h, {%f, %f, %f, %f}, %x;", "cvt.rs.satfinite.e2m1x4.f32"},
  };
  for (const auto& [instruction, name] : cases) {
    std::string text = text_kernel(instruction);
    text.replace(text.find(".version 8.0\n.target sm_80"), 26, ".version 8.7\n.target sm_100a");
    const Code code = Code::of_text(text);
    Device device;
    const Argument none = device.buffer(std::vector<std::uint32_t>(1));
    EXPECT_THAT(error_of(device.try_run(code, {1}, {32}, {none, none, integer(0)})),
                AllOf(HasSubstr(name), HasSubstr("is not supported by functional execution"),
                      HasSubstr("test.ptx:19:")));
  }
}

TEST(Faults, ParametersWithoutValue) {
  const Code code = Code::of_text(text_kernel("st.global.u32 [%pb], %t;"));
  Device device;
  EXPECT_THAT(error_of(device.try_run(code, {1}, {32}, {})), HasSubstr("parameter 1 has no value"));
}

} // namespace
} // namespace kerncast::functional_test
