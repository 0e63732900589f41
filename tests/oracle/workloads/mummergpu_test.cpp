// Claim: rodinia/mummergpu finds, for each suffix of a query, the longest beginning that occurs in the
// reference, and names the place in the suffix tree that spells it, if it is not too short.
#include <array>
#include <map>

#include "workload.h"

namespace kerncast::functional_test::mummergpu_test {
namespace {

using Bases = std::basic_string<char>;
using Texel = std::array<std::int32_t, 4>;

struct Node {
  std::size_t first = 0, end = 0; // of its edge in the reference
  Bases spelled;                  // from the root to its end
  std::array<std::size_t, 4> children{};
};

// Suffix by suffix; node 0 is none, node 1 the root.
class SuffixTree {
public:
  explicit SuffixTree(Bases reference) : reference_(std::move(reference)), nodes_(2) {
    for (std::size_t begin = 0; begin < reference_.size(); ++begin)
      insert(begin);
  }

  std::vector<Texel> children() const {
    std::vector<Texel> texels;
    for (const Node& node : nodes_)
      texels.push_back({static_cast<int>(node.children[0]), static_cast<int>(node.children[1]),
                        static_cast<int>(node.children[2]), static_cast<int>(node.children[3])});
    return texels;
  }
  // Leaves have no suffix links: no walk ends there and goes on.
  std::vector<Texel> nodes() const {
    std::map<Bases, std::size_t> of_string;
    for (std::size_t n = 1; n < nodes_.size(); ++n)
      of_string[nodes_[n].spelled] = n;
    std::vector<Texel> texels(2);
    for (std::size_t n = 2; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      const auto link = of_string.find(node.spelled.substr(1));
      texels.push_back({static_cast<int>(node.first), static_cast<int>(node.end) - 1,
                        link == of_string.end() ? 0 : static_cast<int>(link->second), 0});
    }
    return texels;
  }
  // What a match's node and bases on its edge stand for.
  Bases spelled(std::size_t node, std::size_t on_edge) const {
    const Node& at = nodes_.at(node);
    return on_edge == 0 ? at.spelled
                        : at.spelled.substr(0, at.spelled.size() - (at.end - at.first) + on_edge);
  }

private:
  void insert(std::size_t begin) {
    std::size_t at = 1, next = begin;
    while (next < reference_.size()) {
      const auto base = static_cast<std::size_t>(reference_[next]);
      if (nodes_[at].children[base] == 0) {
        nodes_[at].children[base] = nodes_.size();
        nodes_.push_back({next, reference_.size(), reference_.substr(begin), {}});
        return;
      }
      at = walk(at, base, begin, next);
    }
  }
  // Down one edge, which is split where the suffix leaves it.
  std::size_t walk(std::size_t parent, std::size_t base, std::size_t begin, std::size_t& next) {
    const std::size_t child = nodes_[parent].children[base];
    std::size_t place = nodes_[child].first;
    while (place < nodes_[child].end && next < reference_.size() && reference_[place] == reference_[next]) {
      ++place;
      ++next;
    }
    if (place == nodes_[child].end || next == reference_.size())
      return child;
    Node middle{nodes_[child].first, place, reference_.substr(begin, next - begin), {}};
    middle.children[static_cast<std::size_t>(reference_[place])] = child;
    nodes_[child].first = place;
    nodes_[parent].children[base] = nodes_.size();
    nodes_.push_back(middle);
    return nodes_.size() - 1;
  }

  Bases reference_;
  std::vector<Node> nodes_;
};

Bases random_bases(std::size_t size, std::uint32_t seed) {
  Bases bases;
  for (std::uint32_t k = 0; k < size; ++k)
    bases += static_cast<char>(scrambled(k + 10000 * seed) % 4);
  return bases;
}

// A repeat, so that inner edges have several bases.
Bases some_reference() {
  const Bases part = random_bases(60, 1);
  return part + random_bases(100, 2) + part + random_bases(80, 3) + part.substr(10, 40);
}

// Cut out of the reference, one base of most of them changed; every fifth is random.
std::vector<Bases> some_queries(const Bases& reference) {
  std::vector<Bases> queries;
  for (std::uint32_t q = 0; q < 300; ++q) {
    const std::size_t length = 12 + scrambled(q) % 20;
    Bases query = q % 5 == 0 ? random_bases(length, 10 + q)
                             : reference.substr(scrambled(q + 999) % (reference.size() - length), length);
    if (q % 5 > 1)
      query[length / 2] = static_cast<char>(q % 4);
    queries.push_back(query);
  }
  return queries;
}

Bases longest_beginning(const Bases& reference, const Bases& bases) {
  std::size_t length = bases.size();
  while (reference.find(bases.substr(0, length)) == Bases::npos)
    --length;
  return bases.substr(0, length);
}

Argument texture_of(Device& device, const std::vector<Texel>& texels, std::uint32_t number) {
  tasklist::Image image;
  image.name = std::to_string(number);
  image.buffer = device.buffer(texels).buffer;
  image.format = tasklist::TexelFormat::u32;
  image.channels = 4;
  image.width = static_cast<std::uint32_t>(texels.size());
  image.pitch_bytes = texels.size() * sizeof(Texel);
  EXPECT_TRUE(device.memory.add_image(image));
  return {Argument::Kind::u64, tasklist::image_handle(number), 0, 0};
}

struct Batch {
  std::vector<char> text;
  std::vector<std::int32_t> begins, lengths;
};

Batch batch_of(const std::vector<Bases>& queries) {
  Batch batch;
  for (const Bases& query : queries) {
    batch.begins.push_back(static_cast<int>(batch.text.size()));
    batch.lengths.push_back(static_cast<int>(query.size()));
    batch.text.insert(batch.text.end(), query.begin(), query.end());
  }
  return batch;
}

TEST(Mummergpu, FindsTheLongestMatches) {
  constexpr int least = 6;
  const Bases reference = some_reference();
  const SuffixTree tree(reference);
  const auto queries = some_queries(reference);
  const Batch batch = batch_of(queries);
  const std::size_t results = batch.text.size() - queries.size() * (least - 1);
  Device device;
  const Argument matches = device.buffer(std::vector<std::array<std::int32_t, 2>>(results, {-1, -1}));
  const Argument text = device.buffer(batch.text);
  const Argument nodes = texture_of(device, tree.nodes(), 0),
                 children = texture_of(device, tree.children(), 1);
  device.run(
      workload("rodinia/mummergpu", "mummergpuKernel"), {2}, {256},
      {matches, text, nodes, children, device.buffer(std::vector<char>(reference.begin(), reference.end())),
       device.buffer(batch.begins), device.buffer(batch.lengths), count(queries.size()), integer(least)});

  const auto got = device.read<std::array<std::int32_t, 2>>(matches);
  std::size_t result = 0, found = 0;
  for (const Bases& query : queries)
    for (std::size_t start = 0; start + least <= query.size(); ++start, ++result) {
      const Bases expected = longest_beginning(reference, query.substr(start));
      if (expected.size() < least) {
        EXPECT_EQ(got[result][0], -1) << "result " << result;
        continue;
      }
      ++found;
      ASSERT_GT(got[result][0], 0) << "result " << result;
      EXPECT_EQ(
          tree.spelled(static_cast<std::size_t>(got[result][0]), static_cast<std::size_t>(got[result][1])),
          expected)
          << "result " << result;
    }
  EXPECT_GT(found, results / 4);
  EXPECT_LT(found, results);
}

} // namespace
} // namespace kerncast::functional_test::mummergpu_test
