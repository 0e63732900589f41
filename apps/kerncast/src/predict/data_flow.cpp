#include "predict/data_flow.h"

#include <algorithm>

#include "warp/memory_use.h"

namespace kerncast::app {
namespace {

using tasklist::Argument;
using Places = std::vector<bool>;

bool meet(const Places& a, const Places& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] && b[i])
      return true;
  return false;
}

// Whether that changes anything.
bool add(const Places& from, Places& to) {
  bool changed = false;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] && !to[i])
      changed = to[i] = true;
  return changed;
}

// The buffers that a launch's arguments put in the place of parameters.
class Resolver {
public:
  Resolver(const PredictInput& input, const LaunchJob& job, std::size_t places, std::size_t variables)
      : input_(input), arguments_(job.launch.arguments), places_(places), variables_(variables) {}

  Places all() const { return Places(places_, true); }

  Places places(const warp::MemoryPlaces& use) const {
    if (use.everything)
      return all();
    Places found(places_);
    if (use.variables)
      found[variables_] = true;
    if (use.texels)
      for (const tasklist::Image& texture : input_.textures)
        found[texture.buffer] = true;
    for (std::size_t p = 0; p < use.parameters.size(); ++p) {
      if (!use.parameters[p])
        continue;
      if (p >= arguments_.size() || arguments_[p].kind == Argument::Kind::unknown)
        return all();
      if (arguments_[p].kind == Argument::Kind::buffer)
        found[arguments_[p].buffer] = true;
    }
    return found;
  }

  // A pointer that is stored may come back by any load.
  bool stores_pointers(const warp::MemoryPlaces& stored) const {
    for (std::size_t p = 0; p < stored.parameters.size() && p < arguments_.size(); ++p)
      if (stored.parameters[p] && arguments_[p].kind == Argument::Kind::buffer)
        return true;
    return stored.variables;
  }

private:
  const PredictInput& input_;
  const std::vector<Argument>& arguments_;
  std::size_t places_, variables_;
};

} // namespace

DataFlow::DataFlow(const PredictInput& input, const std::vector<bool>& followed) : input_(input) {
  for (const KernelCode& kernel : input.kernels)
    if (std::find(modules_.begin(), modules_.end(), kernel.module.get()) == modules_.end())
      modules_.push_back(kernel.module.get());
  versions_.assign(input.buffers.size() + modules_.size(), 0);
  for (const LaunchJob& job : input.launches)
    jobs_.push_back(use_of(job));
  find_what_matters(followed);
}

DataFlow::JobUse DataFlow::use_of(const LaunchJob& job) const {
  const KernelCode& kernel = input_.kernels[job.kernel];
  const auto module = std::find(modules_.begin(), modules_.end(), kernel.module.get());
  const Resolver resolver(input_, job, versions_.size(),
                          input_.buffers.size() + static_cast<std::size_t>(module - modules_.begin()));
  const ptx::Function* function = kernel.function();
  if (function == nullptr)
    return {resolver.all(), resolver.all(), resolver.all(), {}};
  const warp::MemoryUse use =
      warp::memory_use(*kernel.module, *function, kernel.list, !input_.textures.empty());
  if (resolver.stores_pointers(use.stored))
    return {resolver.all(), resolver.all(), resolver.all(), {}};
  return {resolver.places(use.reads), resolver.places(use.writes), resolver.places(use.decides), {}};
}

// What decides a followed launch, and what that is computed from.
void DataFlow::find_what_matters(const std::vector<bool>& followed) {
  matters_.assign(versions_.size(), false);
  for (std::size_t j = 0; j < jobs_.size(); ++j)
    if (followed[j])
      add(jobs_[j].decides, matters_);
  for (bool changed = true; changed;) {
    changed = false;
    for (const JobUse& job : jobs_)
      if (meet(job.writes, matters_))
        changed = add(job.reads, matters_) || changed;
  }
}

std::vector<std::uint64_t> DataFlow::versions_of(const Places& places) const {
  std::vector<std::uint64_t> versions;
  for (std::size_t p = 0; p < places.size(); ++p)
    if (places[p])
      versions.push_back(versions_[p]);
  return versions;
}

std::vector<std::uint64_t> DataFlow::deciding_versions(std::uint32_t job) const {
  return versions_of(jobs_[job].decides);
}

// A launch that reads nothing that it writes leaves the same when it sees the same.
bool DataFlow::must_execute(std::uint32_t job) const {
  const JobUse& use = jobs_[job];
  if (!meet(use.writes, matters_))
    return false;
  Places touched = use.reads;
  add(use.writes, touched);
  return meet(use.reads, use.writes) || use.versions_left.empty() ||
         use.versions_left != versions_of(touched);
}

void DataFlow::executed(std::uint32_t job) {
  JobUse& use = jobs_[job];
  for (std::size_t p = 0; p < versions_.size(); ++p)
    if (use.writes[p])
      versions_[p] = next_version_++;
  Places touched = use.reads;
  add(use.writes, touched);
  use.versions_left = versions_of(touched);
}

void DataFlow::reach(std::size_t event) {
  for (; next_fill_ < input_.fills.size() && input_.fills[next_fill_].event < event; ++next_fill_)
    versions_[input_.fills[next_fill_].buffer] = next_version_++;
}

} // namespace kerncast::app
