// Of 64-bit values only halves that are not known beforehand cost an operation.
#include <gmock/gmock.h>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::TaskKind;
using tasklist::ValueClass;

// Two operations for what has 64 bits, one for 32.
configs::Gpu gpu_of_pairs() {
  auto rows = tiny_rows();
  rows.push_back(row({"cvt"}, {}));
  for (const std::string name : {"shl", "shr", "or", "xor", "add", "and"})
    for (const std::string type : {"b", "u", "s"}) {
      rows.push_back(row({name, type + "64"}, {on(alu, 6), on(alu, 6)}));
      rows.push_back(row({name, type + "32"}, {on(alu, 6)}));
    }
  for (const std::string type : {"s64", "u64"})
    rows.push_back(row({"mul", "lo", type}, {on(alu, 6, false, 4)}));
  rows.push_back(row({"mul", "wide", "u32"}, {on(alu, 6)}));
  rows.push_back(row({"fused", "rotate", "b64"}, {on(alu, 6, false, 2)}));
  rows.push_back(row({"bfi", "b64"}, {on(alu, 6, false, 4)}));
  return tiny_gpu(rows);
}

// Operations of the tasks behind the loads of two values of 64 bits and two of 32.
class Pairs {
public:
  Pairs() {
    w_.add("ld.global.u64", {a}, {}, TaskKind::load);
    w_.add("ld.global.u64", {b}, {}, TaskKind::load);
    w_.add("ld.global.u32", {c}, {}, TaskKind::load);
    w_.add("ld.global.u32", {d}, {}, TaskKind::load);
    loads_ = w_.list.tasks.size();
  }
  Pairs& then(const std::string& operation, tasklist::ValueId result,
              const std::vector<tasklist::ValueId>& uses, const std::vector<std::string>& constants = {}) {
    w_.add(operation, {result}, uses);
    give_constants(w_, w_.list.tasks.size() - 1, constants);
    last_ = result;
    return *this;
  }
  // A comparison reads each half for itself.
  std::size_t operations(const std::vector<std::string_view>& without = {}) const {
    ListWriter w = w_;
    w.add("setp.ne.s64", {compared}, {last_});
    w.add("st.global.u32", {}, {compared}, TaskKind::store);
    return count(std::move(w), without) - 1;
  }
  std::size_t operations_where_stored() const {
    ListWriter w = w_;
    w.add("st.global.u64", {}, {last_}, TaskKind::store);
    return count(std::move(w), {});
  }

  static constexpr tasklist::ValueId a = 0, b = 1, r = 2, s = 3, t = 4, x = 5; // of 64 bits
  static constexpr tasklist::ValueId c = 20, d = 21, narrow = 22;

private:
  std::size_t count(ListWriter&& w, const std::vector<std::string_view>& without) const {
    w.list.value_classes.assign(compared + 1, ValueClass::b32);
    for (tasklist::ValueId v = 0; v < c; ++v)
      w.list.value_classes[v] = ValueClass::b64;
    return tasks_on(gpu_of_pairs(), w, without).size() - loads_ - 1;
  }

  static constexpr tasklist::ValueId compared = 30;
  ListWriter w_ = ptx_list();
  tasklist::ValueId last_ = 0;
  std::size_t loads_ = 0;
};
constexpr auto a = Pairs::a, b = Pairs::b, r = Pairs::r, s = Pairs::s, t = Pairs::t, x = Pairs::x,
               c = Pairs::c, d = Pairs::d, narrow = Pairs::narrow;

TEST(SplitPairs, a_shift_by_32_reads_the_other_register) {
  EXPECT_EQ(Pairs().then("shr.u64", r, {a}, {"32"}).operations(), 0u);
  EXPECT_EQ(Pairs().then("shl.b64", r, {a}, {"32"}).operations(), 0u);
  EXPECT_EQ(Pairs().then("shr.s64", r, {a}, {"32"}).operations(), 1u); // of the sign
  EXPECT_EQ(Pairs().then("shr.u64", r, {a}, {"32"}).operations({"halves"}), 2u);
}

TEST(SplitPairs, a_shift_by_more_is_one_of_one_half) {
  EXPECT_EQ(Pairs().then("shr.u64", r, {a}, {"40"}).operations(), 1u);
  EXPECT_EQ(Pairs().then("shl.b64", r, {a}, {"33"}).operations(), 1u);
  EXPECT_EQ(Pairs().then("shr.s64", r, {a}, {"40"}).operations(), 2u);
  EXPECT_EQ(Pairs().then("shr.u64", r, {a}, {"31"}).operations(), 2u);
  EXPECT_EQ(Pairs().then("shr.u64", r, {a, c}).operations(), 2u);
}

TEST(SplitPairs, nobody_computes_an_upper_half_that_is_cut_off) {
  for (const char* const shift : {"shr.u64", "shr.s64"}) {
    EXPECT_EQ(Pairs().then(shift, r, {a}, {"7"}).then("cvt.u32.u64", narrow, {r}).operations(), 1u);
    EXPECT_EQ(Pairs().then(shift, r, {a, c}).then("cvt.u32.u64", narrow, {r}).operations(), 1u);
    EXPECT_EQ(Pairs().then(shift, r, {a}, {"32"}).then("cvt.u32.u64", narrow, {r}).operations(), 0u);
  }
  EXPECT_EQ(Pairs()
                .then("shr.u64", r, {a}, {"7"})
                .then("cvt.u32.u64", narrow, {r})
                .then("add.s64", s, {r, narrow})
                .operations(),
            4u);
}

