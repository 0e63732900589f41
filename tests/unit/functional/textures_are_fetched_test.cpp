// Fetches from textures against the definitions of the CUDA C++ Programming Guide, texture fetching.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "texture_kernel.h"

namespace kerncast::functional_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What one fetch per thread gives at coordinates (x, y), which lie in `b` in front of the four results.
std::vector<float> fetched(const std::string& fetch, ImageDevice& device, const std::vector<float>& places) {
  const Code code =
      Code::of_text(texture_kernel("ld.global.v2.f32 {%u, %v}, [%c];\nmov.f32 %s, 0f00000000;\n" + fetch +
                                   "\nst.global.v4.f32 [%c], {%fx, %fy, %fz, %fw};"));
  const auto threads = static_cast<std::uint32_t>(places.size() / 2);
  std::vector<float> values(4 * threads);
  for (std::size_t t = 0; t < threads; ++t) {
    values[4 * t] = places[2 * t];
    values[4 * t + 1] = places[2 * t + 1];
  }
  const Argument b = device.buffer(values);
  device.run(code, {1}, {threads}, {handle(0), b, integer(0)});
  return device.read<float>(b);
}

const std::string fetch_1d = "tex.1d.v4.f32.f32 {%fx, %fy, %fz, %fw}, [%a, {%u}];";
const std::string fetch_2d = "tex.2d.v4.f32.f32 {%fx, %fy, %fz, %fw}, [%a, {%u, %v}];";

// First channels of the results.
std::vector<float> first(const std::vector<float>& results) {
  std::vector<float> values;
  for (std::size_t k = 0; k < results.size(); k += 4)
    values.push_back(results[k]);
  return values;
}

std::vector<float> fetched_row(const Sampler& sampler, const std::vector<float>& coordinates) {
  ImageDevice device;
  Image image = image_of(device.buffer<float>({10, 20, 30, 40}), TexelFormat::f32, 1, 4);
  image.sampler = sampler;
  device.add(image);
  std::vector<float> places;
  for (const float x : coordinates) {
    places.push_back(x);
    places.push_back(0);
  }
  return first(fetched(fetch_1d, device, places));
}

// tex(x) = T[floor(x)], and the nearest one outside.
TEST(Textures, GiveTheTexelThatACoordinateLiesIn) {
  EXPECT_THAT(fetched_row({}, {0, 0.99F, 1, 2.5F, 3.99F, 4, 100, -0.5F, -7}),
              ElementsAre(10, 10, 20, 30, 40, 40, 40, 10, 10));
}

TEST(Textures, GiveZerosBehindABorder) {
  Sampler sampler;
  sampler.address.fill(Sampler::Address::border);
  EXPECT_THAT(fetched_row(sampler, {-0.5F, 0, 3.5F, 4}), ElementsAre(0, 10, 40, 0));
}

// x is replaced by frac(x): texel floor(4 frac(x)).
TEST(Textures, WrapNormalizedCoordinates) {
  Sampler sampler;
  sampler.address.fill(Sampler::Address::wrap);
  sampler.is_normalized = true;
  EXPECT_THAT(fetched_row(sampler, {0, 0.25F, 0.75F, 1, 2.5F, -0.25F, -1}),
              ElementsAre(10, 20, 40, 10, 30, 40, 10));
}

// frac(x) where floor(x) is even, 1 - frac(x) where it is odd; 1 - frac(1) is 1, the end of the last texel.
TEST(Textures, MirrorNormalizedCoordinates) {
  Sampler sampler;
  sampler.address.fill(Sampler::Address::mirror);
  sampler.is_normalized = true;
  EXPECT_THAT(fetched_row(sampler, {0.3F, 1.1F, 1.3F, 1.9F, 2.1F, -0.1F, -0.3F}),
              ElementsAre(20, 40, 30, 10, 10, 10, 20));
}

// (1 - a) T[i] + a T[i + 1] with i = floor(x - 0.5) and a = frac(x - 0.5) in steps of 1/256.
TEST(Textures, FilterLinearly) {
  Sampler sampler;
  sampler.filter = Sampler::Filter::linear;
  // 0.5: 10. 1.0: halfway, 15. 1.25: a = 0.75, 17.5. 0 and 4: the nearest texel. 1.501: a = 0.001 rounds to
  // 0; 1.503: 0.003 to 1/256, 20 + 10/256.
  EXPECT_THAT(fetched_row(sampler, {0.5F, 1, 1.25F, 0, 4, 1.501F, 1.503F}),
              ElementsAre(10, 15, 17.5F, 10, 40, 20, 20.0390625F));
  sampler.address.fill(Sampler::Address::border); // half of 10, half of the border
  EXPECT_THAT(fetched_row(sampler, {0}), ElementsAre(5));
}

