// A result file in which something has changed is refused, or has its rows as before.
#include <string>

#include <gtest/gtest.h>

#include "stores.h"
#include "sweep_text.h"

namespace kerncast::sweep::test {
namespace {

namespace fs = std::filesystem;

class Damage : public Stores {
protected:
  // One row without a prediction, two without the key that the others have.
  void SetUp() override {
    Expected<ResultStore> store = open();
    ASSERT_TRUE(store) << render(store.error());
    std::vector<ResultRow> rows = {row("4", 1.5), row("6", 1.0 / 3), row("8", -0.0), row("0.10", 7)};
    rows[1].error = "no CTA fits";
    rows[2].settings.pop_back();
    ASSERT_TRUE(store->add(rows));
    csv_ = csv_of(*store);
    ASSERT_TRUE(store->close());
    whole_ = bytes();
    ASSERT_EQ(refusal(), "");
    write(whole_);
  }

  // What is said of the file; "same" or "different": its rows, if it is taken.
  std::string seen() const {
    const Expected<ResultStore> store = open();
    if (!store)
      return render(store.error());
    return csv_of(*store) == csv_ ? "same" : "different";
  }

  std::string whole_, csv_;
};

TEST_F(Damage, OfAnyByteIsRefusedOrChangesNoRow) {
  int refused = 0;
  for (std::size_t at = 0; at < whole_.size(); at += 13) {
    std::string changed = whole_;
    changed[at] = static_cast<char>(changed[at] ^ 1 << at % 8);
    write(changed);
    const std::string said = seen();
    EXPECT_NE(said, "different") << at;
    refused += said == "same" ? 0 : 1;
  }
  EXPECT_GT(refused, 50); // most bytes of so small a file are unused
}

TEST_F(Damage, OfAnyValueIsRefusedAndTheFileStaysAsItIs) {
  for (const char* const damage :
       {"UPDATE apps SET app = 'b'",
        "UPDATE apps SET number = 4000000000",
        "UPDATE points SET gpu_hash = 'h5' WHERE number = 1",
        "UPDATE points SET \"l2.mib\" = 5 WHERE number = 1",
        "UPDATE points SET point = 'l2.mib=5' WHERE number = 1",
        "DELETE FROM points WHERE number = 2",
        "UPDATE points SET checksum = checksum + 1 WHERE number = 1",
        "UPDATE predictions SET total_time_us = 1.5000000000000002 WHERE total_time_us = 1.5",
        "UPDATE predictions SET total_time_us = 9e999",
        "UPDATE predictions SET error = NULL",
        "UPDATE predictions SET point_number = 4000000000 WHERE point_number = 1",
        "INSERT INTO predictions SELECT * FROM predictions",
        "DELETE FROM predictions WHERE point_number = 1",
        "UPDATE kernel_predictions SET bound = 'dram'",
        "UPDATE assumptions SET texts = 'one'",
        "DELETE FROM assumptions",
        "DROP VIEW results; CREATE VIEW results AS SELECT app FROM apps",
        "DROP VIEW kernels",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 2"}) {
    write(whole_);
    run(damage);
    const std::string before = bytes();
    EXPECT_NE(refusal().find("r.sqlite: error: a damaged result file"), std::string::npos)
        << damage << ": " << refusal();
    EXPECT_NE(refusal().find("note: move the file away"), std::string::npos) << damage;
    EXPECT_EQ(bytes(), before) << damage;
  }
}

// A database in which others have made something of their own.
TEST_F(Damage, IsNotWhatOthersAdd) {
  run("CREATE INDEX times ON predictions (total_time_us); CREATE VIEW fast AS SELECT * FROM results; "
      "ANALYZE");
  EXPECT_EQ(seen(), "same");
}

TEST_F(Damage, OfTheSizeIsRefused) {
  for (const std::size_t size : {whole_.size() - 1, whole_.size() - 4000, whole_.size() - 4096}) {
    write(whole_.substr(0, size));
    EXPECT_NE(refusal().find("a damaged result file"), std::string::npos) << size << refusal();
  }
  write(whole_ + std::string(4096, '\0'));
  EXPECT_NE(refusal().find("a damaged result file: it has "), std::string::npos) << refusal();
}

// As a process leaves them that is killed: pages are in the log only.
TEST_F(Damage, IsNotALogBesideTheFile) {
  Expected<ResultStore> store = open();
  ASSERT_TRUE(store->add(std::vector{row("5", 1)}));
  const std::string csv = csv_of(*store), copy = file().string() + ".copy";
  for (const char* const suffix : {"", "-wal"})
    fs::copy_file(file().string() + suffix, copy + suffix);
  ASSERT_GT(fs::file_size(copy + "-wal"), 0U);
  const Expected<ResultStore> killed = ResultStore::open(copy, own());
  ASSERT_TRUE(killed) << render(killed.error());
  EXPECT_EQ(csv_of(*killed), csv);
}

TEST_F(Damage, IsWhatTheSweepDoesNotHave) {
  const Expected<ResultStore> store = open();
  ASSERT_TRUE(store);
  const Expected<Plan> made = plan(head + "[axes]\nl2.mib = [4, 6, 8, 10]\n"); // of the GPU "unit"
  ASSERT_TRUE(made) << render(made.error());
  const Expected<void> checked = store->check_names(*made, {"a"});
  ASSERT_FALSE(checked);
  EXPECT_NE(render(checked.error()).find("a damaged result file: it has rows of"), std::string::npos);
}

// SQLite would take some names for something else than a file.
TEST(Names, AreThoseOfFiles) {
  const kerncast::test::TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  for (const char* const name : {":memory:", "file:r.sqlite?mode=memory"}) {
    Expected<ResultStore> store = ResultStore::open(name, {"s", "1", fingerprint("s"), {}});
    ASSERT_TRUE(store) << name;
    ASSERT_TRUE(store->close());
    EXPECT_GT(fs::file_size(name), 0U) << name;
  }
  fs::current_path(before);
}

} // namespace
} // namespace kerncast::sweep::test
