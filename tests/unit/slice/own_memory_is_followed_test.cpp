// What branches and addresses depend on: nothing but the launch, memory of the CTA's or the thread's own,
// whose contents follow from the launch, or buffers.
#include "slice_fixture.h"

namespace kerncast::slice_test {
namespace {

using slice::DataDependence;

DataDependence dependence_of(const std::string& body) {
  return Kernel::of_text(
             ".version 7.8\n.target sm_80\n.address_size 64\n.shared .align 4 .b8 s[1024];\n"
             ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %u;\nld.param.b32 %u, [x];\n"
             "add.u32 %u, %u, %u;\nst.param.b32 [r], %u;\nret;\n}\n"
             ".func (.param .b32 r) sum(.param .align 8 .b8 x[8])\n{\n.reg .b32 %v<3>;\n"
             "ld.param.v2.b32 {%v1, %v2}, [x];\nadd.u32 %v1, %v1, %v2;\nst.param.b32 [r], %v1;\nret;\n}\n"
             ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p;\n.reg .b32 %r<9>;\n"
             ".reg .b64 %l<9>;\n.local .align 4 .b8 x[64];\nld.param.u64 %l1, [a];\n"
             "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r3, %r3, %r2;\n" +
             body + "\nret;\n}\n")
      .data_dependence();
}

const std::string store_at_r4 =
    "mul.wide.u32 %l2, %r4, 4;\nadd.u64 %l2, %l1, %l2;\nst.global.u32 [%l2], %r1;";

TEST(DataDependence, OfThreadIndicesIsNone) {
  EXPECT_EQ(dependence_of("mov.u32 %r4, %r1;\n" + store_at_r4), DataDependence::none);
  EXPECT_EQ(dependence_of("ld.global.u32 %r5, [%l1];\nst.global.u32 [%l1], %r5;"), DataDependence::none);
}

TEST(DataDependence, OfSharedLocalAndParameterMemoryIsOfTheirOwn) {
  EXPECT_EQ(
      dependence_of("st.shared.u32 [%r3], %r1;\nbar.sync 0;\nld.shared.u32 %r4, [%r3];\n" + store_at_r4),
      DataDependence::own_memory);
  EXPECT_EQ(dependence_of("st.local.u32 [x], %r1;\nld.local.u32 %r4, [x];\n" + store_at_r4),
            DataDependence::own_memory);
  EXPECT_EQ(dependence_of("{ .param .align 8 .b8 p0[8];\n.param .b32 r0;\nst.param.v2.b32 [p0], {%r1, %r1};\n"
                          "call.uni (r0), sum, (p0);\nld.param.b32 %r4, [r0]; }\n" +
                          store_at_r4),
            DataDependence::own_memory);
  // Loaded values that are only computed with may lie there too, but then what lies there is not known.
  EXPECT_EQ(dependence_of("ld.global.u32 %r5, [%l1];\nst.shared.u32 [%r3], %r5;\nbar.sync 0;\n"
                          "ld.shared.u32 %r4, [%r3];\n" +
                          store_at_r4),
            DataDependence::buffers);
}

// Scalars are passed through registers.
TEST(DataDependence, OfCallsIsThatOfTheirArguments) {
  const auto call_with = [](const std::string& argument) {
    return dependence_of(
        "ld.global.u32 %r5, [%l1];\n{ .param .b32 p0;\n.param .b32 r0;\nst.param.b32 [p0], " + argument +
        ";\ncall.uni (r0), twice, (p0);\nld.param.b32 %r4, [r0]; }\n" + store_at_r4);
  };
  EXPECT_EQ(call_with("%r1"), DataDependence::none);
  EXPECT_EQ(call_with("%r5"), DataDependence::loads);
}

// Others lie in memory: one that takes a loaded value says nothing of another.
TEST(DataDependence, OfAParameterInMemoryIsThatParametersAlone) {
  const auto call_of = [](const std::string& argument, const std::string& result) {
    return "{ .param .align 8 .b8 p0[8];\n.param .b32 r0;\nst.param.v2.b32 [p0], {" + argument + ", " +
           argument + "};\ncall.uni (r0), sum, (p0);\nld.param.b32 " + result + ", [r0]; }\n";
  };
  const auto calls_with = [&](const std::string& index) {
    return dependence_of("ld.global.u32 %r5, [%l1];\n" + call_of("%r5", "%r7") + call_of("%r1", "%r6") +
                         "mov.u32 %r4, " + index + ";\n" + store_at_r4);
  };
  EXPECT_EQ(calls_with("%r6"), DataDependence::own_memory);
  EXPECT_EQ(calls_with("%r7"), DataDependence::buffers);
}

TEST(DataDependence, OfLoadsAndAtomicsIsOnBuffers) {
  EXPECT_EQ(dependence_of("ld.global.u32 %r4, [%l1];\n" + store_at_r4), DataDependence::loads);
  EXPECT_EQ(dependence_of("ld.volatile.global.u32 %r4, [%l1];\n" + store_at_r4), DataDependence::buffers);
  EXPECT_EQ(dependence_of("atom.global.add.u32 %r4, [%l1], 1;\n" + store_at_r4), DataDependence::buffers);
  EXPECT_EQ(
      dependence_of("cp.async.ca.shared.global [%r3], [%l1], 4;\nld.shared.u32 %r4, [%r3];\n" + store_at_r4),
      DataDependence::buffers);
}

} // namespace
} // namespace kerncast::slice_test
