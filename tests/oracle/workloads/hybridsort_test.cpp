// Claim: the launches of rodinia/hybridsort, with the tables that the suite's host makes between them, sort.
#include <algorithm>
#include <deque>
#include <numeric>

#include "workload.h"

namespace kerncast::functional_test::hybridsort_test {
namespace {

constexpr std::size_t size = 3000;
constexpr std::uint32_t buckets = 1024;
constexpr std::uint32_t room = 16; // values of a bucket, padding included; twice 2 quadruples

// One over, for the end of the last bucket.
Integers begins_of(const Integers& counts) {
  Integers begins(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), begins.begin() + 1);
  return begins;
}

TEST(HybridSort, CountsAsTheHistogramDoes) {
  const auto values = random_floats(size, 3);
  Device device;
  const Argument counts = device.buffer(Integers(buckets));
  device.run(workload("rodinia/hybridsort", "histogram1024Kernel"), {2}, {96},
             {counts, device.buffer(values), real(0), real(1), count(size)});
  Integers expected(buckets);
  for (const float value : values)
    ++expected[static_cast<std::size_t>(value * buckets)];
  EXPECT_EQ(device.read<std::int32_t>(counts), expected);
}

TEST(HybridSort, Sorts) {
  constexpr std::uint32_t ctas = 2;
  auto values = random_floats(size, 3);
  const auto pivots = generated<float>(buckets, [](std::uint32_t b) { return (b + 1.0) / buckets; });
  const auto begins = generated<std::int32_t>(buckets, [](std::uint32_t b) { return b * room; });
  std::deque<Code> codes; // variables belong to a module, so all live until the end
  const auto name = [&](const char* kernel) -> const Code& {
    return codes.emplace_back(workload("rodinia/hybridsort", kernel));
  };
  Device device;
  const Argument input = device.buffer(values), place = device.buffer(Integers(size)),
                 counts = device.buffer(Integers(buckets)), of_cta = device.buffer(Integers(ctas * buckets));
  device.run(name("bucketcount"), {ctas}, {32}, {input, place, of_cta, count(size), device.buffer(pivots)});
  device.run(name("bucketprefixoffset"), {buckets / 128}, {128}, {of_cta, counts, count(ctas)});
  const Integers found = device.read<std::int32_t>(counts);
  ASSERT_LE(*std::max_element(found.begin(), found.end()), room);
  Argument from = device.buffer(std::vector<float>(buckets * room)),
           to = device.buffer(std::vector<float>(buckets * room));
  device.run(name("bucketsort"), {ctas}, {32},
             {input, place, to, count(size), of_cta, device.buffer(begins)});

  Integers padding;
  for (const std::int32_t n : found)
    padding.push_back(static_cast<std::int32_t>(room) - n);
  const std::vector<Constant> tables{{"constStartAddr", begins_of(Integers(buckets, room / 4))},
                                     {"finalStartAddr", begins_of(found)},
                                     {"nullElems", padding}};
  const Code merge = workload_with(tables, "rodinia/hybridsort", "mergeSortPass"),
             pack = workload_with(tables, "rodinia/hybridsort", "mergepack");
  device.run(name("mergeSortFirst"), {buckets * room / 4 / 256}, {256}, {to, from, count(buckets * room)});
  for (std::uint32_t length = 2; length <= room / 4; length *= 2) {
    const std::uint32_t per_bucket = room / 4 / length;
    device.run(merge, {buckets * per_bucket / 128}, {128}, {from, to, count(length), count(per_bucket)});
    std::swap(from, to);
  }
  device.run(pack, {1, buckets}, {32}, {from, to});

  std::sort(values.begin(), values.end());
  std::vector<float> sorted = device.read<float>(to);
  sorted.resize(size);
  EXPECT_EQ(sorted, values);
}

} // namespace
} // namespace kerncast::functional_test::hybridsort_test