// Against (1-a)(1-b) T[j][i] + a (1-b) T[j][i+1] + (1-a) b T[j+1][i] + a b T[j+1][i+1].
TEST(Textures, FilterInTwoDimensions) {
  constexpr std::uint32_t width = 7, height = 5, pitch = 8;
  const std::vector<float> texels = random_floats(std::size_t{pitch} * height, 1);
  ImageDevice device;
  Image image = image_of(device.buffer(texels), TexelFormat::f32, 1, width, height);
  image.pitch_bytes = 4 * pitch;
  image.sampler.filter = Sampler::Filter::linear;
  device.add(image);
  std::vector<float> places;
  for (std::uint32_t k = 0; k < 256; ++k) {
    places.push_back(static_cast<float>(scrambled(k) % 2048) / 256 - 0.5F);
    places.push_back(static_cast<float>(scrambled(k + 999) % 1536) / 256 - 0.5F);
  }
  const std::vector<float> results = first(fetched(fetch_2d, device, places));
  const auto texel = [&](double i, double j) {
    const auto x = static_cast<std::size_t>(std::min(std::max(i, 0.0), width - 1.0));
    const auto y = static_cast<std::size_t>(std::min(std::max(j, 0.0), height - 1.0));
    return static_cast<double>(texels[y * pitch + x]);
  };
  for (std::size_t k = 0; k < results.size(); ++k) {
    // Multiples of 1/256, so that a and b are exact.
    const double x = static_cast<double>(places[2 * k]) - 0.5,
                 y = static_cast<double>(places[2 * k + 1]) - 0.5;
    const double i = std::floor(x), j = std::floor(y), a = x - i, b = y - j;
    const double expected = (1 - a) * (1 - b) * texel(i, j) + a * (1 - b) * texel(i + 1, j) +
                            (1 - a) * b * texel(i, j + 1) + a * b * texel(i + 1, j + 1);
    EXPECT_FLOAT_EQ(results[k], static_cast<float>(expected)) << k;
  }
}

// u8: v / 255; s8: v / 127, and -128 is -1 too. Channels that are not there: 0, 0, 1.
TEST(Textures, ReadIntegersAsFloats) {
  ImageDevice device;
  Image image = image_of(device.buffer<std::uint8_t>({0, 51, 255, 128}), TexelFormat::u8, 2, 2);
  image.reads_unit_range = true;
  device.add(image);
  EXPECT_THAT(fetched(fetch_1d, device, {0, 0, 1, 0}),
              ElementsAre(0, 0.2F, 0, 1, 1, static_cast<float>(128.0 / 255), 0, 1));
  ImageDevice other;
  image = image_of(other.buffer<std::int8_t>({127, -127, -128, 64}), TexelFormat::s8, 4, 1);
  image.reads_unit_range = true;
  other.add(image);
  EXPECT_THAT(fetched(fetch_1d, other, {0, 0}), ElementsAre(1, -1, -1, static_cast<float>(64.0 / 127)));
}

// f16: 1.5 is 0x3e00, -2 is 0xc000.
TEST(Textures, ReadHalves) {
  ImageDevice device;
  device.add(image_of(device.buffer<std::uint16_t>({0x3e00, 0xc000}), TexelFormat::f16, 1, 2));
  EXPECT_THAT(first(fetched(fetch_1d, device, {0, 0, 1, 0})), ElementsAre(1.5F, -2));
}

// Words that a kernel leaves in b: four per thread.
std::vector<std::uint32_t> fetched_words(const std::string& body, ImageDevice& device, std::uint32_t threads,
                                         const std::string& declarations = {}) {
  const Code code = Code::of_text(texture_kernel(body, declarations));
  const Argument b = device.buffer(std::vector<std::uint32_t>(4 * threads));
  device.run(code, {1}, {threads}, {handle(0), b, integer(0)});
  return device.read<std::uint32_t>(b);
}

// Integers are extended by their sign.
TEST(Textures, ReadIntegersAtWholeCoordinates) {
  ImageDevice device;
  device.add(image_of(device.buffer<std::int16_t>({1, -2, 3, -4}), TexelFormat::s16, 2, 2));
  EXPECT_THAT(fetched_words(
                  "tex.1d.v4.s32.s32 {%x, %y, %z, %w}, [%a, {%t}];\nst.global.v4.u32 [%c], {%x, %y, %z, %w};",
                  device, 2),
              ElementsAre(1, 0xfffffffe, 0, 1, 3, 0xfffffffc, 0, 1));
}

