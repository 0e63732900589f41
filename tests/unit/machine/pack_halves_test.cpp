// Two operations on halves become one. Counts of arithmetic (HADD2, HMUL2, HFMA2) and of what puts halves
// side by side or takes them apart (PRMT) are those of ptxas 13.0, alike for sm_75, sm_80 and sm_90.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;
using tasklist::ValueClass;
using tasklist::ValueId;

// Arithmetic on the floating-point unit, PRMT on the other.
configs::Gpu gpu_with_pairs() {
  auto rows = tiny_rows();
  for (const char* name : {"add", "mul", "fma"})
    for (const char* type : {"f16", "f16x2"})
      rows.push_back(row({name, type}, {on(fpu, 6)}));
  for (std::uint32_t joins = 1; joins <= 3; ++joins)
    for (const char* name : {"add", "mul", "fma"})
      rows.push_back(
          row({name, "f16x2", "join" + std::to_string(joins)}, {on(alu, 6, false, joins), on(fpu, 6)}));
  for (std::uint32_t moves = 1; moves <= 2; ++moves)
    rows.push_back(row({"st", "pack" + std::to_string(moves)}, {on(alu, 6, false, moves), on(lsu, 30)}));
  return tiny_gpu(rows);
}

// Values are halves; %0 is the address of all loads, %1 that of all stores.
class Halves {
public:
  ListWriter w = ptx_list();

  ValueId scalar() { return load(1).front(); }
  std::vector<ValueId> scalars(std::size_t count) {
    std::vector<ValueId> values;
    while (values.size() < count)
      values.push_back(scalar());
    return values;
  }
  std::vector<ValueId> load(std::uint32_t count) {
    std::vector<ValueId> values;
    while (values.size() < count)
      values.push_back(next_++);
    const std::string vector = count == 1 ? "" : "v" + std::to_string(count) + ".";
    w.add("ld.global." + vector + "u16", values, {0}, TaskKind::load).access_bytes =
        static_cast<std::uint16_t>(2 * count);
    return values;
  }
  void store(const std::vector<ValueId>& values) {
    for (const ValueId v : values)
      w.add("st.global.u16", {}, {1, v}, TaskKind::store).access_bytes = 2;
  }
  void store_two(ValueId low, ValueId high) {
    w.add("st.global.v2.u16", {}, {1, low, high}, TaskKind::store);
  }
  ValueId fma(ValueId a, ValueId b, ValueId c) { return compute("fma.rn.f16", {a, b, c}); }
  ValueId mul(ValueId a, ValueId b) { return compute("mul.f16", {a, b}); }
  ValueId add(ValueId a, ValueId b) { return compute("add.f16", {a, b}); }
  ValueId compute(const char* operation, const std::vector<ValueId>& operands) {
    w.add(operation, {next_}, operands);
    return next_++;
  }

  MachineProgram program(const std::vector<std::string_view>& without = {}) {
    w.list.value_classes.assign(next_, ValueClass::b16);
    w.list.value_classes[0] = w.list.value_classes[1] = ValueClass::b64;
    AnnotateOptions options;
    for (const std::string_view name : without)
      EXPECT_TRUE(leave_out(options, name));
    auto found = annotate(w.list, gpu_with_pairs(), options);
    EXPECT_TRUE(found);
    return found ? *found : MachineProgram{};
  }

private:
  ValueId next_ = 2;
};

struct Counts {
  std::int64_t arithmetic = 0, moves = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
  friend void PrintTo(const Counts& counts, std::ostream* out) {
    *out << counts.arithmetic << " and " << counts.moves;
  }
};

Counts counts_of(Halves& kernel, const std::vector<std::string_view>& without = {}) {
  const MachineProgram program = kernel.program(without);
  return {std::ranges::count(program.ops, fpu, &MachineOp::unit),
          std::ranges::count(program.ops, alu, &MachineOp::unit)};
}

// acc[i][j] += a[i] * b[j], `steps` times.
Counts outer_product(std::uint32_t size, std::uint32_t steps, bool loads_vectors) {
  Halves kernel;
  std::vector<ValueId> sums = kernel.scalars(std::size_t{size} * size);
  for (std::uint32_t step = 0; step < steps; ++step) {
    const auto a = loads_vectors ? kernel.load(size) : kernel.scalars(size);
    const auto b = loads_vectors ? kernel.load(size) : kernel.scalars(size);
    for (std::uint32_t i = 0; i < size * size; ++i)
      sums[i] = kernel.fma(a[i / size], b[i % size], sums[i]);
  }
  kernel.store(sums);
  return counts_of(kernel);
}

