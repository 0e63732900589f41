// Claim: rodinia/b+tree finds the records of keys that there are, leaves the answers of others, and counts
// the records of ranges.
#include <limits>

#include "workload.h"

namespace kerncast::functional_test::b_plus_tree_test {
namespace {

constexpr std::size_t order = 256, node_words = 2 * (order + 1) + 3;
constexpr std::size_t leaves = 5, keys_of_leaf = 60, queries = 12;
constexpr std::int32_t spacing = 3; // keys are its multiples

struct Tree {
  std::vector<std::int32_t> words = std::vector<std::int32_t>((1 + leaves) * node_words);

  // As the suite's host writes nodes: unused keys are the highest.
  void fill(std::size_t node, std::size_t children, std::int32_t first_index, std::int32_t first_key,
            std::int32_t step) {
    std::int32_t* indices = &words[node * node_words + 1];
    std::int32_t* keys = indices + order + 1;
    std::fill(keys, keys + order + 1, std::numeric_limits<std::int32_t>::max());
    for (std::size_t k = 0; k < children; ++k) {
      indices[k] = first_index + static_cast<std::int32_t>(k);
      keys[k] = first_key + static_cast<std::int32_t>(k) * step;
    }
  }
};

Tree make_tree() {
  Tree tree;
  constexpr auto span = static_cast<std::int32_t>(keys_of_leaf) * spacing;
  tree.fill(0, leaves, 1, 0, span);
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    const auto number = static_cast<std::int32_t>(leaf);
    tree.fill(1 + leaf, keys_of_leaf, number * static_cast<std::int32_t>(keys_of_leaf), number * span,
              spacing);
  }
  return tree;
}

class BPlusTree : public testing::Test {
protected:
  Argument places() { return device_.buffer(std::vector<std::int64_t>(queries)); }
  std::vector<Argument> with_tree() { return {wide(1), device_.buffer(make_tree().words), wide(1 + leaves)}; }

  Device device_;
};

TEST_F(BPlusTree, FindsRecords) {
  const auto keys = generated<std::int32_t>(queries, [](std::uint32_t k) { return 70 * k; });
  const auto records = generated<std::int32_t>(leaves * keys_of_leaf, scrambled);
  const Argument answers = device_.buffer(std::vector<std::int32_t>(queries, -1));
  std::vector<Argument> arguments = with_tree();
  for (const Argument& a : {device_.buffer(records), places(), places(), device_.buffer(keys), answers})
    arguments.push_back(a);
  device_.run(workload("rodinia/b+tree", "findK"), {queries}, {order}, arguments);

  std::vector<std::int32_t> expected;
  for (const std::int32_t key : keys)
    expected.push_back(key % spacing == 0 ? records[static_cast<std::size_t>(key / spacing)] : -1);
  EXPECT_EQ(device_.read<std::int32_t>(answers), expected);
}

// From key 3 k a to key 3 k b there are b - a + 1 records.
TEST_F(BPlusTree, CountsRanges) {
  const auto starts = generated<std::int32_t>(queries, [](std::uint32_t k) { return 42 * k; });
  const auto ends = generated<std::int32_t>(queries, [](std::uint32_t k) { return 42 * k + 30 * k; });
  const Argument first = device_.buffer(std::vector<std::int32_t>(queries));
  const Argument counts = device_.buffer(std::vector<std::int32_t>(queries));
  std::vector<Argument> arguments = with_tree();
  for (const Argument& a :
       {places(), places(), places(), places(), device_.buffer(starts), device_.buffer(ends), first, counts})
    arguments.push_back(a);
  device_.run(workload("rodinia/b+tree", "findRangeK"), {queries}, {order}, arguments);
  for (std::size_t q = 0; q < queries; ++q) {
    EXPECT_EQ(device_.read<std::int32_t>(first)[q], starts[q] / spacing);
    EXPECT_EQ(device_.read<std::int32_t>(counts)[q], (ends[q] - starts[q]) / spacing + 1);
  }
}

} // namespace
} // namespace kerncast::functional_test::b_plus_tree_test
