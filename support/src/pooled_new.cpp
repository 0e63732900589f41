// operator new and delete of programs that compile kernel after kernel (keep_freed_memory): each thread keeps
// what it frees in lists by size and takes it again from there. A kernel's lowering makes some hundred small
// tables; glibc's own lists end at 1 KiB, behind which it merges and splits blocks each time.
//
// Aligned new and malloc stay as they are. Blocks of a thread that ends are lost to the process.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

constexpr std::size_t largest_pooled = 256 << 10;  // bytes
constexpr std::size_t most_kept_of_size = 1 << 20; // bytes, per thread
constexpr std::size_t step = 16;                   // of sizes up to `finest`
constexpr std::size_t finest = 64;

struct FreedBlock {
  FreedBlock* next;
};

// Sizes are 16, 32, 48, 64, then four per doubling: 80, 96, 112, 128, 160, ... The first that holds so many
// bytes; 0 holds none and is unused.
constexpr std::uint32_t size_class(std::size_t bytes) {
  if (bytes <= finest)
    return bytes <= step ? 1 : static_cast<std::uint32_t>((bytes + step - 1) / step);
  const auto doubling = static_cast<std::uint32_t>(std::bit_width(bytes - 1) - 1);
  return 4 * (doubling - 5) + static_cast<std::uint32_t>((bytes - 1) >> (doubling - 2) & 3) + 1;
}

constexpr std::size_t bytes_of(std::uint32_t size) {
  return size <= 4 ? size * step : std::size_t{(size - 1) % 4 + 5} << ((size - 1) / 4 + 3);
}

constexpr std::uint32_t sizes = size_class(largest_pooled) + 1;
static_assert(bytes_of(sizes - 1) == largest_pooled);
static_assert(bytes_of(size_class(65)) == 80 && bytes_of(size_class(128)) == 128 &&
              bytes_of(size_class(129)) == 160);

// By size: how many a thread keeps.
constexpr auto most_kept = [] {
  std::array<std::uint32_t, sizes> most{};
  for (std::uint32_t size = 1; size < sizes; ++size)
    most[size] = static_cast<std::uint32_t>(most_kept_of_size / bytes_of(size));
  return most;
}();

struct Pool {
  FreedBlock* first = nullptr;
  std::uint32_t count = 0;
};

thread_local std::array<Pool, sizes> pools;

void* allocate(std::size_t bytes) {
  for (;;) {
    if (void* const block = std::malloc(bytes); block != nullptr)
      return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr)
      throw std::bad_alloc();
    handler();
  }
}

void keep(void* block, std::uint32_t size) {
  Pool& pool = pools[size];
  if (pool.count == most_kept[size]) {
    std::free(block);
    return;
  }
  pool.first = new (block) FreedBlock{pool.first};
  ++pool.count;
}

} // namespace

void* operator new(std::size_t bytes) {
  if (bytes > largest_pooled)
    return allocate(bytes);
  const std::uint32_t size = size_class(bytes);
  Pool& pool = pools[size];
  if (pool.first == nullptr)
    return allocate(bytes_of(size));
  FreedBlock* const block = pool.first;
  pool.first = block->next;
  --pool.count;
  return block;
}

void operator delete(void* block, std::size_t bytes) noexcept {
  if (block != nullptr && bytes <= largest_pooled)
    keep(block, size_class(bytes));
  else
    std::free(block);
}

// The size is the last that the block has room for.
void operator delete(void* block) noexcept {
  const std::size_t bytes = malloc_usable_size(block); // 0 of null
  if (bytes < step || bytes > largest_pooled) {
    std::free(block);
    return;
  }
  const std::uint32_t size = size_class(bytes);
  keep(block, bytes_of(size) > bytes ? size - 1 : size);
}