// Two sums of `size` x `size` lie in a register, which costs a move each at the start and at the end; so do
// two scalars of each step.
TEST(PackHalves, outer_products) {
  EXPECT_EQ(outer_product(2, 1, false), (Counts{2, 5}));
  EXPECT_EQ(outer_product(4, 1, false), (Counts{8, 18}));
  EXPECT_EQ(outer_product(4, 4, false), (Counts{32, 24}));
  EXPECT_EQ(outer_product(8, 2, false), (Counts{64, 72}));
  EXPECT_EQ(outer_product(4, 4, true), (Counts{32, 16}));
}

// Even where putting three operands together, and the result apart, is more than is saved.
TEST(PackHalves, scalars_are_put_side_by_side) {
  const auto independent = [](std::uint32_t count) {
    Halves kernel;
    std::vector<ValueId> results;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto operands = kernel.scalars(3);
      results.push_back(kernel.fma(operands[0], operands[1], operands[2]));
    }
    kernel.store(results);
    return counts_of(kernel);
  };
  EXPECT_EQ(independent(1), (Counts{1, 0}));
  EXPECT_EQ(independent(2), (Counts{1, 4}));
  EXPECT_EQ(independent(3), (Counts{2, 4}));
  EXPECT_EQ(independent(8), (Counts{4, 16}));
}

TEST(PackHalves, neighbours_of_loads_and_stores_cost_no_moves) {
  const auto sums = [](ValueId second_low, ValueId second_high, bool stores_vector) {
    Halves kernel;
    const auto a = kernel.load(2), b = kernel.load(2), c = kernel.load(2);
    const ValueId low = kernel.fma(a[0], b[second_low], c[0]);
    const ValueId high = kernel.fma(a[1], b[second_high], c[1]);
    if (stores_vector)
      kernel.store_two(low, high);
    else
      kernel.store({low, high});
    return counts_of(kernel);
  };
  EXPECT_EQ(sums(0, 1, true), (Counts{1, 0}));
  EXPECT_EQ(sums(0, 1, false), (Counts{1, 1}));
  EXPECT_EQ(sums(0, 0, true), (Counts{1, 0})); // both read one value
  EXPECT_EQ(sums(1, 0, true), (Counts{2, 1})); // crossed
}

TEST(PackHalves, elements_of_one_load_stay_in_their_registers) {
  const auto sums = [](std::size_t first, std::size_t second) {
    Halves kernel;
    const auto a = kernel.load(4), b = kernel.load(4), c = kernel.load(4);
    kernel.store({kernel.fma(a[first], b[first], c[first]), kernel.fma(a[second], b[second], c[second])});
    return counts_of(kernel).arithmetic;
  };
  EXPECT_EQ(sums(2, 3), 1);
  EXPECT_EQ(sums(3, 2), 1);
  EXPECT_EQ(sums(1, 2), 2);
  EXPECT_EQ(sums(0, 2), 2);
}

// The first element with a scalar; the second is read by a sum, by a store, by both products, or not.
TEST(PackHalves, elements_are_joined_if_nothing_else_reads_the_rest) {
  enum class Reader { none, sum, store, products };
  const auto products = [](Reader reader) {
    Halves kernel;
    const auto a = kernel.load(2);
    const auto v = kernel.scalars(3);
    if (reader == Reader::sum)
      kernel.store({kernel.add(a[1], v[2])});
    if (reader == Reader::store)
      kernel.store({a[1]});
    const ValueId factor = reader == Reader::products ? a[1] : v[1];
    kernel.store({kernel.mul(a[0], factor), kernel.mul(v[0], factor)});
    return counts_of(kernel).arithmetic;
  };
  EXPECT_EQ(products(Reader::none), 1);
  EXPECT_EQ(products(Reader::sum), 3); // the sum is one
  EXPECT_EQ(products(Reader::store), 2);
  EXPECT_EQ(products(Reader::products), 2);
}

