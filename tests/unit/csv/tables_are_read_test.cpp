// Claims: cells, quotes and comments as RFC 4180 and our tables have them; what is wrong is named at its
// place.
#include <gtest/gtest.h>

#include <array>

#include "csv/table.h"

namespace kerncast::csv {
namespace {

Expected<Table> table(const std::string& text) { return read(SourceText("t.csv", text)); }

std::string error(const std::string& text) {
  const Expected<Table> t = table(text);
  return t ? "" : render(t.error()).substr(0, render(t.error()).find('\n'));
}

TEST(Csv, cells_have_text_and_place) {
  const Table t = table("# a comment\n\nname,value\na,1\r\nlonger,\n").value();
  ASSERT_EQ(t.rows.size(), 2U);
  EXPECT_EQ(t.columns[1].text, "value");
  EXPECT_EQ(t.rows[0][1].text, "1");
  EXPECT_EQ(t.rows[1][0].text, "longer");
  EXPECT_EQ(t.rows[1][1].text, "");
  EXPECT_EQ(t.rows[1][1].place, (Place{5, 8}));
  EXPECT_EQ(t.find("value"), 1U);
  EXPECT_FALSE(t.find("values"));
}

// Spreadsheets write U+FEFF in front of UTF-8.
TEST(Csv, byte_order_mark_is_no_part_of_the_first_column) {
  const Table t = table("\xEF\xBB\xBFname,value\na,1\n").value();
  EXPECT_EQ(t.columns[0].text, "name");
  EXPECT_EQ(t.rows[0][1].text, "1");
}

TEST(Csv, quotes_hold_commas_quotes_and_lines) {
  const Table t = table("a,b\n\"{\"\"x\"\":1,2}\",\"two\nlines\"\nc,d").value();
  EXPECT_EQ(t.rows[0][0].text, "{\"x\":1,2}");
  EXPECT_EQ(t.rows[0][1].text, "two\nlines");
  EXPECT_EQ(t.rows[1][1].text, "d");
  EXPECT_EQ(t.rows[1][1].place, (Place{4, 3}));
}

TEST(Csv, what_is_written_is_read_again) {
  const std::vector<std::string> cells = {"plain", "a,b", "say \"yes\"", "two\nlines", ""};
  const Table t = table("a,b,c,d,e\n" + line_of(cells)).value();
  for (std::size_t i = 0; i < cells.size(); ++i)
    EXPECT_EQ(t.rows[0][i].text, cells[i]);
}

TEST(Csv, errors_have_places) {
  EXPECT_EQ(error(""), "t.csv: error: a table without columns");
  EXPECT_EQ(error("# nothing\n"), "t.csv: error: a table without columns");
  EXPECT_EQ(error("a,b\n1\n"), "t.csv:2:1: error: 1 cells, but there are 2 columns");
  EXPECT_EQ(error("a,b,a\n"), "t.csv:1:5: error: two columns 'a'");
  EXPECT_EQ(error("a,,b\n"), "t.csv:1:3: error: a column without a name");
  EXPECT_EQ(error("a\n\"open\n"), "t.csv:2:1: error: this quote is not closed");
  EXPECT_EQ(error("a\n\"x\"y\n"), "t.csv:2:4: error: text behind a cell in quotes");
}

TEST(Csv, missing_columns_are_named_all_at_once) {
  const Table t = table("gpu,warp\n").value();
  const std::array<std::string_view, 3> wanted = {"gpu", "warps", "kernel"};
  const auto found = find_columns(t, wanted);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error()[0].message, "no column 'warps'");
  EXPECT_EQ(found.error()[0].notes[0], "is 'warp' meant?");
  EXPECT_EQ(found.error()[1].message, "no column 'kernel'");
}

TEST(Csv, numbers_are_whole_cells) {
  EXPECT_EQ(number("1.5e3"), 1500);
  EXPECT_EQ(number("-2"), -2);
  for (const char* text : {"", "1 ", " 1", "1x", "nan", "inf", "1e999", "0x10"})
    EXPECT_FALSE(number(text)) << text;
}

} // namespace
} // namespace kerncast::csv
