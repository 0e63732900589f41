// Where the members of a structure lie that a kernel takes by value: as C lays them out, each at a multiple
// of its own size, or where the user says. Leaves out: structures inside of structures, whose first member
// the user may have to place.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tasklist/launch.h"
#include "tasklist/tensor_map.h"

namespace kerncast::application {

class StructLayout {
public:
  // Of the argument with this number.
  StructLayout(std::uint32_t argument, std::vector<tasklist::StructMember>& into)
      : argument_(argument), into_(into) {}

  // `bytes` is a power of two; without `at` the member follows the one before it.
  void add(const tasklist::Argument& value, std::uint32_t bytes, std::optional<std::uint32_t> at) {
    const std::uint32_t offset = at.value_or((end_ + bytes - 1) / bytes * bytes);
    into_.push_back({argument_, offset, bytes, value});
    end_ = offset + bytes;
  }

  // The 128 bytes of a tensor map, whose address is that of `buffer`.
  void add_tensor_map(const tasklist::TensorMap& map, const tasklist::Argument& buffer,
                      std::optional<std::uint32_t> at) {
    constexpr std::uint32_t alignment = tasklist::TensorMap::alignment;
    end_ = at.value_or((end_ + alignment - 1) / alignment * alignment);
    const tasklist::TensorMapWords words = words_of(map);
    for (std::size_t w = 0; w < words.size(); ++w)
      add(w == tasklist::tensor_map_address_word
              ? buffer
              : tasklist::Argument{tasklist::Argument::Kind::u64, words[w], 0, 0},
          sizeof(std::uint64_t), end_);
  }

private:
  std::uint32_t argument_;
  std::uint32_t end_ = 0;
  std::vector<tasklist::StructMember>& into_;
};

} // namespace kerncast::application
