// Registers per thread: pressure, four for the compiler, and the limits.
#include <gtest/gtest.h>

#include "registers_of.h"

namespace kerncast::machine::testing {
namespace {

using tasklist::Space;
using tasklist::TaskKind;
using tasklist::ValueClass;

// 10 + 4, 2*10 + 4, and 16-bit values take whole registers; 4*10 from R4 on, beside the stack pointer in R1,
// and 2.
TEST(Registers, are_the_widths_of_the_values_needed_together_and_four) {
  EXPECT_EQ(registers_of(values_needed_together(10, ValueClass::b32)), 14u);
  EXPECT_EQ(registers_of(values_needed_together(10, ValueClass::b64)), 24u);
  EXPECT_EQ(registers_of(values_needed_together(10, ValueClass::b128)), 46u);
  EXPECT_EQ(registers_of(values_needed_together(10, ValueClass::b16)), 14u);
}

TEST(Registers, predicates_have_registers_of_their_own) {
  EXPECT_EQ(registers_of(values_needed_together(5, ValueClass::predicate)), 4u);
}

// A result does not take the place of the operand: R0 and, beside the stack pointer in R1, R2; and 2.
TEST(Registers, values_needed_one_after_the_other_share_two) {
  ListWriter w;
  w.add("add.s32", {0}, {});
  for (tasklist::ValueId v = 1; v < 10; ++v)
    w.add("add.s32", {v}, {v - 1});
  EXPECT_EQ(registers_of(w), 5u);
}

// `count` values one after the other, each stored by the operation behind it.
ListWriter stored_at_once(std::uint32_t count, const std::string& store, bool with_fences = false) {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < count; ++v) {
    w.add("add.s32", {v}, {});
    w.add(store, {}, {v}, TaskKind::store);
    if (with_fences)
      w.add("membar.gl", {}, {}, TaskKind::fence);
  }
  return w;
}

// Nine operations behind a store to shared memory others may write what it reads: five are on their way, in
// R0 and R2 to R5. Behind other stores 50: 26 are, in R0 and R2 to R26.
TEST(Registers, stores_keep_what_they_read_for_a_while) {
  EXPECT_EQ(registers_of(stored_at_once(10, "st.shared.f32")), 8u);
  EXPECT_EQ(registers_of(stored_at_once(40, "st.global.f32")), 29u);
}

TEST(Registers, a_fence_shows_that_stores_before_it_have_read_their_operands) {
  EXPECT_EQ(registers_of(stored_at_once(40, "st.global.f32", true)), 5u);
}

// Addresses of loads: the result that is read shows that the load has read its own. Of shared memory it says
// nothing about stores to global memory: those of ten stay, in R0 and R2 to R10, beside two others.
TEST(Registers, a_result_shows_that_accesses_before_it_have_read_their_operands) {
  const auto stores_with_loads = [](const std::string& load) {
    ListWriter w;
    for (tasklist::ValueId v = 0; v < 40; v += 4) {
      w.add("add.s32", {v}, {});
      w.add("st.global.f32", {}, {v}, TaskKind::store);
      w.add(load, {v + 1}, {}, TaskKind::load);
      w.add("add.s32", {v + 2}, {v + 1});
    }
    return w;
  };
  EXPECT_EQ(registers_of(stores_with_loads("ld.global.f32")), 5u);
  EXPECT_EQ(registers_of(stores_with_loads("ld.shared.f32")), 15u);
}

// The address in R2 and R3 or, of 32 bits, in R0; ten elements in R5, R7 to R23, or in R2 to R11: ten, the
// address and 4.
TEST(Registers, data_lie_in_odd_registers_beside_an_address_in_a_pair) {
  const auto elements_to = [](ValueClass address) {
    ListWriter w;
    w.add("and.b64", {0}, {});
    for (tasklist::ValueId v = 1; v <= 10; ++v)
      w.add("ld.shared.f32", {v}, {}, TaskKind::load);
    for (tasklist::ValueId v = 1; v <= 10; ++v)
      w.add("st.global.f32", {}, {0, v}, TaskKind::store);
    w.list.value_classes[0] = address;
    return w;
  };
  EXPECT_EQ(registers_of(elements_to(ValueClass::b64)), 26u);
  EXPECT_EQ(registers_of(elements_to(ValueClass::b32)), 15u);
  // 16 registers: the address, R5 to R11, then R0 and R4 on.
  configs::Gpu gpu = tiny_gpu();
  gpu.limits.threads_per_sm = 65536 / 16;
  EXPECT_EQ(registers_of(elements_to(ValueClass::b64), gpu), 16u);
}

// The pair in R2 and R3, five constants in R5, R7 to R13, or, where bytes are stored, in R0 and R4 to R7.
TEST(Registers, constants_that_are_stored_as_bytes_lie_in_any_register) {
  const auto constants_of = [](std::uint16_t bytes) {
    ListWriter w;
    w.add("and.b64", {0}, {});
    for (tasklist::ValueId v = 1; v <= 5; ++v)
      w.add("add.s32", {v}, {});
    for (tasklist::ValueId v = 1; v <= 5; ++v)
      w.add("st.global.b32", {}, {0, v}, TaskKind::store).access_bytes = bytes;
    w.list.value_classes[0] = ValueClass::b64;
    return w;
  };
  EXPECT_EQ(registers_of(constants_of(4)), 16u);
  EXPECT_EQ(registers_of(constants_of(1)), 11u);
}

// A pair in R2 and R3, others in R0 and R4, and the operand in R5, where the result that is stored lies, too.
TEST(Registers, what_lies_in_an_odd_register_takes_the_place_of_an_operand) {
  ListWriter w;
  w.add("and.b64", {0}, {});
  for (tasklist::ValueId v = 1; v <= 3; ++v)
    w.add("ld.shared.f32", {v}, {}, TaskKind::load);
  w.add("mul.f32", {4}, {3});
  w.add("st.global.f32", {}, {0, 4}, TaskKind::store);
  for (tasklist::ValueId v = 1; v <= 2; ++v)
    w.add("st.shared.f32", {}, {v}, TaskKind::store);
  w.list.value_classes[0] = ValueClass::b64;
  EXPECT_EQ(registers_of(w), 9u); // of pressure; with the result in R7 10
}

// Four elements in R4 to R7, and the products in their place.
TEST(Registers, elements_of_vectors_take_the_places_of_operands) {
  ListWriter w;
  w.add("ld.global.v4.f32", {1, 2, 3, 4}, {}, TaskKind::load).access_bytes = 16;
  for (tasklist::ValueId v = 1; v <= 4; ++v)
    w.add("mul.f32", {v + 4}, {v});
  w.add("st.global.v4.f32", {}, {0, 5, 6, 7, 8}, TaskKind::store).access_bytes = 16;
  EXPECT_EQ(registers_of(w), 10u);
}

// Four texels lie in two pairs, R2 and R4 on, beside R0; other vectors of four in R4 to R7.
TEST(Registers, texels_lie_in_pairs) {
  const auto beside_one = [](Space space) {
    ListWriter w;
    w.add("add.s32", {0}, {});
    tasklist::Task& load = w.add("ld.v4.f32", {1, 2, 3, 4}, {}, TaskKind::load);
    load.access_bytes = 16;
    load.space = space;
    for (tasklist::ValueId v = 0; v < 5; ++v)
      w.add("st.global.f32", {}, {v}, TaskKind::store);
    return registers_of(w);
  };
  EXPECT_EQ(beside_one(Space::texture), 9u); // of pressure
  EXPECT_EQ(beside_one(Space::global), 10u);
}

// Needed in the next iteration: live around the whole loop, beside the other value.
TEST(Registers, a_value_lives_around_the_loop_that_reads_it) {
  ListWriter w;
  w.block({1});
  w.add("add.s32", {0}, {});
  w.block({1, 2});
  w.add("st.global.f32", {}, {0}, TaskKind::store);
  w.add("add.s32", {1}, {});
  w.add("st.global.f32", {}, {1}, TaskKind::store);
  w.block();
  EXPECT_EQ(registers_of(w), 6u);
}

// Five values that live across an access of four others.
ListWriter five_beside_four(const std::string& operation, std::uint16_t bytes) {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < 5; ++v)
    w.add("add.s32", {v}, {});
  w.add(operation, {5, 6, 7, 8}, {}, TaskKind::load).access_bytes = bytes;
  for (tasklist::ValueId v = 0; v < 9; ++v)
    w.add("st.global.f32", {}, {v}, TaskKind::store);
  return w;
}