TEST(SplitPairs, a_mask_of_one_half_is_none) {
  EXPECT_EQ(Pairs().then("and.b64", r, {a}, {"4294967295"}).operations(), 0u);
  EXPECT_EQ(Pairs().then("and.b64", r, {a}, {"-4294967296"}).operations(), 0u);
  EXPECT_EQ(Pairs().then("and.b64", r, {a}, {"255"}).operations(), 1u);
  EXPECT_EQ(Pairs().then("and.b64", r, {a}, {"1095216660735"}).operations(), 2u); // 0xff000000ff
}

// (u64)c << 32 | d, with or and with a sum; the lower half of one value with the upper of the other.
TEST(SplitPairs, two_halves_make_a_pair) {
  for (const char* const join : {"or.b64", "xor.b64", "add.s64"})
    EXPECT_EQ(Pairs()
                  .then("cvt.u64.u32", r, {c})
                  .then("shl.b64", s, {r}, {"32"})
                  .then("cvt.u64.u32", t, {d})
                  .then(join, x, {s, t})
                  .operations(),
              0u);
  EXPECT_EQ(Pairs().then("bfi.b64", r, {a, b}, {"32"}).operations(), 0u);
  EXPECT_EQ(Pairs().then("bfi.b64", r, {a, b}, {"0", "32"}).operations(), 0u);
  EXPECT_EQ(Pairs().then("bfi.b64", r, {a, b}, {"8", "32"}).operations(), 4u);
}

TEST(SplitPairs, the_other_half_of_logic_with_a_zero_extended_value_is_there) {
  for (const char* const logic : {"and.b64", "or.b64", "xor.b64"})
    EXPECT_EQ(Pairs().then("cvt.u64.u32", r, {c}).then(logic, s, {r, a}).operations(), 1u);
  EXPECT_EQ(Pairs().then("xor.b64", r, {a}, {"77"}).operations(), 1u);
  EXPECT_EQ(Pairs().then("or.b64", r, {a}, {"-4294967296"}).operations(), 0u); // all of one half
  EXPECT_EQ(Pairs().then("xor.b64", r, {a, b}).operations(), 2u);
}

// It carries where lower halves are added.
TEST(SplitPairs, a_sum_with_a_half_is_one_of_the_upper_half_alone) {
  EXPECT_EQ(Pairs().then("shl.b64", r, {a}, {"32"}).then("add.s64", s, {r, b}).operations(), 1u);
  EXPECT_EQ(Pairs().then("cvt.u64.u32", r, {c}).then("add.s64", s, {r, b}).operations(), 2u);
}

TEST(SplitPairs, a_product_of_zero_extended_values_is_a_wide_one) {
  EXPECT_EQ(Pairs()
                .then("cvt.u64.u32", r, {c})
                .then("cvt.u64.u32", s, {d})
                .then("mul.lo.s64", t, {r, s})
                .operations(),
            1u);
  EXPECT_EQ(Pairs().then("cvt.u64.u32", r, {c}).then("mul.lo.s64", t, {r, a}).operations(), 4u);
}

// Of a pair that was loaded one register is moved, and zeros are; halves that are computed are in place.
TEST(SplitPairs, a_store_wants_both_halves_side_by_side) {
  EXPECT_EQ(Pairs().then("and.b64", r, {a}, {"4294967295"}).operations_where_stored(), 1u);
  EXPECT_EQ(Pairs().then("shr.u64", r, {a}, {"32"}).operations_where_stored(), 2u);
  EXPECT_EQ(Pairs().then("shr.u64", r, {a}, {"40"}).operations_where_stored(), 2u);
  EXPECT_EQ(Pairs().then("add.s64", r, {a, b}).then("shr.u64", s, {r}, {"32"}).operations_where_stored(), 3u);
  EXPECT_EQ(Pairs()
                .then("cvt.u64.u32", r, {c})
                .then("shl.b64", s, {r}, {"32"})
                .then("cvt.u64.u32", t, {d})
                .then("or.b64", x, {s, t})
                .operations_where_stored(),
            0u);
}

// As the upper half of a product that is added to the next one (IMAD.WIDE).
TEST(SplitPairs, a_wide_sum_wants_both_halves_side_by_side) {
  EXPECT_EQ(Pairs()
                .then("mul.wide.u32", r, {c, d})
                .then("shr.u64", s, {r}, {"32"})
                .then("mul.wide.u32", t, {d, d})
                .then("add.s64", x, {t, s})
                .operations(),
            6u); // two products, two moves, a sum of 64 bits
}

// Two SHF, each of both halves; not if another distance or another value is shifted, nor with or.
TEST(SplitPairs, a_sum_of_shifts_to_both_sides_is_a_rotation) {
  const auto operations = [](const std::string& right, tasklist::ValueId other, const std::string& join) {
    return Pairs()
        .then("shl.b64", r, {a}, {"13"})
        .then("shr.u64", s, {other}, {right})
        .then(join, t, {r, s})
        .operations();
  };
  EXPECT_EQ(operations("51", a, "add.s64"), 2u);
  EXPECT_EQ(operations("50", a, "add.s64"), 5u);
  EXPECT_EQ(operations("51", b, "add.s64"), 5u);
  EXPECT_EQ(operations("51", a, "or.b64"), 4u);
}

// What else the value may be has an upper half.
TEST(SplitPairs, values_that_are_written_again_are_not_followed) {
  EXPECT_EQ(
      Pairs().then("cvt.u64.u32", r, {c}).then("add.s64", r, {a, b}).then("xor.b64", s, {r, a}).operations(),
      4u);
}

} // namespace
} // namespace kerncast::machine::testing