// (a, c) * (b, d), but a * d and c * b would need (d, b).
TEST(PackHalves, two_values_have_one_order) {
  Halves kernel;
  const auto v = kernel.scalars(4);
  kernel.store({kernel.mul(v[0], v[1]), kernel.mul(v[2], v[3])});
  EXPECT_EQ(counts_of(kernel).arithmetic, 1);
  kernel.store({kernel.mul(v[0], v[3]), kernel.mul(v[2], v[1])});
  EXPECT_EQ(counts_of(kernel).arithmetic, 3);
}

// Four sums of two, two of these, the last one alone; sums of both halves are put side by side with others.
TEST(PackHalves, a_tree) {
  Halves kernel;
  const auto v = kernel.scalars(8);
  std::vector<ValueId> sums;
  for (std::size_t i = 0; i < 8; i += 2)
    sums.push_back(kernel.add(v[i], v[i + 1]));
  const ValueId left = kernel.add(sums[0], sums[1]), right = kernel.add(sums[2], sums[3]);
  kernel.store({kernel.add(left, right)});
  EXPECT_EQ(counts_of(kernel), (Counts{4, 6}));
}

TEST(PackHalves, chains_one_behind_the_other) {
  Halves kernel;
  const auto v = kernel.scalars(18);
  std::vector<ValueId> ends;
  for (const std::size_t chain : {0, 1}) {
    ValueId sum = v[16 + chain];
    for (std::size_t i = 0; i < 4; ++i)
      sum = kernel.fma(v[8 * chain + 2 * i], v[8 * chain + 2 * i + 1], sum);
    ends.push_back(sum);
  }
  kernel.store(ends);
  EXPECT_EQ(counts_of(kernel), (Counts{4, 10}));
}

// A barrier in between does not matter; what the second one loads behind a store of the first one's result
// does.
TEST(PackHalves, neither_waits_for_the_other) {
  const auto products = [](bool has_barrier, bool loads_late) {
    Halves kernel;
    auto v = kernel.scalars(4);
    const ValueId first = kernel.mul(v[0], v[1]);
    kernel.store({first});
    if (has_barrier)
      kernel.w.add("bar.sync", {}, {}, TaskKind::barrier);
    if (loads_late)
      v[2] = kernel.scalar();
    kernel.store({kernel.mul(v[2], v[3])});
    return counts_of(kernel).arithmetic;
  };
  EXPECT_EQ(products(false, false), 1);
  EXPECT_EQ(products(true, false), 1);
  EXPECT_EQ(products(false, true), 2);
}

TEST(PackHalves, of_one_block_and_one_kind) {
  Halves blocks;
  const auto v = blocks.scalars(4);
  const ValueId first = blocks.mul(v[0], v[1]);
  blocks.w.list.blocks.back().successors = {1};
  blocks.w.block();
  blocks.store({first, blocks.mul(v[2], v[3])});
  EXPECT_EQ(counts_of(blocks).arithmetic, 2);
  Halves kinds;
  const auto a = kinds.load(2), b = kinds.load(2);
  kinds.store_two(kinds.mul(a[0], b[0]), kinds.add(a[1], b[1]));
  EXPECT_EQ(counts_of(kinds), (Counts{2, 1}));
}

// Both halves' readers wait for the one operation, which waits for both loads.
TEST(PackHalves, results_are_those_of_one_operation) {
  Halves kernel;
  const ValueId a = kernel.scalar(), b = kernel.scalar(), c = kernel.scalar(); // tasks 0 to 2
  const ValueId first = kernel.mul(a, c), second = kernel.mul(b, c);
  kernel.store({second, first});
  const MachineProgram program = kernel.program({"scheduling"});
  // Three loads, PRMT, product, PRMT and store of the upper half, store of the lower one.
  ASSERT_THAT(tasks_of(program), ::testing::ElementsAre(0, 1, 2, 3, 3, 5, 5, 6));
  EXPECT_THAT(waits_for(program, 3), ::testing::UnorderedElementsAre(0, 1, 2));
  EXPECT_EQ(program.destinations(program.ops[4]).size(), 1u);
  EXPECT_TRUE(waits_for(program, 5).contains(4));
  EXPECT_TRUE(waits_for(program, 7).contains(4));
  EXPECT_EQ(counts_of(kernel, {"pairing"}), (Counts{2, 0}));
}

} // namespace
} // namespace kerncast::machine::testing
