// What .version or .target do not offer yet is a warning, one a line, that says what to write.
#include "ptx_text.h"

#include <gmock/gmock.h>

namespace kerncast::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string module_for(std::string_view version, std::string_view target, std::string_view body,
                       std::string_view directives = "") {
  return std::string(".version ") + std::string(version) + "\n.target " + std::string(target) +
         "\n.entry k()\n" + std::string(directives) + "{\n.reg .b32 r; .reg .b64 d; .reg .pred p;\n" +
         std::string(body) + "\nret; }\n";
}

// Message and note of each warning.
std::vector<std::string> warnings(const std::string& text, std::size_t limit = 20) {
  const Expected<Module> module = parse_text(text, limit);
  std::vector<std::string> out;
  EXPECT_TRUE(module) << (module ? "" : render(module.error()));
  if (module)
    for (const Diagnostic& d : module->warnings)
      out.push_back(d.message + "; " + d.notes.front());
  return out;
}

TEST(NewerFeature, of_the_version_and_of_the_target) {
  EXPECT_THAT(warnings(module_for("6.3", "sm_75", "redux.sync.add.u32 r, r, -1;")),
              ElementsAre("'redux.sync.add.u32' is no part of .version 6.3 nor of .target sm_75; "
                          "write .version 7.0 and .target sm_80 or a later one"));
  EXPECT_THAT(
      warnings(module_for("7.0", "sm_75", "redux.sync.add.u32 r, r, -1;")),
      ElementsAre("'redux.sync.add.u32' is no part of .target sm_75; write .target sm_80 or a later one"));
  EXPECT_THAT(warnings(module_for("7.0", "sm_80", "redux.sync.add.u32 r, r, -1;")), ElementsAre());
}

TEST(NewerFeature, compares_versions_as_numbers) {
  // 7.8 comes after 7.4 and before 8.0; 10.0 will come after 9.2.
  EXPECT_EQ(warnings(module_for("7.3", "sm_80", "ld.L2::128B.u32 r, [d];")).size(), 1U);
  EXPECT_EQ(warnings(module_for("7.8", "sm_80", "ld.L2::128B.u32 r, [d];")).size(), 0U);
  EXPECT_THAT(warnings(module_for("10.0", "sm_80", "ld.L2::128B.u32 r, [d];")),
              ElementsAre(HasSubstr(".version 10.0 is newer than 9.2")));
}

TEST(NewerFeature, of_one_architecture_or_a_family) {
  const auto lacks = [](std::string_view target, std::string_view body) {
    return !warnings(module_for("9.2", target, body)).empty();
  };
  EXPECT_FALSE(lacks("sm_90a", "wgmma.fence.sync.aligned;"));
  EXPECT_TRUE(lacks("sm_90", "wgmma.fence.sync.aligned;"));
  EXPECT_TRUE(lacks("sm_100a", "wgmma.fence.sync.aligned;"));
  for (const std::string_view target : {"sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a"})
    EXPECT_FALSE(lacks(target, "tcgen05.wait::ld.sync.aligned;")) << target;
  for (const std::string_view target : {"sm_100", "sm_90a", "sm_120a", "compute_100"})
    EXPECT_TRUE(lacks(target, "tcgen05.wait::ld.sync.aligned;")) << target;
  EXPECT_THAT(warnings(module_for("9.2", "sm_90", "tcgen05.wait::ld.sync.aligned;")).front(),
              HasSubstr("write .target sm_100f or sm_110f"));
}

TEST(NewerFeature, of_9_1_and_9_2) {
  const auto lack = [](std::string_view version, std::string_view target, std::string_view body) {
    const auto all = warnings(module_for(version, target, body));
    return all.empty() ? std::string() : all.front();
  };
  EXPECT_THAT(lack("9.1", "sm_120f", "add.u8x4 r, r, r;"), HasSubstr("no part of .version 9.1"));
  for (const std::string_view target : {"sm_120f", "sm_120a", "sm_121a"})
    EXPECT_EQ(lack("9.2", target, "add.u8x4 r, r, r;"), "") << target;
  for (const std::string_view target : {"sm_120", "sm_103f", "sm_110a"})
    EXPECT_THAT(lack("9.2", target, "add.u8x4 r, r, r;"), HasSubstr("write .target sm_107f or sm_120f"))
        << target;
  EXPECT_EQ(lack("9.2", "sm_120a", "add.sat.u32 r, r, r;"), "");
  EXPECT_THAT(lack("9.2", "sm_100a", "add.sat.u32 r, r, r;"), HasSubstr("no part of .target sm_100a"));
  EXPECT_THAT(lack("9.0", "sm_80", "ld.volatile.local.b32 r, [d];"), HasSubstr("no part of .version 9.0"));
  EXPECT_EQ(lack("9.1", "sm_80", "ld.volatile.local.b32 r, [d];"), "");
  const std::string bulk = "multimem.cp.async.bulk.global.shared::cta.bulk_group [d], [r], 16;";
  EXPECT_THAT(lack("9.0", "sm_90", bulk), HasSubstr("no part of .version 9.0"));
  EXPECT_EQ(lack("9.1", "sm_90", bulk), "");
}

