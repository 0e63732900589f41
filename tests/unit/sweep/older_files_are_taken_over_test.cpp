// Files that older programs wrote are taken over as they were, or refused as they are.
#include <string>

#include <gtest/gtest.h>

#include "stores.h"

namespace kerncast::sweep::test {
namespace {

// A file of schema 1 as its program left it: every column in every row.
const char* const schema_1 = R"sql(
PRAGMA application_id = 0x6b637377;
PRAGMA user_version = 1;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE assumptions (hash TEXT PRIMARY KEY, texts TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE kernels (
  app TEXT NOT NULL, gpu TEXT NOT NULL, point TEXT NOT NULL, kernel TEXT NOT NULL,
  launches REAL, time_us REAL, cycles REAL, warp_instructions REAL, ipc_per_sm REAL, ctas_per_sm REAL,
  warps_per_sm REAL, occupancy REAL, registers REAL, l1_hit REAL, l2_hit REAL, l2_bytes REAL, dram_bytes REAL,
  limiter TEXT, bound TEXT, PRIMARY KEY (app, gpu, point, kernel)) WITHOUT ROWID;
CREATE TABLE results (app TEXT NOT NULL, gpu TEXT NOT NULL, point TEXT NOT NULL, "l2.mib" NUMERIC,
  "scheduler" NUMERIC, total_time_us REAL, gpu_busy_us REAL, error TEXT, gpu_hash TEXT NOT NULL,
  program TEXT NOT NULL, assumptions TEXT NOT NULL, PRIMARY KEY (app, gpu, point)) WITHOUT ROWID;
INSERT INTO facts VALUES ('name', 's'), ('program', '0.1.0+a'), ('inputs', 'INPUTS');
INSERT INTO results VALUES ('a', 'g', 'l2.mib=4', 4, 'gto', 1.5, 0.75, NULL, 'h4', '0.1.0+a', 'HASH'),
  ('b', 'g', 'l2.mib=4', 4, 'gto', NULL, NULL, 'no CTA fits', 'h4', '0.1.0+a', 'HASH'),
  ('a', 'g', 'l2.mib=10', 10, 'gto', 2.5, 1.25, NULL, 'h10', '0.1.0+a', 'HASH');
INSERT INTO assumptions VALUES ('HASH', 'one');
INSERT INTO kernels VALUES
  ('a', 'g', 'l2.mib=4', 'k', 1, 1.5, 9, 8, 7, 6, 5, 4, 3, 0.5, 0.25, 2, 1, 'ctas', 'issue'),
  ('a', 'g', 'l2.mib=10', 'k', 1, 2.5, 9, 8, 7, 6, 5, 4, 3, 0.5, 0.25, 2, 1, 'ctas', 'issue');
)sql";

// A file of schema 2: numbers instead of names, without checksums.
const char* const schema_2 = R"sql(
PRAGMA application_id = 0x6b637377;
PRAGMA user_version = 2;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE assumptions (hash TEXT PRIMARY KEY, texts TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE apps (number INTEGER PRIMARY KEY, app TEXT NOT NULL);
CREATE TABLE points (number INTEGER PRIMARY KEY, gpu TEXT NOT NULL, point TEXT NOT NULL,
  gpu_hash TEXT NOT NULL, "l2.mib" NUMERIC, "scheduler" NUMERIC);
CREATE TABLE predictions (app_number INTEGER, point_number INTEGER, total_time_us REAL, gpu_busy_us REAL,
  error TEXT, assumptions TEXT NOT NULL);
CREATE TABLE kernel_predictions (app_number INTEGER, point_number INTEGER, kernel, launches, time_us, cycles,
  warp_instructions, ipc_per_sm, ctas_per_sm, warps_per_sm, occupancy, registers, l1_hit, l2_hit, l2_bytes,
  dram_bytes, limiter, bound);
CREATE VIEW results AS SELECT app, gpu, point, "l2.mib", "scheduler", total_time_us, gpu_busy_us, error, gpu_hash,
  (SELECT value FROM facts WHERE name = 'program') AS program, assumptions
  FROM predictions JOIN apps ON apps.number = app_number JOIN points ON points.number = point_number;
CREATE VIEW kernels AS SELECT app, gpu, point, kernel, launches, time_us, cycles, warp_instructions, ipc_per_sm,
  ctas_per_sm, warps_per_sm, occupancy, registers, l1_hit, l2_hit, l2_bytes, dram_bytes, limiter, bound
  FROM kernel_predictions JOIN apps ON apps.number = app_number JOIN points ON points.number = point_number;
INSERT INTO facts VALUES ('name', 's'), ('program', '0.1.0+a'), ('inputs', 'INPUTS');
INSERT INTO apps VALUES (1, 'a'), (2, 'b');
INSERT INTO points VALUES (1, 'g', 'l2.mib=4', 'h4', 4, 'gto'), (2, 'g', 'l2.mib=10', 'h10', 10, 'gto');
INSERT INTO predictions VALUES (1, 1, 1.5, 0.75, NULL, 'HASH'), (2, 1, NULL, NULL, 'no CTA fits', 'HASH'),
  (1, 2, 2.5, 1.25, NULL, 'HASH');
INSERT INTO assumptions VALUES ('HASH', 'one');
INSERT INTO kernel_predictions VALUES
  (1, 1, 'k', 1, 1.5, 9, 8, 7, 6, 5, 4, 3, 0.5, 0.25, 2, 1, 'ctas', 'issue'),
  (1, 2, 'k', 1, 2.5, 9, 8, 7, 6, 5, 4, 3, 0.5, 0.25, 2, 1, 'ctas', 'issue');
)sql";

std::string filled(std::string sql) {
  for (const auto& [word, text] : {std::pair("HASH", "one"), {"INPUTS", "s"}})
    for (std::size_t at = sql.find(word); at != std::string::npos; at = sql.find(word))
      sql.replace(at, std::string(word).size(), fingerprint(text).text());
  return sql;
}

TEST_F(Stores, OlderFilesBecomeThoseOfThisSchema) {
  for (const char* const older : {schema_1, schema_2}) {
    std::filesystem::remove(file());
    run(filled(older));
    {
      Expected<ResultStore> store = open();
      ASSERT_TRUE(store) << render(store.error());
      EXPECT_EQ(store->keys()->size(), 3U);
      // What was there stays, what comes is added.
      ASSERT_TRUE(store->add(std::vector{row("4", 99), row("6", 3)}));
      ASSERT_TRUE(store->close());
    }
    EXPECT_EQ(value("PRAGMA user_version"), "3");
    EXPECT_EQ(
        value("SELECT group_concat(app || point || \"l2.mib\" || ifnull(total_time_us, error), ' ') FROM "
              "(SELECT * FROM results ORDER BY app, \"l2.mib\")"),
        "al2.mib=441.5 al2.mib=663.0 al2.mib=10102.5 bl2.mib=44no CTA fits");
    EXPECT_EQ(value("SELECT group_concat(point || kernel || time_us || bound, ' ') FROM "
                    "(SELECT * FROM kernels ORDER BY time_us)"),
              "l2.mib=4k1.5issue l2.mib=10k2.5issue l2.mib=6k3.0issue");
    EXPECT_EQ(value("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(refusal(), ""); // it has the checksums of its rows
  }
}

TEST_F(Stores, OlderFilesThatAreDamagedStayAsTheyAre) {
  for (const char* const damage :
       {"UPDATE apps SET number = 4000000000 WHERE number = 1",
        "UPDATE points SET number = 3 WHERE number = 2", "UPDATE predictions SET total_time_us = 9e999",
        "UPDATE predictions SET app_number = 1", "DELETE FROM assumptions",
        "UPDATE assumptions SET texts = 'two'"}) {
    std::filesystem::remove(file());
    run(filled(schema_2));
    run(damage);
    const std::string before = bytes();
    EXPECT_NE(refusal().find("r.sqlite: error: a damaged result file"), std::string::npos)
        << damage << ": " << refusal();
    EXPECT_EQ(bytes(), before) << damage;
  }
}

TEST_F(Stores, FilesOfSchema1OfOtherProgramsAreRefusedAndStayAsTheyAre) {
  run(filled(schema_1));
  StoreContents other = own();
  other.program = "0.2.0+b";
  EXPECT_NE(refusal(other).find("computed by kerncast 0.1.0+a"), std::string::npos);
  EXPECT_EQ(value("PRAGMA user_version"), "1");
}

} // namespace
} // namespace kerncast::sweep::test
