// Results on their way: between the threads of a rank, and in messages of several.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kerncast::cluster {

using Results = std::vector<std::string>;

// Appends the results, each behind the number of its bytes.
void pack(const Results& results, std::string& message);
// The bytes must come from `pack`.
Results unpack(std::string_view bytes);

// From several threads to one.
class Inbox {
public:
  // `sources`: how many will say that they have no more.
  explicit Inbox(int sources) : sources_(sources) {}

  void put(Results results) {
    const std::lock_guard lock(mutex_);
    for (std::string& result : results)
      results_.push_back(std::move(result));
    arrived_.notify_one();
  }
  void finish_source() {
    const std::lock_guard lock(mutex_);
    --sources_;
    arrived_.notify_one();
  }
  // What is there, after waiting for it at most so long; false: that was the last.
  template <class Pause> bool take(Results& taken, Pause pause) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, pause, [&] { return !results_.empty() || sources_ == 0; });
    taken = std::exchange(results_, {});
    return sources_ > 0 || !taken.empty();
  }

  // What came in so long, or until there is no more; false: that was the last.
  template <class Pause> bool gather(Results& taken, Pause pause) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, pause, [&] { return sources_ == 0; });
    taken = std::exchange(results_, {});
    return sources_ > 0;
  }

private:
  std::mutex mutex_; // guards what follows
  std::condition_variable arrived_;
  Results results_;
  int sources_;
};

} // namespace kerncast::cluster
