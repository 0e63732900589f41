// mbarrier objects and the bulk copies that signal them.
#include <gmock/gmock.h>

#include "text_kernel.h"

namespace kerncast::functional_test {
namespace {

using testing::HasSubstr;

const std::string shared = ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b64 bar;\n";
const std::string init = "mov.u32 %x, s;\nmov.u32 %y, bar;\nsetp.eq.u32 %p, %t, 0;\n";

std::vector<std::uint32_t> words_with_mbarrier(const std::string& body, std::uint32_t threads) {
  const Code code = Code::of_text(sm_90(text_kernel(shared + init + body)));
  Device device;
  const Argument a = device.buffer(iota_words(256)), b = device.buffer(std::vector<std::uint32_t>(256));
  device.run(code, {1}, {threads}, {a, b, integer(0)});
  return device.read<std::uint32_t>(b);
}

// Warp 1 arrives after it has stored; warp 0 waits for it and reads.
TEST(Mbarriers, LetOneWarpWaitForAnother) {
  const auto words =
      words_with_mbarrier("@%p mbarrier.init.shared.b64 [%y], 32;\nbar.sync 0;\n"
                          "shl.b32 %z, %t, 2;\nadd.u32 %z, %z, %x;\nsetp.ge.u32 %q, %t, 32;\n@%q bra STORE;\n"
                          "WAIT:\nmbarrier.try_wait.parity.shared.b64 %q, [%y], 0;\n@!%q bra WAIT;\n"
                          "ld.shared.u32 %w, [%z+128];\nst.global.u32 [%pb], %w;\nbra END;\n"
                          "STORE:\nst.shared.u32 [%z], %t;\nmbarrier.arrive.shared.b64 %l, [%y];\nEND:",
                          64);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(words[t], t + 32);
}

// A state's phase is over once all of its arrivals have come, and not before.
TEST(Mbarriers, EndAPhaseWithItsLastArrival) {
  const auto words = words_with_mbarrier(
      "@!%p bra END;\nmbarrier.init.shared.b64 [%y], 2;\n"
      "mbarrier.arrive.shared.b64 %l, [%y];\n"
      "mbarrier.test_wait.shared.b64 %q, [%y], %l;\nselp.u32 %w, 1, 0, %q;\n"
      "st.global.u32 [%b], %w;\nmbarrier.arrive.shared.b64 _, [%y];\n"
      "mbarrier.test_wait.shared.b64 %q, [%y], %l;\nselp.u32 %w, 1, 0, %q;\n"
      "st.global.u32 [%b+4], %w;\n"
      // One of the two drops out: one arrival ends the third phase.
      "mbarrier.arrive_drop.shared.b64 %l, [%y];\nmbarrier.arrive.shared.b64 _, [%y];\n"
      "mbarrier.arrive.shared.b64 %l, [%y];\nmbarrier.test_wait.shared.b64 %q, [%y], %l;\n"
      "selp.u32 %w, 1, 0, %q;\nst.global.u32 [%b+8], %w;\nEND:",
      32);
  EXPECT_EQ(words[0], 0U);
  EXPECT_EQ(words[1], 1U);
  EXPECT_EQ(words[2], 1U);
}

// Of 32 arrivals, each thread's copy adds one that it takes away again: all threads still arrive themselves.
// With .noinc the copy's arrival is one of the 32.
TEST(Mbarriers, ExpectOneArrivalMoreForACopyUnlessTheyAreTold) {
  const std::string copy = "@%p mbarrier.init.shared.b64 [%y], 32;\nbar.sync 0;\nshl.b32 %z, %t, 2;\n"
                           "add.u32 %z, %z, %x;\ncp.async.ca.shared.global [%z], [%pa], 4;\n";
  const std::string wait = "WAIT:\nmbarrier.try_wait.parity.shared.b64 %q, [%y], 0;\n@!%q bra WAIT;\n"
                           "ld.shared.u32 %w, [%z];\nst.global.u32 [%pb], %w;\n";
  EXPECT_EQ(
      words_with_mbarrier(
          copy + "cp.async.mbarrier.arrive.shared.b64 [%y];\nmbarrier.arrive.shared.b64 %l, [%y];\n" + wait,
          32)[31],
      31U);
  EXPECT_EQ(words_with_mbarrier(copy + "cp.async.mbarrier.arrive.noinc.shared.b64 [%y];\n" + wait, 32)[31],
            31U);
}

// Three arrivals: the state before each says how many are still to come. Dropped ones are not expected again,
// and their phase waits for the bytes.
TEST(Mbarriers, TellHowManyArrivalsArePending) {
  const auto words = words_with_mbarrier(
      "@!%p bra END;\nmbarrier.init.shared.b64 [%y], 3;\n"
      "mbarrier.arrive.noComplete.shared.b64 %l, [%y], 2;\nmbarrier.pending_count.b64 %w, %l;\n"
      "st.global.u32 [%b], %w;\nmbarrier.arrive_drop.expect_tx.shared.b64 %l, [%y], 16;\n"
      "mbarrier.pending_count.b64 %w, %l;\nst.global.u32 [%b+4], %w;\n"
      "mbarrier.test_wait.parity.shared.b64 %q, [%y], 0;\nselp.u32 %w, 1, 0, %q;\nst.global.u32 [%b+8], %w;\n"
      "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%y], 16;\n"
      "mbarrier.arrive.shared.b64 %l, [%y];\nmbarrier.pending_count.b64 %w, %l;\n"
      "st.global.u32 [%b+12], %w;\nEND:",
      32);
  EXPECT_EQ(words[0], 3U);
  EXPECT_EQ(words[1], 1U);
  EXPECT_EQ(words[2], 0U);
  EXPECT_EQ(words[3], 2U);
}

// The phase ends with the bytes of the copy; from shared memory they go on to b.
TEST(Mbarriers, WaitForTheBytesOfACopy) {
  const auto words = words_with_mbarrier(
      "@%p mbarrier.init.shared.b64 [%y], 1;\nbar.sync 0;\n@!%p bra WAIT;\n"
      "mbarrier.arrive.expect_tx.shared.b64 %l, [%y], 1024;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%x], [%a], 1024, [%y];\n"
      "WAIT:\nmbarrier.try_wait.parity.shared.b64 %q, [%y], 0;\n@!%q bra WAIT;\n"
      "@%p cp.async.bulk.global.shared::cta.bulk_group [%b], [%x], 1024;\n"
      "@%p cp.async.bulk.commit_group;\n@%p cp.async.bulk.wait_group 0;",
      64);
  EXPECT_EQ(words, iota_words(256));
}

std::string mbarrier_fault(const std::string& body, std::uint64_t max_visits = 1000) {
  const Code code = Code::of_text(sm_90(text_kernel(shared + init + body)));
  Device device;
  const Argument a = device.buffer(iota_words(256)), b = device.buffer(std::vector<std::uint32_t>(256));
  functional::RunOptions options;
  options.max_visits_per_warp = max_visits;
  return error_of(device.try_run(code, {1}, {32}, {a, b, integer(0)}, options));
}

TEST(Mbarriers, FaultsAreNamed) {
  EXPECT_THAT(mbarrier_fault("mbarrier.init.shared.b64 [%y], 2;\nmbarrier.arrive.shared.b64 _, [%y], 3;"),
              HasSubstr("cannot take a count of 3: 2 arrivals and 0 bytes are pending"));
  EXPECT_THAT(mbarrier_fault("cp.async.bulk.global.shared::cta.bulk_group [%b], [%x], 1040;"),
              HasSubstr("load of 1040 bytes outside of shared memory"));
  EXPECT_THAT(mbarrier_fault("cp.async.bulk.global.shared::cta.bulk_group [%b], [%x], 8;"),
              HasSubstr("bulk copy of 8 bytes"));
  // Each visit counts twice, for the test of the mbarrier.
  EXPECT_THAT(mbarrier_fault("@%p mbarrier.init.shared.b64 [%y], 1;\nWAIT:\n"
                             "mbarrier.try_wait.parity.shared.b64 %q, [%y], 0;\n@!%q bra WAIT;"),
              HasSubstr("a warp visited 500 blocks without leaving the kernel"));
}

} // namespace
} // namespace kerncast::functional_test
