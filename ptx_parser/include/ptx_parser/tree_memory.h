// Memory of a syntax tree: taken from the system in few large blocks and given back all at once, with the
// module.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace kerncast::ptx {

class TreeMemory {
public:
  // The first block has room for what is expected, at most 8 MB; more may be taken.
  explicit TreeMemory(std::size_t expected_bytes);
  TreeMemory(const TreeMemory&) = delete;
  TreeMemory& operator=(const TreeMemory&) = delete;
  ~TreeMemory() = default;

  // Aligned for every type of the tree.
  void* allocate(std::size_t bytes);

private:
  struct Release {
    void operator()(std::byte* block) const;
  };
  std::byte* add_block(std::size_t bytes);

  std::vector<std::unique_ptr<std::byte, Release>> blocks_;
  std::size_t next_block_bytes_;
  std::size_t later_block_bytes_;
  std::byte* free_ = nullptr; // of the latest block
  std::size_t bytes_left_ = 0;
};

// Takes from a TreeMemory, which must live as long as what it allocates, or from the heap, as copies do.
template <class T> struct TreeAllocator {
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  TreeAllocator() = default;
  explicit TreeAllocator(TreeMemory* from) : memory(from) {}
  template <class U> explicit TreeAllocator(const TreeAllocator<U>& other) : memory(other.memory) {}

  T* allocate(std::size_t count) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    void* const space =
        memory != nullptr ? memory->allocate(count * sizeof(T)) : ::operator new(count * sizeof(T));
    return static_cast<T*>(space);
  }
  void deallocate(T* space, std::size_t) {
    if (memory == nullptr)
      ::operator delete(space);
  }
  TreeAllocator select_on_container_copy_construction() const { return {}; }
  friend bool operator==(const TreeAllocator&, const TreeAllocator&) = default;

  TreeMemory* memory = nullptr; // null: the heap
};

template <class T> using TreeVector = std::vector<T, TreeAllocator<T>>;

} // namespace kerncast::ptx