TEST(NewerFeature, of_versions_that_are_known_in_part) {
  const auto lacks = [](std::string_view version, std::string_view target, std::string_view body) {
    const auto all = warnings(module_for(version, target, body));
    return std::any_of(all.begin(), all.end(), [](const std::string& w) { return w.starts_with("'"); });
  };
  const std::string copy = "cp.async.bulk.weak.global.shared::cta.bulk_group [d], [r], 16;";
  EXPECT_TRUE(lacks("9.2", "sm_90a", copy));
  EXPECT_TRUE(lacks("9.3", "sm_90", copy));
  EXPECT_FALSE(lacks("9.3", "sm_90a", copy));
  EXPECT_TRUE(lacks("9.2", "sm_80", "clmad.lo.u64 d, d, d, d;"));
  EXPECT_FALSE(lacks("9.3", "sm_80", "clmad.lo.u64 d, d, d, d;"));
  EXPECT_TRUE(lacks("9.3", "sm_90", "ld.global.u32.proxy::readonly r, [d];"));
  EXPECT_FALSE(lacks("9.4", "sm_90", "ld.global.u32.proxy::readonly r, [d];"));
  EXPECT_FALSE(lacks("9.4", "sm_107a", "add.u8x4 r, r, r;"));
}

// Its number decides what a target has that is not known, and which family it is of.
TEST(NewerFeature, of_a_target_that_is_not_known) {
  const auto count = [](std::string_view target, std::string_view body) {
    return warnings(module_for("99.0", target, body)).size() - 2; // of version and target
  };
  EXPECT_EQ(count("sm_108", "redux.sync.add.u32 r, r, -1;"), 0U);
  EXPECT_EQ(count("sm_76", "redux.sync.add.u32 r, r, -1;"), 1U);
  EXPECT_EQ(count("sm_108f", "tcgen05.wait::ld.sync.aligned;"), 0U);
  EXPECT_EQ(count("sm_108", "tcgen05.wait::ld.sync.aligned;"), 1U);
}

TEST(NewerFeature, among_the_directives) {
  EXPECT_THAT(warnings(module_for("7.0", "sm_80", "", ".maxclusterrank 8\n")).front(),
              HasSubstr("'.maxclusterrank' is no part of .version 7.0"));
  EXPECT_THAT(warnings(module_for("7.8", "sm_90", "", ".maxclusterrank 8\n")), ElementsAre());
  EXPECT_EQ(warnings(".version 3.0 .target sm_30 .weak .global .b32 x;").size(), 1U);
  EXPECT_EQ(warnings(".version 6.0 .target sm_60 .func f() {ret;} .func g();\n.alias g, f;").size(), 1U);
  EXPECT_EQ(warnings(".version 3.2 .target sm_30 .global .attribute(.managed) .b32 x;").size(), 1U);
}

TEST(NewerFeature, is_one_warning_a_line) {
  const std::string both = "activemask.b32 r; elect.sync r|p, r;";
  EXPECT_EQ(warnings(module_for("6.0", "sm_70", both)).size(), 1U);
  EXPECT_EQ(warnings(module_for("6.0", "sm_70", both + "\n" + both)).size(), 2U);
}

TEST(NewerFeature, stops_at_the_limit_and_counts_the_rest) {
  std::string body;
  for (int i = 0; i < 5; ++i)
    body += "activemask.b32 r;\n";
  const Expected<Module> module = parse_text(module_for("6.0", "sm_70", body), 3);
  ASSERT_TRUE(module);
  ASSERT_EQ(module->warnings.size(), 3U);
  EXPECT_EQ(module->warnings.back().notes.back(), "and 2 more lines like this");
}

} // namespace
} // namespace kerncast::ptx