// Texel k of a 2 x 2 x 2 or layered image is k.
TEST(Textures, HaveDepthAndLayers) {
  const std::string store = "\nst.global.u32 [%c], %x;";
  ImageDevice deep;
  deep.add(image_of(deep.buffer(iota_words(8)), TexelFormat::u32, 1, 2, 2, 2));
  EXPECT_EQ(
      fetched_words("mov.u32 %w, 1;\ntex.3d.v4.u32.s32 {%x, %y, %z, _}, [%a, {%t, %w, %w, %w}];" + store,
                    deep, 2)[4],
      7U);
  ImageDevice layered;
  Image image = image_of(layered.buffer(iota_words(12)), TexelFormat::u32, 1, 2, 2);
  image.layers = 3;
  layered.add(image);
  // Layer t, and the last one behind it: texel (1, 0).
  const auto words = fetched_words(
      "mov.u32 %w, 1;\nmov.u32 %z, 0;\ntex.a2d.v4.u32.s32 {%x, %y, _, _}, [%a, {%t, %w, %z, %z}];" + store,
      layered, 4);
  EXPECT_THAT((std::vector<std::uint32_t>{words[0], words[4], words[8], words[12]}), ElementsAre(1, 5, 9, 9));
}

// Face f of a 2 x 2 cube map holds 4 f to 4 f + 3. The directions +x, -x, +y, -y, +z and -z meet the faces'
// middles, where s = t = 0.5: texel (1, 1), 4 f + 3.
TEST(Textures, HaveSixFaces) {
  ImageDevice device;
  Image image = image_of(device.buffer(iota_words(24)), TexelFormat::u32, 1, 2, 2);
  image.layers = 6;
  device.add(image);
  const std::string directions = "shr.u32 %x, %t, 1;\nand.b32 %y, %t, 1;\nshl.b32 %y, %y, 1;\n"
                                 "sub.s32 %y, 1, %y;\ncvt.rn.f32.s32 %s, %y;\n"
                                 "setp.eq.u32 %p, %x, 0;\nselp.f32 %u, %s, 0f00000000, %p;\n"
                                 "setp.eq.u32 %p, %x, 1;\nselp.f32 %v, %s, 0f00000000, %p;\n"
                                 "setp.eq.u32 %p, %x, 2;\nselp.f32 %f, %s, 0f00000000, %p;\n";
  const auto words = fetched_words(
      directions + "tex.cube.v4.u32.f32 {%x, _, _, _}, [%a, {%u, %v, %f, %f}];\nst.global.u32 [%c], %x;",
      device, 6);
  for (std::uint32_t face = 0; face < 6; ++face)
    EXPECT_EQ(words[4 * face], 4 * face + 3) << face;
}

// Around (1, 1) of rows 10 11 and 20 21: from the lower left on, counter-clockwise.
TEST(Textures, GatherFourTexels) {
  ImageDevice device;
  device.add(image_of(device.buffer<float>({10, 11, 20, 21}), TexelFormat::f32, 1, 2, 2));
  EXPECT_THAT(fetched("tld4.r.2d.v4.f32.f32 {%fx, %fy, %fz, %fw}, [%a, {%u, %v}];", device, {1, 1}),
              ElementsAre(20, 21, 11, 10));
}

// One texel on, and p says that the texture is in memory. The level chooses nothing, there is one.
TEST(Textures, TakeOffsetsLevelsAndPredicates) {
  ImageDevice device;
  device.add(image_of(device.buffer<float>({10, 20, 30, 40}), TexelFormat::f32, 1, 4));
  EXPECT_THAT(fetched("mov.u32 %x, 1;\ntex.1d.v4.f32.f32 {%fx, _, _, _}|%p, [%a, {%u}], {%x};\n"
                      "selp.f32 %fy, 0f3f800000, 0f00000000, %p;\ntex.level.1d.v4.f32.f32 {%fz, _, _, %fw}, "
                      "[%a, {%u}], %s;",
                      device, {0.5F, 0}),
              ElementsAre(20, 1, 10, 1));
}

TEST(Textures, AnswerQueries) {
  ImageDevice device;
  Image image = image_of(device.buffer(std::vector<std::uint8_t>(32)), TexelFormat::u8, 4, 2, 4);
  image.sampler.is_normalized = true;
  device.add(image);
  // CL_UNSIGNED_INT8 and CL_RGBA.
  EXPECT_THAT(
      fetched_words("txq.width.b32 %x, [%a];\ntxq.height.b32 %y, [%a];\ntxq.channel_data_type.b32 %z, [%a];\n"
                    "txq.channel_order.b32 %w, [%a];\nst.global.v4.u32 [%c], {%x, %y, %z, %w};\n"
                    "txq.normalized_coords.b32 %x, [%a];\ntxq.depth.b32 %y, [%a];\n"
                    "txq.array_size.b32 %z, [%a];\ntxq.num_mipmap_levels.b32 %w, [%a];\n"
                    "@!%p st.global.v4.u32 [%b+16], {%x, %y, %z, %w};",
                    device, 2),
      ElementsAre(2, 4, 0x10da, 0x10b5, 1, 1, 0, 1));
}

