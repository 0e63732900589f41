// Claim: the launches of rodinia/huffman count bytes and leave the codes of all bytes one after the other.
#include "workload.h"

namespace kerncast::functional_test::huffman_test {
namespace {

constexpr std::size_t ctas = 4, threads = 256, symbols = 256;

// Five symbols with the codes 00, 01, 10, 110 and 111.
std::vector<std::uint8_t> text() {
  return generated<std::uint8_t>(4 * threads * ctas, [](std::uint32_t k) { return scrambled(k) % 5; });
}
std::vector<std::uint32_t> codes() {
  std::vector<std::uint32_t> table{0, 1, 2, 6, 7};
  table.resize(symbols);
  return table;
}
std::vector<std::uint32_t> lengths() {
  std::vector<std::uint32_t> table{2, 2, 2, 3, 3};
  table.resize(symbols);
  return table;
}

// The first byte of a word of data is its highest.
std::vector<std::uint32_t> words_of(const std::vector<std::uint8_t>& bytes) {
  return generated<std::uint32_t>(bytes.size() / 4, [&](std::uint32_t w) {
    return bytes[4 * w] << 24 | bytes[4 * w + 1] << 16 | bytes[4 * w + 2] << 8 | bytes[4 * w + 3];
  });
}

std::vector<std::uint32_t> encoded(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::size_t at = 0;
  for (const std::uint8_t byte : bytes)
    for (std::uint32_t bit = lengths()[byte]; bit-- > 0; ++at)
      words[at / 32] |= (codes()[byte] >> bit & 1U) << (31 - at % 32);
  return words;
}

TEST(Huffman, EncodesAndPacks) {
  const auto bytes = text();
  Device device;
  const auto zeros = [&](std::size_t words) { return device.buffer(std::vector<std::uint32_t>(words)); };
  const Argument words = zeros(ctas * threads), packed = zeros(ctas * threads);
  const Argument bits = zeros(ctas), begins = zeros(ctas), sums = zeros(2);
  const Argument null{Argument::Kind::u64, 0, 0, 0};
  run_shared(device, workload("rodinia/huffman", "vlc_encode_kernel_sm64huff"), {ctas}, {threads},
             {device.buffer(words_of(bytes)), device.buffer(codes()), device.buffer(lengths()), null, null,
              null, words, bits},
             4 * (2 * symbols + threads));
  // Two CTAs of one thread scan two values each.
  run_shared(device, workload("rodinia/huffman", "prescan"), {2}, {1}, {begins, bits, sums}, 8);
  run_shared(device, workload("rodinia/huffman", "prescan"), {1}, {1}, {sums, sums, null}, 8);
  device.run(workload("rodinia/huffman", "uniformAdd"), {2}, {1}, {begins, sums});
  device.run(workload("rodinia/huffman", "pack2"), {1}, {ctas},
             {words, bits, begins, packed, count(threads)});
  EXPECT_EQ(device.read<std::uint32_t>(packed), encoded(bytes));
}

TEST(Huffman, CountsBytes) {
  const auto bytes = text();
  Device device;
  const Argument counts = device.buffer(std::vector<std::uint32_t>(symbols));
  device.run(workload("rodinia/huffman", "histo_kernel"), {3}, {256},
             {device.buffer(bytes), wide(static_cast<std::int64_t>(bytes.size())), counts});
  std::vector<std::uint32_t> expected(symbols);
  for (const std::uint8_t byte : bytes)
    ++expected[byte];
  EXPECT_EQ(device.read<std::uint32_t>(counts), expected);
}

} // namespace
} // namespace kerncast::functional_test::huffman_test
