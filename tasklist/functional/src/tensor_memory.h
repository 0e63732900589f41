// Tensor memory of one CTA: 128 lanes of 512 columns of 32 bits, and which columns are allocated (PTX ISA,
// section 9.7.16.1). Zeros where nobody wrote.
//
// Columns are given out from the lowest on. An SM's other CTAs, which share its columns, take none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace kerncast::functional {

class TensorMemory {
public:
  static constexpr std::uint32_t lanes = 128, columns = 512;
  static constexpr std::uint32_t partitions = 4, lanes_per_partition = 32; // each of one warp of four
  static constexpr std::uint32_t fewest_columns = 32;                      // of an allocation

  struct Allocation {
    std::uint32_t first = 0, count = 0; // columns
    std::uint32_t line = 0;             // of the PTX
    std::uint32_t warp = 0;
  };

  // Another CTA begins.
  void clear();
  // The first column; none where so many are not free in a row.
  std::optional<std::uint32_t> allocate(std::uint32_t count, std::uint32_t line, std::uint32_t warp);
  // False: there is no such allocation.
  bool free(std::uint32_t first, std::uint32_t count);
  const std::vector<Allocation>& allocations() const { return allocations_; } // by first column
  bool is_allocated(std::uint32_t column) const { return column < columns && used_[column]; }
  // Of an allocated column.
  std::uint32_t& word(std::uint32_t lane, std::uint32_t column) {
    return words_[std::size_t{lane} * columns + column];
  }

  void relinquish() { may_allocate_ = false; }
  bool may_allocate() const { return may_allocate_; }
  // Whether instructions so far agree about .cta_group; this one is the first or like the others.
  bool agrees(bool of_pair);

private:
  std::vector<std::uint32_t> words_; // empty before the first allocation
  std::vector<bool> used_ = std::vector<bool>(columns, false);
  std::vector<Allocation> allocations_;
  bool may_allocate_ = true;
  std::optional<bool> of_pairs_;
};

} // namespace kerncast::functional
