// Damaged PTX never crashes the parser: every file of tests/data/ptx, cut off at many places and with bytes
// changed, gives a module or errors with places inside the file.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ptx_parser/parser.h"
#include "support/files.h"

namespace kerncast::ptx {
namespace {

struct Sample {
  std::string name;
  std::string text;
};

// In alphabetical order of their names.
std::vector<Sample> read_samples() {
  std::vector<Sample> out;
  const std::filesystem::path root = std::filesystem::path(KERNCAST_SOURCE_DIR) / "tests/data/ptx";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".ptx")
      out.push_back({entry.path().filename().string(), read_file(entry.path()).value()});
  std::sort(out.begin(), out.end(), [](const Sample& a, const Sample& b) { return a.name < b.name; });
  return out;
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = read_samples();
  return all;
}

// Ids of the tree are in range, errors lie in the file and say what to do.
void expect_sound(const std::string& text) {
  const auto module = parse(SourceText("damaged.ptx", text));
  if (!module) {
    ASSERT_FALSE(module.error().empty());
    const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    for (const Diagnostic& d : module.error()) {
      EXPECT_LE(d.place.line, lines);
      EXPECT_FALSE(d.message.empty());
      EXPECT_FALSE(d.notes.empty()) << d.message;
    }
    return;
  }
  for (const Function& f : module->functions)
    for (const Operand& o : f.operand_pool) {
      EXPECT_TRUE(o.kind != OperandKind::reg || o.id < f.registers.size());
      EXPECT_TRUE(o.kind != OperandKind::label || o.id < f.labels.size());
      EXPECT_LE(o.elements().begin + o.elements().count, f.operand_pool.size());
    }
}

TEST(UndamagedSamples, are_accepted) {
  ASSERT_GE(samples().size(), 12U);
  for (const Sample& s : samples()) {
    const auto module = parse(SourceText(s.name, s.text));
    EXPECT_TRUE(module) << render(module ? Diagnostics{} : module.error());
  }
}

// Every seventeenth byte of small samples; of large ones 150 places, since the work grows with the square.
TEST(TruncatedSamples, are_sound) {
  for (const Sample& s : samples()) {
    const std::size_t step = std::max<std::size_t>(17, s.text.size() / 150);
    for (std::size_t length = 0; length < s.text.size(); length += step)
      expect_sound(s.text.substr(0, length));
  }
}

TEST(TruncatedSamples, end_in_an_error_inside_a_body) {
  // The last '}' of a kernel is missing: never a silent success.
  for (const Sample& s : samples()) {
    const std::size_t last_return = s.text.rfind("ret;");
    if (last_return == std::string::npos)
      continue;
    EXPECT_FALSE(parse(SourceText(s.name, s.text.substr(0, last_return + 4)))) << s.name;
  }
}

RC_GTEST_PROP(SamplesWithChangedBytes, are_sound, ()) {
  const auto& sample = samples()[*rc::gen::inRange<std::size_t>(0, samples().size())];
  std::string text = sample.text;
  const int changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const std::string with =
        *rc::gen::elementOf(std::vector<std::string>{"{", "}", "[", "]", ";", ",", ".", "%", "\"", "/*",
                                                     "|", "-", "(", "<", "0", "_", "@", ":", "\n", "%r1"});
    text.replace(at, 1, with);
  }
  expect_sound(text);
}

} // namespace
} // namespace kerncast::ptx
