// tests/data/ptx/constructs.txt: what ptxas accepts and rejects, construct by construct, and where the parser
// differs on purpose.
#include "ptx_text.h"

#include <fstream>

namespace kerncast::ptx {
namespace {

struct Construct {
  std::string verdict; // accepted, rejected, lenient
  std::string place;   // body, module, file
  std::string name;
  std::string text;
  std::string behind_arrow;
};
void PrintTo(const Construct& c, std::ostream* out) { *out << c.verdict << ": " << c.name; }

Construct begin_construct(std::string_view head) {
  const std::size_t verdict = head.find(' ');
  const std::size_t place = head.find(' ', verdict + 1);
  return {std::string(head.substr(0, verdict)), std::string(head.substr(verdict + 1, place - verdict - 1)),
          std::string(head.substr(place + 1)), "", ""};
}

std::vector<Construct> constructs() {
  std::ifstream in(KERNCAST_SOURCE_DIR "/tests/data/ptx/constructs.txt");
  std::vector<Construct> out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("== "))
      out.push_back(begin_construct(std::string_view(line).substr(3)));
    else if (line.starts_with("-> "))
      out.back().behind_arrow = line.substr(3);
    else if (!out.empty())
      out.back().text += line + "\n";
  }
  return out;
}

std::string module_of(const Construct& c) {
  if (c.place == "file")
    return c.text;
  const std::string head = ".version 8.7\n.target sm_90\n.address_size 64\n";
  const std::string kernel =
      ".entry k(.param .u64 prm) {\n"
      ".reg .b32 r<4>; .reg .b64 d<4>; .reg .f32 f<4>; .reg .pred p, q; .reg .b16 h<2>;\n";
  return c.place == "module" ? head + c.text + kernel + "ret;\n}\n" : head + kernel + c.text + "ret;\n}\n";
}

class ConstructOf : public testing::TestWithParam<Construct> {};

TEST_P(ConstructOf, is_judged_as_written) {
  const Construct& c = GetParam();
  const Expected<Module> module = parse_text(module_of(c));
  if (c.verdict == "rejected") {
    ASSERT_FALSE(module);
    expect_notes(module.error());
    EXPECT_EQ(module.error().front().message, c.behind_arrow);
  } else {
    EXPECT_TRUE(module) << render(module.error());
    EXPECT_EQ(c.behind_arrow.empty(), c.verdict == "accepted") << "only a difference has a reason";
  }
}

INSTANTIATE_TEST_SUITE_P(ptxas, ConstructOf, testing::ValuesIn(constructs()));

TEST(Constructs, are_over_a_hundred) { EXPECT_GT(constructs().size(), 100U); }

} // namespace
} // namespace kerncast::ptx
