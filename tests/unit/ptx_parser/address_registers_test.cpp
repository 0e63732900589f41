// Which registers may hold an address: one integer, of any width where the instruction takes the address as
// it is, of 32 bits at least where ptxas 13.0 copies it. Each statement was put to ptxas, with the same
// result.
#include "cases.h"

namespace kerncast::ptx {
namespace {

constexpr const char* head = ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k()\n{\n"
                             ".reg .b8 b8; .reg .b16 b16; .reg .b32 b32; .reg .u32 u32; .reg .f32 f32;\n"
                             ".reg .b64 b64; .reg .u64 u64; .reg .v2 .b32 v;\n";

std::string errors_of(std::string_view statement) {
  return errors_in(head + std::string(statement) + "\nret;\n}\n");
}

class Addresses : public Text {};
TEST_P(Addresses, are_accepted) { EXPECT_EQ(errors_of(GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(
    of_narrow_registers, Addresses,
    testing::Values("ld.shared.u32 u32, [b8];", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {b32}, [b16];",
                    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [b8], {b32};",
                    "multimem.ld_reduce.add.u32 u32, [b16];", "multimem.st.global.u32 [b8], u32;",
                    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                    "[b16], [b8], 128;"));
INSTANTIATE_TEST_SUITE_P(
    of_whole_registers, Addresses,
    testing::Values(
        "ldmatrix.sync.aligned.m8n8.x1.b16 {b32}, [b32];",
        "wmma.load.b.sync.aligned.row.m16n16k16.f16 {b32, b32, b32, b32, b32, b32, b32, b32}, [u64];",
        "tensormap.replace.tile.rank.global.b1024.b32 [b32], u32;", "multimem.red.global.add.u32 [b64], u32;",
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {b32}, [u32];",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [u64], 32;"));

class BadAddress : public Text {};
TEST_P(BadAddress, is_one_error_about_it) {
  const std::string errors = errors_of(GetParam());
  EXPECT_THAT(errors, testing::AnyOf(testing::HasSubstr("must be an address in brackets"),
                                     testing::HasSubstr("must be an address with coordinates")));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}

INSTANTIATE_TEST_SUITE_P(
    too_narrow, BadAddress,
    testing::Values("ldmatrix.sync.aligned.m8n8.x1.b16 {b32}, [b16];",
                    "stmatrix.sync.aligned.m8n8.x1.b16 [b8], {b32};",
                    "multimem.red.global.add.u32 [b16], u32;",
                    "tensormap.replace.tile.rank.global.b1024.b32 [b16], u32;",
                    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [b16], 32;"));
INSTANTIATE_TEST_SUITE_P(not_of_tensor_memory, BadAddress,
                         testing::Values("tcgen05.ld.sync.aligned.32x32b.x1.b32 {b32}, [u64];",
                                         "tcgen05.cp.cta_group::1.128x256b [b16], u64;",
                                         "tcgen05.shift.cta_group::1.down [u64];"));
INSTANTIATE_TEST_SUITE_P(a_vector, BadAddress,
                         testing::Values("ld.global.u32 u32, [v];", "atom.global.add.u32 u32, [v], 1;",
                                         "prefetch.global.L1 [v];",
                                         "tex.1d.v4.f32.s32 {f32, f32, f32, f32}, [u64, {v}];"));

TEST(VectorAsAddress, is_called_so) {
  EXPECT_THAT(errors_of("ld.global.u32 u32, [v];"), testing::HasSubstr("base v of type .v2 .b32"));
}

} // namespace
} // namespace kerncast::ptx