// The five lie in R0 and, beside the stack pointer in R1, R2 to R5; a vector of four in R8 to R11, and 2.
// Bytes that come together are four registers anywhere: 9 + 4.
TEST(Registers, a_vectors_elements_lie_side_by_side) {
  EXPECT_EQ(registers_of(five_beside_four("ld.global.v4.f32", 16)), 14u);
  EXPECT_EQ(registers_of(five_beside_four("ld.global.v4.u8", 4)), 13u);
}

// The same as with the load: the first of them that is computed waits where all four fit.
TEST(Registers, what_is_stored_together_lies_side_by_side) {
  ListWriter w;
  for (tasklist::ValueId v = 0; v < 9; ++v)
    w.add("add.s32", {v}, {});
  w.add("st.global.v4.f32", {}, {0, 5, 6, 7, 8}, TaskKind::store).access_bytes = 16;
  for (tasklist::ValueId v = 0; v < 5; ++v)
    w.add("st.global.f32", {}, {v}, TaskKind::store);
  EXPECT_EQ(registers_of(w), 14u);
}

TEST(Registers, maxnreg_limits_them) {
  ListWriter w = values_needed_together(40);
  w.list.max_registers = 32;
  EXPECT_EQ(registers_of(w), 32u);
}

// 65536 registers / (2 CTAs * 32 warps) = 1024 a warp, a multiple of 256, 32 a thread.
TEST(Registers, maxntid_and_minnctapersm_limit_them_to_what_fits) {
  ListWriter w = values_needed_together(40);
  w.list.max_threads_per_cta = 1024;
  w.list.min_ctas_per_sm = 2;
  EXPECT_EQ(registers_of(w), 32u);
  // 65536 / (3 * 12 warps) = 1820 a warp, rounded down to 1792, 56 a thread: 44 fit.
  w.list.max_threads_per_cta = 384;
  w.list.min_ctas_per_sm = 3;
  EXPECT_EQ(registers_of(w), 44u);
}

