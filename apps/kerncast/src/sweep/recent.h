// A cache of values in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace kerncast::app {

// Values that were computed lately, by what they depend on. Of threads that ask for the same value one
// computes it, the others wait.
template <class Value> class Recent {
public:
  // Keeps the latest 64 values.
  Recent() = default;
  // And up to `most` while all together take 64 MB at most.
  Recent(std::size_t most, std::function<std::size_t(const Value&)> bytes_of)
      : most_(most), bytes_of_(std::move(bytes_of)) {}

  std::shared_ptr<const Value> get(const std::string& key, const std::function<Value()>& compute) {
    const std::shared_ptr<Entry> entry = find_or_add(key);
    const std::lock_guard lock(entry->computing);
    if (!entry->value) {
      entry->value = std::make_shared<const Value>(compute());
      weigh(*entry);
    }
    return entry->value;
  }
  bool knows(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return find(key) != nullptr;
  }

private:
  static constexpr std::size_t few = 64;
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;
  struct Entry {
    std::string key;
    std::mutex computing;
    std::shared_ptr<const Value> value; // guarded by computing
    // Guarded by mutex_.
    std::size_t bytes = 0;
    bool is_kept = true;
  };

  std::shared_ptr<Entry> find(const std::string& key) {
    for (auto at = entries_.begin(); at != entries_.end(); ++at)
      if ((*at)->key == key) {
        entries_.splice(entries_.begin(), entries_, at);
        return entries_.front();
      }
    return nullptr;
  }

  std::shared_ptr<Entry> find_or_add(const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (std::shared_ptr<Entry> known = find(key))
      return known;
    while (entries_.size() >= most_ || (entries_.size() >= few && bytes_ > most_bytes)) {
      bytes_ -= entries_.back()->bytes;
      entries_.back()->is_kept = false;
      entries_.pop_back();
    }
    entries_.push_front(std::make_shared<Entry>());
    entries_.front()->key = key;
    return entries_.front();
  }

  void weigh(Entry& entry) {
    const std::size_t bytes = bytes_of_ ? bytes_of_(*entry.value) : 0;
    const std::lock_guard lock(mutex_);
    if (!entry.is_kept)
      return;
    entry.bytes = bytes;
    bytes_ += bytes;
  }

  std::size_t most_ = few;
  std::function<std::size_t(const Value&)> bytes_of_;
  std::mutex mutex_;                          // guards what follows
  std::list<std::shared_ptr<Entry>> entries_; // the latest first
  std::size_t bytes_ = 0;
};

} // namespace kerncast::app
