// Which kind of file, and where its fat binaries are.
#include "containers/container.h"

#include "bytes.h"
#include "elf.h"
#include "fat_binary.h"

namespace kerncast::containers {
namespace {

constexpr std::string_view fat_binary_sections[] = {".nv_fatbin", "__nv_relfatbin"};
constexpr std::string_view debug_text_section = ".nv_debug_ptx_txt";

// The machine code itself, and the PTX that it was made from where it was built with line information.
Container read_cubin(const SourceText& file, const ElfFile& elf) {
  Container cubin{ContainerKind::cubin, {}};
  Entry code;
  code.payload = Payload::machine_code;
  code.bytes = file.text().size();
  cubin.entries.push_back(code);
  for (const Section& section : elf.sections)
    if (section.name.starts_with(debug_text_section)) {
      Entry text;
      text.payload = Payload::ptx;
      text.encoding = Encoding::debug_lines;
      text.offset = section.offset;
      text.bytes = section.bytes;
      text.unit = static_cast<std::uint32_t>(cubin.entries.size());
      cubin.entries.push_back(text);
    }
  return cubin;
}

Expected<Container> read_host_file(const SourceText& file, const ElfFile& elf) {
  Container host{elf.type == relocatable_type ? ContainerKind::object : ContainerKind::program, {}};
  std::uint32_t unit = 0;
  bool has_section = false;
  for (const Section& section : elf.sections)
    for (const std::string_view name : fat_binary_sections) {
      if (section.name != name)
        continue;
      has_section = true;
      const Expected<void> read = read_fat_binaries(file, section.offset, section.bytes, unit, host.entries);
      if (!read)
        return tl::unexpected(read.error());
    }
  if (!has_section)
    return fail(
        file.error({}, 1, "an ELF file without CUDA code",
                   {"PTX lies in the sections .nv_fatbin and __nv_relfatbin, which it does not have"}));
  return host;
}

} // namespace

bool is_container(std::string_view bytes) { return is_elf(bytes) || is_fat_binary(bytes); }

Expected<Container> read_container(const SourceText& file) {
  if (!is_elf(file.text())) {
    Container fat{ContainerKind::fat_binary, {}};
    std::uint32_t unit = 0;
    return read_fat_binaries(file, 0, file.text().size(), unit, fat.entries).map([&] { return fat; });
  }
  const Expected<ElfFile> elf = read_elf(file);
  if (!elf)
    return tl::unexpected(elf.error());
  if (elf->machine == cuda_machine)
    return read_cubin(file, *elf);
  return read_host_file(file, *elf);
}

} // namespace kerncast::containers
