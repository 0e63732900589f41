// Loads, stores and reductions on surfaces (PTX ISA, section 9.7.11).
#include <gmock/gmock.h>

#include "texture_kernel.h"

namespace kerncast::functional_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Rows of 3 texels of 4 bytes, 16 bytes apart: words 0 1 2 and 4 5 6.
Argument two_rows(ImageDevice& device, TexelFormat format = TexelFormat::u32, std::uint32_t channels = 1) {
  const Argument buffer = device.buffer(iota_words(8));
  Image image = image_of(buffer, format, channels, 3, 2);
  image.pitch_bytes = 16;
  device.add(image);
  return buffer;
}

std::string run_on_surface(const std::string& body, ImageDevice& device, std::uint32_t threads,
                           Argument& results) {
  results = device.buffer(std::vector<std::uint32_t>(4 * threads));
  return error_of(
      device.try_run(Code::of_text(texture_kernel(body)), {1}, {threads}, {handle(0), results, integer(0)}));
}

std::vector<std::uint32_t> loaded(const std::string& body, std::uint32_t threads) {
  ImageDevice device;
  two_rows(device);
  Argument results;
  EXPECT_EQ(run_on_surface(body + "\nst.global.v4.u32 [%c], {%x, %y, %z, %w};", device, threads, results),
            "");
  return device.read<std::uint32_t>(results);
}

// The first coordinate counts bytes.
TEST(Surfaces, LoadByBytes) {
  EXPECT_THAT(loaded("mov.u32 %y, 1;\nshl.b32 %x, %t, 2;\nsuld.b.2d.b32.trap %x, [%a, {%x, %y}];", 3),
              ElementsAre(4, 1, 0, 0, 5, 1, 0, 0, 6, 1, 0, 0));
}

// Word 6, at byte 8 of row 1, in halves; zeros outside, or the nearest place.
TEST(Surfaces, LoadVectorsAndClamp) {
  const std::string place = "mov.u32 %n, 1;\nmov.u32 %x, 8;\nmov.u32 %y, 0;\nmov.u32 %w, 8;\n";
  EXPECT_THAT(loaded(place +
                         "suld.b.2d.v2.b16.trap {%h, %g}, [%a, {%x, %n}];\ncvt.u32.u16 %z, %h;\n"
                         "suld.b.2d.b32.zero %y, [%a, {%x, %w}];\nmov.u32 %x, 400;\n"
                         "suld.b.2d.b32.clamp %x, [%a, {%x, %w}];\nsuld.b.2d.b32.zero %w, [%a, {%w, %w}];",
                     1),
              ElementsAre(6, 0, 6, 0));
}

// Thread t stores 100 + t at texel t of row 1; those behind the row are left out.
TEST(Surfaces, Store) {
  ImageDevice device;
  const Argument buffer = two_rows(device);
  Argument results;
  EXPECT_EQ(run_on_surface("mov.u32 %y, 1;\nshl.b32 %x, %t, 2;\nadd.u32 %z, %t, 100;\n"
                           "sust.b.2d.b32.zero [%a, {%x, %y}], %z;",
                           device, 4, results),
            "");
  EXPECT_THAT(device.read<std::uint32_t>(buffer), ElementsAre(0, 1, 2, 3, 100, 101, 102, 7));
}

// u8x4 in the unit range: 1.0 is 255, 0.5 is 127.5 and rounds up to 128, what is above is 255, below 0.
TEST(Surfaces, StoreTexels) {
  ImageDevice device;
  const Argument buffer = device.buffer(iota_words(2));
  Image image = image_of(buffer, TexelFormat::u8, 4, 2);
  image.reads_unit_range = true;
  device.add(image);
  Argument results;
  EXPECT_EQ(
      run_on_surface(
          "mov.b32 %x, 0f3f800000;\nmov.b32 %y, 0f3f000000;\nmov.b32 %z, 0f40400000;\n"
          "mov.b32 %w, 0fbf800000;\nmov.u32 %n, 1;\nsust.p.1d.v4.b32.trap [%a, {%n}], {%x, %y, %z, %w};",
          device, 1, results),
      "");
  EXPECT_THAT(device.read<std::uint32_t>(buffer), ElementsAre(0, 0x00ff80ff));
}

// All 64 threads add 1 to texel 1 of row 0, and take the least and the largest of texel 2.
TEST(Surfaces, Reduce) {
  ImageDevice device;
  const Argument buffer = two_rows(device, TexelFormat::s32);
  Argument results;
  EXPECT_EQ(run_on_surface(
                "mov.u32 %x, 4;\nmov.u32 %y, 0;\nmov.u32 %z, 1;\nmov.u32 %w, 2;\nsub.s32 %n, 40, %t;\n"
                "sured.b.add.2d.u32.trap [%a, {%x, %y}], %z;\nsured.p.min.2d.b32.trap [%a, {%w, %y}], %n;\n"
                "sured.b.max.2d.s32.zero [%a, {%y, %z}], %t;",
                device, 64, results),
            "");
  EXPECT_THAT(device.read<std::int32_t>(buffer), ElementsAre(0, 65, -23, 3, 63, 5, 6, 7));
}

TEST(Surfaces, AnswerQueries) {
  EXPECT_THAT(
      loaded("suq.width.b32 %x, [%a];\nsuq.height.b32 %y, [%a];\nsuq.channel_data_type.b32 %z, [%a];\n"
             "suq.memory_layout.b32 %w, [%a];",
             1),
      ElementsAre(3, 2, 0x10dc, 1));
}

std::string surface_fault(const std::string& body) {
  ImageDevice device;
  two_rows(device);
  Argument results;
  return run_on_surface(body, device, 1, results);
}

TEST(Surfaces, FaultsAreNamed) {
  EXPECT_THAT(
      surface_fault("mov.u32 %y, 2;\nsuld.b.2d.b32.trap %x, [%a, {%t, %y}];"),
      HasSubstr("access of 4 bytes outside of surface 't', at byte 0, row 2, slice 0 (12 bytes by 2 rows "
                "by 1 slices)"));
  EXPECT_THAT(surface_fault("mov.u32 %y, -4;\nsust.b.2d.b32.trap [%a, {%y, %t}], %x;"),
              HasSubstr("outside of surface 't', at byte -4"));
  EXPECT_THAT(surface_fault("mov.u32 %y, 2;\nsuld.b.2d.b32.trap %x, [%a, {%y, %t}];"),
              HasSubstr("which is not aligned"));
}

} // namespace
} // namespace kerncast::functional_test
