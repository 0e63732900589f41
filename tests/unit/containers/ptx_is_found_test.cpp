// The PTX inside what nvcc 13 writes (tests/data/containers/build), for every kind of file and compression.
#include <filesystem>

#include <gtest/gtest.h>

#include "containers/container.h"
#include "support/files.h"

namespace kerncast::containers {
namespace {

SourceText data_file(const std::string& name) {
  return read_source(std::filesystem::path(KERNCAST_SOURCE_DIR) / "tests/data/containers" / name).value();
}

Container container_of(const SourceText& file) {
  auto container = read_container(file);
  EXPECT_TRUE(container) << render(container ? Diagnostics{} : container.error());
  return container ? std::move(*container) : Container{};
}

std::string text_of(const SourceText& file, const Entry& entry) {
  const auto text = unpack(file, entry);
  EXPECT_TRUE(text) << render(text ? Diagnostics{} : text.error());
  return text ? *text : "";
}

std::vector<Entry> ptx_of(const Container& container) {
  std::vector<Entry> out;
  for (const Entry& entry : container.entries)
    if (entry.payload == Payload::ptx)
      out.push_back(entry);
  return out;
}

struct FatBinaryCase {
  const char* name;
  Encoding encoding;
};

class FatBinaries : public testing::TestWithParam<FatBinaryCase> {};

// compute_75 and compute_90a, PTX ISA 9.0.
TEST_P(FatBinaries, hold_the_same_ptx_however_they_are_compressed) {
  const SourceText file = data_file(GetParam().name);
  const SourceText plain = data_file("none.fatbin");
  const Container container = container_of(file);
  ASSERT_EQ(container.kind, ContainerKind::fat_binary);
  ASSERT_EQ(container.entries.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const Entry& entry = container.entries[i];
    EXPECT_EQ(entry.payload, Payload::ptx);
    EXPECT_EQ(entry.encoding, GetParam().encoding);
    EXPECT_EQ(entry.version_major, 9U);
    EXPECT_EQ(entry.version_minor, 0U);
    EXPECT_EQ(entry.architecture, i == 0 ? 75U : 90U);
    const std::string text = text_of(file, entry);
    EXPECT_EQ(text, text_of(plain, container_of(plain).entries[i]));
    EXPECT_NE(text.find(i == 0 ? ".target sm_75" : ".target sm_90a"), std::string::npos);
    EXPECT_EQ(text.find('\0'), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(modes, FatBinaries,
                         testing::Values(FatBinaryCase{"none.fatbin", Encoding::plain},
                                         FatBinaryCase{"speed.fatbin", Encoding::lz4},
                                         FatBinaryCase{"size.fatbin", Encoding::zstd}));

struct HostCase {
  const char* name;
  ContainerKind kind;
  std::size_t ptx;
};

class HostFiles : public testing::TestWithParam<HostCase> {};

TEST_P(HostFiles, hold_ptx_in_their_sections) {
  const SourceText file = data_file(GetParam().name);
  ASSERT_TRUE(is_container(file.text()));
  const Container container = container_of(file);
  EXPECT_EQ(container.kind, GetParam().kind);
  const std::vector<Entry> ptx = ptx_of(container);
  EXPECT_EQ(ptx.size(), GetParam().ptx);
  for (const Entry& entry : ptx)
    EXPECT_NE(text_of(file, entry).find(".visible .entry"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(kinds, HostFiles,
                         testing::Values(HostCase{"object.o", ContainerKind::object, 1},
                                         HostCase{"relocatable.o", ContainerKind::object, 1},
                                         HostCase{"library.so", ContainerKind::program, 1},
                                         HostCase{"program", ContainerKind::program, 4}));

TEST(Programs, have_a_unit_for_each_source_file) {
  // two_kernels.cu and one_kernel.cu, each for sm_75 and sm_80.
  const SourceText file = data_file("program");
  const std::vector<Entry> ptx = ptx_of(container_of(file));
  ASSERT_EQ(ptx.size(), 4U);
  EXPECT_EQ(ptx[0].unit, ptx[1].unit);
  EXPECT_NE(ptx[1].unit, ptx[2].unit);
  EXPECT_EQ(ptx[2].unit, ptx[3].unit);
  EXPECT_EQ(ptx[2].architecture, 75U);
  EXPECT_EQ(ptx[3].architecture, 80U);
}

TEST(MachineCode, is_no_ptx) {
  for (const char* name : {"machine_code.fatbin", "plain.cubin"}) {
    const SourceText file = data_file(name);
    const Container container = container_of(file);
    EXPECT_EQ(ptx_of(container).size(), 0U) << name;
    ASSERT_EQ(container.entries.size(), 1U) << name;
    EXPECT_EQ(container.entries[0].payload, Payload::machine_code) << name;
  }
}

TEST(CubinsWithLineInformation, have_a_copy_of_their_ptx) {
  const SourceText file = data_file("line_info.cubin");
  const Container container = container_of(file);
  EXPECT_EQ(container.kind, ContainerKind::cubin);
  const std::vector<Entry> ptx = ptx_of(container);
  ASSERT_EQ(ptx.size(), 1U);
  EXPECT_EQ(ptx[0].encoding, Encoding::debug_lines);
  EXPECT_NE(text_of(file, ptx[0]).find("\n.target sm_75\n"), std::string::npos);
}

TEST(OtherFiles, are_no_containers) {
  EXPECT_FALSE(is_container(""));
  EXPECT_FALSE(is_container("\x50\xed\x55"));
  EXPECT_FALSE(is_container(".version 9.0\n"));
}

} // namespace
} // namespace kerncast::containers