// 40 warps on an SM of 32: ptxas ignores .minnctapersm, as it does more CTAs than there can be.
TEST(Registers, what_an_sm_cannot_hold_limits_nothing) {
  ListWriter w = values_needed_together(100);
  configs::Gpu gpu = tiny_gpu();
  gpu.limits.threads_per_sm = 1024;
  gpu.limits.ctas_per_sm = 16;
  const auto granted = [&](std::uint32_t threads, std::uint32_t ctas) {
    w.list.max_threads_per_cta = threads;
    w.list.min_ctas_per_sm = ctas;
    return registers_of(w, gpu);
  };
  EXPECT_EQ(granted(256, 4), 64u);
  EXPECT_EQ(granted(256, 5), granted(256, 1));
  EXPECT_EQ(granted(100, 10), granted(100, 1)); // 40 warps
  EXPECT_EQ(granted(32, 32), granted(32, 1));   // more CTAs than there can be
  EXPECT_EQ(granted(2048, 1), granted(0, 0));
}

// A launch gives 32, of which nothing has to be spilled by warps that take more for themselves.
TEST(Registers, that_warps_raise_hold_what_they_need) {
  ListWriter w = values_needed_together(40);
  w.list.max_registers = 32;
  auto rows = tiny_rows();
  rows.push_back(row({"setmaxnreg"}, {on(alu, 1)}));
  const configs::Gpu gpu = tiny_gpu(rows);
  const auto spills = [&] { return annotate(w.list, gpu, {}).value().assumptions.size(); };
  EXPECT_EQ(spills(), 1u);
  w.add("setmaxnreg.inc", {}, {});
  EXPECT_EQ(spills(), 0u);
  EXPECT_EQ(registers_of(w, gpu), 32u);
}

TEST(Registers, the_gpu_limits_them) {
  const ListWriter w = values_needed_together(300);
  EXPECT_EQ(registers_of(w), 255u);
}

} // namespace
} // namespace kerncast::machine::testing
