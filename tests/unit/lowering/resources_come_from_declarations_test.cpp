// Parameters, shared and local memory and launch bounds are what the PTX declares.
#include "lower_ptx.h"

namespace kerncast::lowering {
namespace {

TEST(Parameters, lie_at_their_natural_alignment) {
  const auto list = lower_body("ret;"); // .u64 p, .u32 n, .f32 x, .u64 q
  ASSERT_EQ(list.parameters.size(), 4U);
  EXPECT_EQ(list.parameters[1].offset, 8U);
  EXPECT_EQ(list.parameters[2].offset, 12U);
  EXPECT_EQ(list.parameters[3].offset, 16U);
  EXPECT_TRUE(list.parameters[2].is_float);
  EXPECT_FALSE(list.parameters[1].is_float);
}

TEST(Parameters, are_pointers_if_used_as_an_address_or_declared_so) {
  const auto list = lower_body("ld.param.u64 %d1, [p];\n"
                               "ld.param.u64 %d4, [q];\n"
                               "cvta.to.global.u64 %d2, %d1;\n"
                               "st.global.u64 [%d2], %d4;");
  EXPECT_TRUE(list.parameters[0].is_pointer);
  EXPECT_FALSE(list.parameters[3].is_pointer); // only its value is stored
  EXPECT_TRUE(lower_module(".version 8.0 .target sm_80 .address_size 64\n"
                           ".entry k(.param .u64 .ptr .global .align 16 p) { ret; }")
                  .parameters[0]
                  .is_pointer);
}

TEST(LocalMemory, of_more_than_a_thread_can_have_is_an_error) {
  const auto error_of = [](std::uint64_t bytes) {
    const auto module = parse_ptx(".version 8.0 .target sm_80 .address_size 64\n.entry k() {\n.local .b8 a[" +
                                  std::to_string(bytes) + "]; ret; }");
    const auto list = lower(module, module.functions[0]);
    return list ? "" : render(list.error());
  };
  EXPECT_EQ(error_of(524'288), "");
  EXPECT_THAT(error_of(524'289), testing::HasSubstr("test.ptx:2:"));
  EXPECT_THAT(error_of(524'289),
              testing::HasSubstr("error: its .local variables take 524289 bytes a thread"));
}

TEST(SharedMemory, counts_variables_of_the_kernel_and_named_ones_of_the_module) {
  const auto list =
      lower_module(".version 8.0 .target sm_80 .address_size 64\n"
                   ".shared .align 4 .b8 used[100];\n"
                   ".shared .align 4 .b8 unused[1000];\n"
                   ".extern .shared .align 16 .b8 dynamic[];\n"
                   ".entry k() { .reg .b32 %r<3>; .shared .align 16 .b8 own[64];\n"
                   "ld.shared.u32 %r1, [used+4]; mov.u32 %r2, dynamic; st.shared.u32 [%r2], %r1; }");
  // 100 bytes, then `dynamic` of size zero at 112, then 64 bytes at 112.
  EXPECT_EQ(list.static_shared_bytes, 176U);
}

TEST(LocalMemory, is_what_the_kernel_declares) {
  EXPECT_EQ(lower_body(".local .align 8 .b8 depot[72]; ret;").local_bytes_per_thread, 72U);
}

TEST(LaunchBounds, are_products_of_the_directives) {
  const auto list = lower_module(".version 8.0 .target sm_80 .address_size 64\n"
                                 ".entry k() .maxntid 16, 8, 2 .minnctapersm 3 .maxnreg 40 { ret; }");
  EXPECT_EQ(list.max_threads_per_cta, 256U);
  EXPECT_EQ(list.min_ctas_per_sm, 3U);
  EXPECT_EQ(list.max_registers, 40U);
  EXPECT_EQ(list.target, "sm_80");
  EXPECT_EQ(lower_body("ret;").max_threads_per_cta, 0U);
}

} // namespace
} // namespace kerncast::lowering
