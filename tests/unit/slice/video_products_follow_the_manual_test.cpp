// vmad: parts of a and b are multiplied exactly, c is added, and the sum shifted and limited (PTX ISA,
// section 9.7.19.1, scalar video instructions).
#include "manual_cases.h"

namespace kerncast::slice_test {
namespace {

INSTANTIATE_TEST_SUITE_P(
    VideoProducts, Manual,
    testing::Values(Case{"vmad.u32.u32.u32 %word, %ra, %rb, %rc;", 6, 7, 5, 47},
                    // Modulo 2^32: 0x10000 * 0x10000 + 3.
                    Case{"vmad.u32.u32.u32 %word, %ra, %rb, %rc;", 0x10000, 0x10000, 3, 3},
                    // Limited to 32 bits, unsigned: 2^32 + 3; signed, -2^31.
                    Case{"vmad.u32.u32.u32.sat %word, %ra, %rb, %rc;", 0x10000, 0x10000, 3, 0xffffffff},
                    Case{"vmad.s32.s32.s32.sat %word, %ra, %rb, %rc;", 0xffff0000, 0x10000, 3, 0x80000000},
                    // (0x100 * 0x100 + 0x7f) >> 7 = 0x200; (-0x8000 * 3) >> 15 = -3.
                    Case{"vmad.u32.u32.u32.shr7 %word, %ra, %rb, %rc;", 0x100, 0x100, 0x7f, 0x200},
                    Case{"vmad.s32.s32.u32.shr15 %word, %ra, %rb, %rc;", 0xffff8000, 3, 0, 0xfffffffd},
                    // The exact sum is shifted: 2^46 >> 15 is 2^31.
                    Case{"vmad.u32.u32.u32.shr15 %word, %ra, %rb, %rc;", 0x800000, 0x800000, 0, 0x80000000},
                    // One more; minus the product; minus c.
                    Case{"vmad.u32.u32.u32.po %word, %ra, %rb, %rc;", 6, 7, 5, 48},
                    Case{"vmad.s32.s32.s32 %word, -%ra, %rb, %rc;", 6, 7, 5, 0xffffffdb},
                    Case{"vmad.s32.s32.s32 %word, %ra, %rb, -%rc;", 6, 7, 5, 37},
                    // Bytes and halves: 0xff is 255 or -1, 0x8000 is -32768.
                    Case{"vmad.u32.u32.u32 %word, %ra.b1, %rb.b0, %rc;", 0xff00, 2, 1, 511},
                    Case{"vmad.s32.s32.s32 %word, %ra.b1, %rb.h0, %rc;", 0xff00, 0x8000, 1, 32769}));

} // namespace
} // namespace kerncast::slice_test
