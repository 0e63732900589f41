// What is wrong with a sweep file is said at its place, with a next step.
#include <gtest/gtest.h>

#include "sweep_text.h"

namespace kerncast::sweep::test {
namespace {

TEST(SweepFiles, UnknownKeysAreRefusedWithTheNearest) {
  EXPECT_EQ(errors("[sweep]\nbase = [\"unit\"]\napps = [\"a.json\"]\nsampel = \"grid\"\n"),
            "s.toml:4:1: error: unknown key 'sampel' of [sweep]\n"
            "  sampel = \"grid\"\n"
            "  ^~~~~~\n"
            "s.toml:4:1: note: did you mean 'samples'?\n");
  EXPECT_EQ(errors(head + "[axes]\nl2.latncy = [100]\n"), "s.toml:5:4: error: unknown key 'l2.latncy'\n"
                                                          "  l2.latncy = [100]\n"
                                                          "     ^~~~~~\n"
                                                          "s.toml:5:4: note: did you mean 'l2.latency'?\n");
}

TEST(SweepFiles, ValuesAreThoseOfTheKey) {
  EXPECT_NE(errors(head + "[axes]\nsms = [4, 0]\n").find("s.toml:5:11: error: sms must be at least 1, is 0"),
            std::string::npos);
  const std::string whole = errors(head + "[axes]\nsms = { from = 1, to = 4, steps = 3 }\n");
  EXPECT_NE(whole.find("s.toml:5:1: error: sms must be a whole number, is 2.5"), std::string::npos) << whole;
  EXPECT_NE(whole.find("state round = 1"), std::string::npos) << whole;
}

TEST(SweepFiles, NamesInExpressionsExist) {
  EXPECT_EQ(errors(head + "[constraints]\nc = \"smss < 3\"\n"), "s.toml:5:6: error: unknown name 'smss'\n"
                                                                "  c = \"smss < 3\"\n"
                                                                "       ^~~~\n"
                                                                "s.toml:5:6: note: did you mean 'sms'?\n");
  EXPECT_NE(errors(head + "[derived]\na = \"b + 1\"\nb = \"a + 1\"\n").find("depends on itself"),
            std::string::npos);
  EXPECT_NE(
      errors(head + "[derived]\na = \"b\"\nb = \"b + a\"\n").find("s.toml:6:1: error: 'b' depends on itself"),
      std::string::npos);
  EXPECT_NE(errors(head + "[derived]\nsms = \"2\"\n").find("is a key of the GPU description"),
            std::string::npos);
}

struct Bad {
  const char* text; // behind the head
  const char* message;
};

TEST(SweepFiles, WhatDoesNotFitTogetherIsRefused) {
  constexpr Bad bad[] = {
      {"[axes]\nsms = 4\n", "sms is no axis"},
      {"[axes]\nsms = []\n", "an axis without values"},
      {"[axes]\nsms = [4, 4]\n", "the value 4 is stated twice"},
      {"[axes]\nsms = { from = 4 }\n", "a range needs from and to"},
      {"[axes]\nsms = { from = 4, to = 8 }\n", "the range of sms has no steps"},
      {"[axes]\nsms = { from = 4, to = 4, steps = 2 }\n", "a range of one value"},
      {"[axes]\nsms = { from = 0, to = 4, steps = 2, scale = \"geometric\" }\n", "a geometric range"},
      {"[axes]\nsms = { from = 1, to = 4, steps = 2, scale = \"log\" }\n", "scale must be"},
      {"[axes]\nsms = [1, 2]\nl2.mib = { with = \"sms\", values = [1] }\n",
       "l2.mib has 1 values, but sms has 2"},
      {"[axes]\nl2.mib = { with = \"smss\", values = [1] }\n", "no axis 'smss'"},
      {"[axes]\nl2.mib = { expression = \"sms < 3\" }\n", "a condition, where a key needs a number"},
      {"[constraints]\nc = \"1 / (sms - sms) > 3\"\n", "s.toml:5:1: error: neither true nor false at"},
      {"[uncertain]\nl2.latency = 0.1\n\"l2.latency\" = 0.2\n",
       "s.toml:6:1: error: l2.latency is stated twice"},
      {"[constraints]\nc = \"sms + 1\"\n", "a number, where a constraint needs a condition"},
      {"[constraints]\nc = \"sms < 1\"\n", "s.toml:5:1: error: no point satisfies the constraints"},
      {"seed = 4\n", "s.toml:4:8: error: seed of a sweep without samples"},
      {"[objectives]\nt = 3\n", "t is no objective"},
      {"[objectives]\nt = { smallest = \"sms\" }\n", "unknown key 'smallest'"},
      {"[axis]\nsms = [1]\n", "unknown key 'axis'"},
      {"[axes]\nsms = { from = 1, to = 1000000, steps = 1000000 }\nclock_mhz = [1, 2]\n",
       "a grid of more than"}};
  for (const Bad& one : bad) {
    const std::string said = errors(head + one.text);
    EXPECT_NE(said.find(one.message), std::string::npos) << one.text << said;
    EXPECT_NE(said.find("note: "), std::string::npos) << one.text << said;
  }
  EXPECT_NE(errors("[axes]\n").find("the table [sweep] is missing"), std::string::npos);
  EXPECT_NE(errors("[sweep]\napps = [\"a\"]\n").find("names no GPU"), std::string::npos);
  EXPECT_NE(errors("[sweep]\nbase = [\"unt\"]\napps = [\"a\"]\n").find("did you mean 'unit'?"),
            std::string::npos);
}

} // namespace
} // namespace kerncast::sweep::test