// .texref and .samplerref variables; the sampler of the second mode is a variable's, or another texture's.
TEST(Textures, AreNamedByVariables) {
  ImageDevice device;
  device.add(image_of(device.buffer<float>({10, 20}), TexelFormat::f32, 1, 2));
  const std::string body = "mov.f32 %u, 0f3f800000;\ntex.1d.v4.f32.f32 {%fx, _, _, _}, [t, {%u}];\n"
                           "mov.b32 %x, %fx;\nst.global.u32 [%c], %x;";
  EXPECT_EQ(fetched_words(body, device, 1, ".global .texref t;\n")[0], std::bit_cast<std::uint32_t>(20.0F));
  std::string text =
      texture_kernel("mov.f32 %u, 0f3f800000;\n"
                     "tex.1d.v4.f32.f32 {%fx, _, _, _}, [t, s, {%u}];\nst.global.f32 [%c], %fx;",
                     ".global .texref t;\n.global .samplerref s = { filter_mode = linear, "
                     "addr_mode_0 = clamp_to_edge };\n");
  text.replace(text.find("sm_80"), 5, "sm_80, texmode_independent");
  const Argument b = device.buffer(std::vector<float>(4));
  device.run(Code::of_text(text), {1}, {1}, {handle(0), b, integer(0)});
  EXPECT_EQ(device.read<float>(b)[0], 15);
}

std::string texture_fault(const std::string& body, ImageDevice& device, const Argument& texture = handle(0)) {
  const Argument b = device.buffer(std::vector<std::uint32_t>(4));
  return error_of(device.try_run(Code::of_text(texture_kernel(body)), {1}, {1}, {texture, b, integer(0)}));
}

TEST(Textures, FaultsAreNamed) {
  ImageDevice device;
  device.add(image_of(device.unknown_buffer<float>(4), TexelFormat::f32, 1, 4));
  const std::string fetch = "mov.f32 %u, 0f00000000;\n";
  EXPECT_THAT(texture_fault(fetch + fetch_1d, device),
              HasSubstr("fetch of 4 bytes of 't' whose contents are unknown"));
  EXPECT_THAT(texture_fault(fetch + fetch_1d, device, handle(1)),
              HasSubstr("there is no texture or surface with the "
                        "handle 0x4000000000000001"));
  EXPECT_THAT(texture_fault(fetch + "tex.a1d.v4.f32.f32 {%fx, _, _, _}, [%a, {%t, %u}];", device),
              HasSubstr("texture 't' of 4 x 1 x 1 texels and 0 layers does not have the geometry"));
  EXPECT_THAT(texture_fault("tex.1d.v4.u32.s32 {%x, _, _, _}, [%a, {%t}];", device),
              HasSubstr("the fetch wants integers, but texture 't' of f32 gives floats"));
}

std::string problem_of(const std::function<void(Image&)>& change) {
  Device device;
  Image image = image_of(device.buffer(std::vector<std::uint8_t>(64)), TexelFormat::u8, 4, 4, 4);
  change(image);
  const auto added = device.memory.add_image(image);
  return added ? "" : render(added.error());
}

TEST(Textures, DescriptionsAreChecked) {
  EXPECT_EQ(problem_of([](Image&) {}), "");
  EXPECT_THAT(problem_of([](Image& i) { i.channels = 3; }), HasSubstr("cannot have 3 channels"));
  EXPECT_THAT(problem_of([](Image& i) { i.height = 5; }), HasSubstr("do not fit the buffer's 64 bytes"));
  EXPECT_THAT(problem_of([](Image& i) { i.offset = 4; }), HasSubstr("from byte 4 on"));
  EXPECT_THAT(problem_of([](Image& i) { i.offset = 2; }), HasSubstr("in the middle of a texel"));
  EXPECT_THAT(problem_of([](Image& i) { i.pitch_bytes = 12; }), HasSubstr("a pitch of 12 bytes"));
  EXPECT_THAT(problem_of([](Image& i) { i.pitch_bytes = ~std::uint64_t{3}; }), HasSubstr("do not fit"));
  EXPECT_THAT(problem_of([](Image& i) { i.sampler.filter = Sampler::Filter::linear; }),
              HasSubstr("filtered"));
  EXPECT_THAT(problem_of([](Image& i) { i.sampler.address[1] = Sampler::Address::wrap; }),
              HasSubstr("normalized"));
  EXPECT_THAT(problem_of([](Image& i) { i.layers = i.depth = 2; }), HasSubstr("either depth or layers"));
  EXPECT_THAT(problem_of([](Image& i) {
                i.format = TexelFormat::f32;
                i.channels = 1;
                i.reads_unit_range = true;
              }),
              HasSubstr("only integers of 8 and 16 bits"));
}

} // namespace
} // namespace kerncast::functional_test
