#include "known_contents.h"

#include <algorithm>
#include <map>

#include "predict/data_flow.h"

namespace kerncast::app {
namespace {

using slice::KnownContents;

class ContentsGiver {
public:
  explicit ContentsGiver(const PredictInput& input) : input_(input) {}

  // Null: none of these buffers is known, or one cannot be read.
  std::shared_ptr<const KnownContents> of(const std::vector<std::uint32_t>& buffers) {
    const auto is_known = [&](std::uint32_t b) {
      return input_.buffers[b].contents.kind != application::InitKind::unknown;
    };
    if (std::none_of(buffers.begin(), buffers.end(), is_known))
      return nullptr;
    auto& known = by_buffers_[buffers];
    if (known)
      return known;
    auto contents = std::make_shared<KnownContents>();
    contents->buffers.resize(input_.buffers.size());
    for (const std::uint32_t b : buffers)
      if (is_known(b) && !(contents->buffers[b] = bytes_of(b)))
        return nullptr;
    return known = std::move(contents);
  }

private:
  KnownContents::Bytes bytes_of(std::uint32_t buffer) {
    auto& bytes = bytes_[buffer];
    if (bytes)
      return bytes;
    auto filled = std::make_shared<std::vector<std::uint8_t>>(input_.buffers[buffer].bytes);
    if (!application::fill(input_.buffers[buffer].contents, *filled))
      return nullptr;
    return bytes = std::move(filled);
  }

  const PredictInput& input_;
  std::map<std::uint32_t, KnownContents::Bytes> bytes_;
  std::map<std::vector<std::uint32_t>, std::shared_ptr<const KnownContents>> by_buffers_;
};

} // namespace

void give_known_contents(PredictInput& input, std::vector<bool>& jobs) {
  if (std::none_of(jobs.begin(), jobs.end(), [](bool job) { return job; }))
    return;
  const DataFlow flow(input, jobs);
  ContentsGiver giver(input);
  for (std::uint32_t j = 0; j < jobs.size(); ++j)
    if (const auto buffers = jobs[j] ? flow.unwritten_deciders(j) : std::nullopt)
      if (auto contents = giver.of(*buffers)) {
        input.launches[j].contents = std::move(contents);
        jobs[j] = false;
      }
}

} // namespace kerncast::app
