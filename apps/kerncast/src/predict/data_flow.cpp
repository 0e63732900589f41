#include "predict/data_flow.h"

#include <algorithm>
#include <optional>

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

// The buffers that an argument, or the members of one, point to; nothing for one of unknown value.
std::optional<std::vector<std::uint32_t>> buffers_of(const tasklist::Launch& launch, std::size_t argument) {
  if (argument >= launch.arguments.size() || launch.arguments[argument].kind == Argument::Kind::unknown)
    return std::nullopt;
  std::vector<std::uint32_t> buffers;
  const auto add = [&](const Argument& a) {
    if (a.kind == Argument::Kind::buffer)
      buffers.push_back(a.buffer);
  };
  add(launch.arguments[argument]);
  for (const tasklist::StructMember& m : launch.members)
    if (m.argument == argument)
      add(m.value);
  return buffers;
}

// A pointer that is stored may come back by any load.
bool has_pointers(const warp::MemoryPlaces& stored, const tasklist::Launch& launch) {
  for (std::size_t p = 0; p < stored.parameters.size(); ++p)
    if (const auto buffers = stored.parameters[p] ? buffers_of(launch, p) : std::nullopt;
        buffers && !buffers->empty())
      return true;
  return stored.variables;
}

// Variables that begin with addresses of variables.
bool has_initial_pointers(const ptx::Module& module) {
  return std::any_of(module.globals.begin(), module.globals.end(),
                     [](const ptx::Variable& v) { return !v.initial_addresses.empty(); });
}

// The buffers that a launch's arguments put in the place of parameters.
class PlacesResolver {
public:
  PlacesResolver(const PredictInput& input, const LaunchJob& job, std::size_t places, std::size_t variables,
                 bool pointers_lie_in_memory)
      : input_(input), launch_(job.launch), places_(places), variables_(variables),
        pointers_lie_in_memory_(pointers_lie_in_memory) {}

  Places all() const { return Places(places_, true); }

  Places places(const warp::MemoryPlaces& use) const {
    if (use.everything || (use.loaded && pointers_lie_in_memory_))
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
      const auto buffers = buffers_of(launch_, p);
      if (!buffers)
        return all();
      for (const std::uint32_t buffer : *buffers)
        found[buffer] = true;
    }
    return found;
  }

private:
  const PredictInput& input_;
  const tasklist::Launch& launch_;
  std::size_t places_, variables_;
  bool pointers_lie_in_memory_;
};

// Of each kernel that is PTX.
std::vector<std::optional<warp::MemoryUse>> memory_uses(const PredictInput& input) {
  std::vector<std::optional<warp::MemoryUse>> uses;
  for (const KernelCode& kernel : input.kernels) {
    const ptx::Function* function = kernel.function();
    uses.push_back(function == nullptr
                       ? std::nullopt
                       : std::optional(warp::memory_use(*kernel.module, *function, kernel.list,
                                                        !input.textures.empty())));
  }
  return uses;
}

} // namespace

DataFlow::DataFlow(const PredictInput& input, const std::vector<bool>& followed) : input_(input) {
  for (const KernelCode& kernel : input.kernels)
    if (std::find(modules_.begin(), modules_.end(), kernel.module.get()) == modules_.end())
      modules_.push_back(kernel.module.get());
  versions_.assign(input.buffers.size() + modules_.size(), 0);
  const std::vector<std::optional<warp::MemoryUse>> uses = memory_uses(input);
  bool pointers_lie_in_memory =
      std::any_of(input.kernels.begin(), input.kernels.end(), [](const KernelCode& kernel) {
        return kernel.module && has_initial_pointers(*kernel.module);
      });
  for (const LaunchJob& job : input.launches)
    pointers_lie_in_memory =
        pointers_lie_in_memory || (uses[job.kernel] && has_pointers(uses[job.kernel]->left, job.launch));
  const Places all(versions_.size(), true);
  for (const LaunchJob& job : input.launches)
    jobs_.push_back(uses[job.kernel] ? use_of(job, *uses[job.kernel], pointers_lie_in_memory)
                                     : JobUse{all, all, all, all, {}});
  find_what_matters(followed);
  find_what_is_written();
}

DataFlow::JobUse DataFlow::use_of(const LaunchJob& job, const warp::MemoryUse& use,
                                  bool pointers_lie_in_memory) const {
  const auto module =
      std::find(modules_.begin(), modules_.end(), input_.kernels[job.kernel].module.get()) - modules_.begin();
  const PlacesResolver resolver(input_, job, versions_.size(),
                                input_.buffers.size() + static_cast<std::size_t>(module),
                                pointers_lie_in_memory);
  if (has_pointers(use.stored, job.launch))
    return {resolver.all(), resolver.all(), resolver.all(), resolver.all(), {}};
  return {resolver.places(use.reads), resolver.places(use.writes), resolver.places(use.decides), {}, {}};
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

// A job that no event launches writes and is written to by nobody knows what.
void DataFlow::find_what_is_written() {
  Places written(versions_.size());
  std::size_t fill = 0;
  for (JobUse& job : jobs_)
    job.written.assign(versions_.size(), true);
  for (std::size_t e = 0; e < input_.events.size(); ++e) {
    for (; fill < input_.fills.size() && input_.fills[fill].event <= e; ++fill)
      written[input_.fills[fill].buffer] = true;
    if (const auto* kernel = std::get_if<timeline::KernelEvent>(&input_.events[e])) {
      add(jobs_[kernel->launch].writes, written);
      jobs_[kernel->launch].written = written;
    }
  }
}

std::optional<std::vector<std::uint32_t>> DataFlow::unwritten_deciders(std::uint32_t job) const {
  const Places& decides = jobs_[job].decides;
  const auto variables = decides.begin() + static_cast<std::ptrdiff_t>(input_.buffers.size());
  if (meet(decides, jobs_[job].written) || std::find(variables, decides.end(), true) != decides.end())
    return std::nullopt;
  std::vector<std::uint32_t> buffers;
  for (std::uint32_t b = 0; b < input_.buffers.size(); ++b)
    if (decides[b])
      buffers.push_back(b);
  return buffers;
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
