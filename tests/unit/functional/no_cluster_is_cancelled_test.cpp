// clusterlaunchcontrol: a request to take over the work of a cluster that has not been launched fails,
// always, and each does its own.
#include "device.h"

namespace kerncast::functional_test {
namespace {

const std::string persistent = "tests/data/slice/persistent_ctas.ptx";

TEST(ClusterLaunchControl, EachCtaDoesItsOwnWork) {
  const Code code = Code::of_path(persistent);
  for (const std::size_t threads : {1, 3}) {
    Device device;
    const Argument out = device.buffer(Words(40 * 64));
    device.run(code, {40}, {64}, {out}, on_threads(threads));
    EXPECT_EQ(device.read<std::uint32_t>(out), Words(40 * 64, 1)) << threads;
  }
}

// The answer of 16 bytes comes to each CTA of the cluster, whose barriers count it: CTA 1 asks for both.
TEST(ClusterLaunchControl, AllCtasOfAClusterAreTold) {
  const Code code = Code::of_text(R"(.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)
{
.shared .align 16 .b8 answer[16];
.shared .align 8 .b64 told;
.reg .pred %p, %q, %first, %second;
.reg .b32 %t, %c, %rank, %x;
.reg .b64 %o, %a, %low, %high;
.reg .b128 %r;
ld.param.u64 %o, [out];
mov.u32 %t, %tid.x;
mov.u32 %c, %ctaid.x;
mov.u32 %rank, %cluster_ctarank;
setp.eq.u32 %first, %t, 0;
setp.eq.and.u32 %second, %rank, 1, %first;
@%first mbarrier.init.shared::cta.b64 [told], 1;
@%first st.shared.v4.b32 [answer], {5, 6, 7, 8};
@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [told], 16;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
@%second clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [answer], [told];
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p, [told], 0;
@!%p bra WAIT;
ld.shared.b128 %r, [answer];
mov.b128 {%low, %high}, %r;
or.b64 %low, %low, %high;
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %q, %r;
cvt.u32.u64 %x, %low;
@%q add.u32 %x, %x, 100;
clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %t, %r;
add.u32 %x, %x, %t;
add.u32 %x, %x, 1;
mul.wide.u32 %a, %c, 4;
add.u64 %a, %o, %a;
@%first st.global.u32 [%a], %x;
ret;
}
)");
  Device device;
  const Argument out = device.buffer(Words(6));
  const auto ran = device.try_run_clusters(code, {6}, {32}, {3}, {out});
  ASSERT_TRUE(ran) << error_of(ran);
  EXPECT_EQ(device.read<std::uint32_t>(out), Words(6, 1));
}

TEST(ClusterLaunchControl, AnswersLieAtMultiplesOfTheirSize) {
  Device device;
  const auto ran = device.try_run(Code::of_text(R"(.version 8.7
.target sm_100a
.address_size 64
.visible .entry k()
{
.shared .align 16 .b8 answer[32];
.shared .align 8 .b64 told;
mbarrier.init.shared::cta.b64 [told], 1;
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer+8], [told];
ret;
}
)"),
                                  {1}, {1}, {});
  EXPECT_NE(error_of(ran).find("test.ptx:9:"), std::string::npos) << error_of(ran);
  EXPECT_NE(error_of(ran).find("store of 16 bytes at address 0x8, which is not aligned"), std::string::npos)
      << error_of(ran);
}

} // namespace
} // namespace kerncast::functional_test
