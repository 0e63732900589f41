#include "ptx_parser/tree_memory.h"

#include <algorithm>
#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace kerncast::ptx {
namespace {

constexpr std::size_t smallest_block = std::size_t{1} << 14;
constexpr std::size_t largest_block = std::size_t{1} << 23;
constexpr std::size_t huge_page = std::size_t{1} << 21;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

// A block smaller than two large pages does without: it would waste much of one.
bool takes_huge_pages(std::size_t bytes) { return bytes >= 2 * huge_page; }

std::size_t block_bytes(std::size_t expected_bytes) {
  const std::size_t bytes = std::clamp(expected_bytes, smallest_block, largest_block);
  return round_up(bytes, takes_huge_pages(bytes) ? huge_page : alignof(std::max_align_t));
}

} // namespace

TreeMemory::TreeMemory(std::size_t expected_bytes)
    : next_block_bytes_(block_bytes(expected_bytes)),
      later_block_bytes_(expected_bytes > largest_block ? largest_block : block_bytes(expected_bytes / 4)) {}

void TreeMemory::Release::operator()(std::byte* block) const { std::free(block); }

// The first touch of a page costs about half as much as parsing the text that fills it, so large blocks ask
// for large pages.
std::byte* TreeMemory::add_block(std::size_t bytes) {
  const bool is_large = takes_huge_pages(bytes);
  const std::size_t unit = is_large ? huge_page : alignof(std::max_align_t);
  const std::size_t rounded = round_up(bytes, unit);
  auto* const block = static_cast<std::byte*>(std::aligned_alloc(unit, rounded));
  if (block == nullptr)
    throw std::bad_alloc();
  blocks_.emplace_back(block);
#ifdef MADV_HUGEPAGE
  if (is_large)
    madvise(block, rounded, MADV_HUGEPAGE); // a wish: without it all is the same but slower
#endif
  return block;
}

void* TreeMemory::allocate(std::size_t bytes) {
  bytes = round_up(bytes, alignof(std::max_align_t));
  if (bytes > bytes_left_) {
    if (bytes > next_block_bytes_) // has a block of its own, so that the rest of the latest one stays in use
      return add_block(bytes);
    bytes_left_ = next_block_bytes_;
    free_ = add_block(bytes_left_);
    next_block_bytes_ = later_block_bytes_;
  }
  std::byte* const space = free_;
  free_ += bytes;
  bytes_left_ -= bytes;
  return space;
}

} // namespace kerncast::ptx
