// Jobs of a few units, whose messages can be written down. All times below are in milliseconds.
#include <gtest/gtest.h>

#include "cluster/distribution.h"
#include "cluster/distribution_model.h"

namespace kerncast::cluster {
namespace {

constexpr Nanoseconds ms = 1'000'000;

// Rows at 100 and 200: two are sent after 0.2 s, delivered until 200 + 1 + 2 x 2 = 205. The third is 5 late:
// at 305, delivered until 308. The other unit begins at 305 and is 3 late: 305 + 50 + 3 = 358, until 361.
TEST(distribution_model, one_rank_computes_and_delivers_in_turn) {
  const ModelledJob job = model_distribution({{.rows = 3, .row = 100 * ms}, {.row = 50 * ms}}, 1,
                                             {.latency = 1, .deliver = 1 * ms, .deliver_row = 2 * ms});
  EXPECT_EQ(job.end, 361 * ms);
  EXPECT_EQ(job.computing, 350 * ms);
  EXPECT_EQ(job.delivering, 11 * ms);
  EXPECT_EQ(job.messages, 0U);
  EXPECT_DOUBLE_EQ(job.efficiency(1), 350.0 / 361);
}

// Rank 1 asks at 0, is heard from 1 to 3 and computes from 4 to 104; its row is heard from 105 to 109, its
// question behind it from 109 to 111. Rank 0 lost 2 to hearing: its row is there at 102, delivered until 117;
// the other one until 132.
TEST(distribution_model, two_ranks_share_two_units) {
  const DistributionCosts costs{.latency = 1 * ms,
                                .answer = 2 * ms,
                                .hear = 3 * ms,
                                .hear_row = 1 * ms,
                                .deliver = 5 * ms,
                                .deliver_row = 10 * ms};
  const ModelledJob job = model_distribution({{.row = 100 * ms}, {.row = 100 * ms}}, 2, costs);
  EXPECT_EQ(job.end, 132 * ms);
  EXPECT_EQ(job.listening, 8 * ms);
  EXPECT_EQ(job.delivering, 30 * ms);
  EXPECT_EQ(job.longest_wait, 4 * ms);
  EXPECT_EQ(job.messages, 3U);
}

// Groups 0 1 and 2 3. Ranks 1 to 3 ask at 0 and compute from 2 to 1002; the row of 3 is at 2 at 1003, and at
// 1004 both know that nothing is left: what 2 has goes to rank 0, at 1005. Rank 0 heard six questions and two
// messages with rows.
TEST(distribution_model, a_collector_passes_on_what_it_has_when_its_group_is_done) {
  const ModelledJob job =
      model_distribution(std::vector(4, ModelUnit{.row = 1000 * ms}), 4, {.latency = 1 * ms});
  EXPECT_EQ(job.end, 1005 * ms);
  EXPECT_EQ(job.messages, 8U);
}

// Sixteen ranks with 10 rows of 100 each, so that they end at 1000: the collectors 4, 8 and 12 pass on what
// came in 0.2 s, five messages each, and the ranks 1 to 3 send their ten themselves. Fifteen ranks ask 11
// times.
TEST(distribution_model, collectors_pass_on_a_few_messages_a_second) {
  const ModelledJob job =
      model_distribution(std::vector(160, ModelUnit{.row = 100 * ms}), 16, {.latency = 1000});
  EXPECT_EQ(job.messages, 3U * 5 + 3 * 10 + 15 * 11);
}

// Groups of 3 and 2 units that take 100, behind 40 that a group shares. Rank 0 keeps to the first group until
// 40 + 3 x 100, rank 1 to the second; when it asks again, a moment after 240, nothing is left.
TEST(distribution_model, ranks_go_on_with_their_group) {
  const ModelUnit of_first{.row = 100 * ms, .group = 0, .shared = 40 * ms};
  const ModelUnit of_second{.row = 100 * ms, .group = 1, .shared = 40 * ms};
  const ModelledJob job =
      model_distribution({of_first, of_second, of_first, of_second, of_first}, 2, {.latency = 1});
  EXPECT_EQ(job.end, 340 * ms);
  EXPECT_EQ(job.computing, 580 * ms);
}

// Rank 0 finds what the group shares until 250 and computes until 450. The others are told to ask again in
// 100: from 300 to 400 they compute. Each asks five times and sends its row once.
TEST(distribution_model, what_a_group_shares_is_found_once_and_others_wait_for_it) {
  const ModelledJob job =
      model_distribution(std::vector(4, ModelUnit{.row = 100 * ms, .shared = 250 * ms}), 3, {.latency = 1});
  EXPECT_NEAR(static_cast<double>(job.end), 450.0 * ms, 1000);
  EXPECT_EQ(job.computing, 650 * ms);
  EXPECT_EQ(job.messages, 2U * 5 + 2);
}

// Rank 1 asks twice, and is told what rank 0 found the first time.
TEST(distribution_model, what_was_found_takes_time_to_send) {
  const ModelledJob job = model_distribution(std::vector(2, ModelUnit{.row = 100 * ms}), 2,
                                             {.latency = 1, .answer = 2 * ms, .shared = 7 * ms});
  EXPECT_EQ(job.listening, 2 * 2 * ms + 7 * ms);
}

TEST(distribution_model, a_single_unit_finds_what_it_needs_itself) {
  const ModelledJob job =
      model_distribution({{.row = 100 * ms, .shared = 40 * ms}}, 1, {.latency = 1, .shared = 7 * ms});
  EXPECT_EQ(job.end, 140 * ms);
}

// Rank 0 prepares groups 0 and 2 until 30 + 50, rank 1 group 1 until 20: both begin at 80. Rank 0 computes
// group 0 until 380, rank 1 prepares group 2 until 130, computes it until 330 and then group 1.
TEST(distribution_model, ranks_prepare_a_share_at_the_start_and_other_groups_when_they_get_them) {
  const auto group = [](std::uint32_t number, Nanoseconds row, Nanoseconds prepare) {
    return ModelUnit{.row = row, .group = number, .prepare = prepare};
  };
  const ModelledJob job = model_distribution(
      {group(0, 300 * ms, 30 * ms), group(1, 100 * ms, 20 * ms), group(2, 200 * ms, 50 * ms)}, 2,
      {.latency = 1});
  EXPECT_NEAR(static_cast<double>(job.end), 430.0 * ms, 1000);
  EXPECT_EQ(job.computing, 700 * ms);
}

// One question at a time finds rank 0 asleep, the end and the row behind it as well: two questions and one
// message with a row, of which the first of each pair that is there wakes it.
TEST(distribution_model, a_message_that_finds_rank_0_asleep_wakes_it) {
  const ModelledJob job = model_distribution(std::vector(2, ModelUnit{.row = 100 * ms}), 2,
                                             {.latency = 1, .wake = 5 * ms, .answer = 2 * ms});
  EXPECT_EQ(job.messages, 3U);
  EXPECT_EQ(job.listening, 2 * (5 + 2) * ms);
}

// 127 ranks of 128 compute: two rows for each of 64 of them, one for the others.
TEST(distribution_model, rank_0_of_many_only_serves) {
  const auto end_of = [](int ranks) {
    return model_distribution(std::vector(191, ModelUnit{.row = 100 * ms}), ranks, {.latency = 1000}).end;
  };
  EXPECT_NEAR(static_cast<double>(end_of(root_only_serves_from - 1)), 200.0 * ms, ms);
  const ModelledJob job =
      model_distribution(std::vector(127, ModelUnit{.row = 100 * ms}), root_only_serves_from,
                         {.latency = 1000, .deliver_row = 10 * ms});
  EXPECT_NEAR(static_cast<double>(job.end), 127.0 * 10 * ms + 100 * ms, 210 * ms);
}

// 400 rows that take 1 to compute and 10 to deliver.
TEST(distribution_model, no_number_of_ranks_is_faster_than_rank_0_delivers) {
  const ModelledJob job = model_distribution(std::vector(400, ModelUnit{.row = 1 * ms}), 64,
                                             {.latency = 1000, .deliver_row = 10 * ms});
  EXPECT_EQ(job.delivering, 4000 * ms);
  EXPECT_GE(job.end, 4000 * ms);
  EXPECT_LT(job.efficiency(64), 0.1 / 64 * 1.01);
}

} // namespace
} // namespace kerncast::cluster
