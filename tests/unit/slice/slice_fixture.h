// Kernels and launches for the tests of slice execution.
#pragma once

#include <bit>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../lowered_kernel.h"
#include "slice/execute.h"
#include "slice/program.h"

namespace kerncast::slice_test {

using tasklist::AddressShape;
using tasklist::Argument;
using tasklist::Launch;
using tasklist::LaunchBehaviour;
using tasklist::PathNode;

inline Argument integer(std::int32_t value) {
  return {Argument::Kind::i32, static_cast<std::uint32_t>(value), 0, 0};
}
inline Argument long_integer(std::uint64_t value) { return {Argument::Kind::u64, value, 0, 0}; }
inline Argument real(float value) { return {Argument::Kind::f32, std::bit_cast<std::uint32_t>(value), 0, 0}; }
// Of 0 bytes: nobody knows how many.
inline Argument buffer(std::uint32_t number, std::uint64_t offset = 0, std::uint64_t bytes = 1U << 26) {
  return {Argument::Kind::buffer, offset, number, bytes};
}

// Of 32 bytes each, that lanes with whole words touch.
inline std::uint64_t sectors_of(const AddressShape& shape) {
  std::set<std::uint64_t> sectors;
  for (const std::uint64_t offset : shape.offsets)
    sectors.insert(offset / 32);
  return sectors.size();
}

// A kernel of tests/data/slice or of PTX text, lowered.
class Kernel {
public:
  static Kernel of_file(const std::string& file, const std::string& name) {
    return of_path("tests/data/slice/" + file, name);
  }
  // A file by its path in the repository.
  static Kernel of_path(const std::string& path, const std::string& name) {
    return Kernel(test::LoweredKernel::of_path(path, name));
  }
  static Kernel of_text(const std::string& text) { return Kernel(test::LoweredKernel::of_text(text)); }

  Expected<LaunchBehaviour> try_execute(const Launch& launch, const slice::SliceOptions& options = {}) const {
    return slice::execute_slice(lowered_.module(), lowered_.function(), lowered_.list(), launch, options);
  }
  LaunchBehaviour execute(const Launch& launch, const slice::SliceOptions& options = {}) const {
    auto behaviour = try_execute(launch, options);
    EXPECT_TRUE(behaviour) << render(behaviour.error());
    return behaviour ? std::move(*behaviour) : LaunchBehaviour{};
  }
  const tasklist::Tasklist& list() const { return lowered_.list(); }
  slice::SliceProgram program() const { return {lowered_.module(), lowered_.function(), lowered_.list()}; }
  slice::DataDependence data_dependence() const {
    return slice::data_dependence(lowered_.module(), lowered_.function(), lowered_.list());
  }

private:
  explicit Kernel(test::LoweredKernel lowered) : lowered_(std::move(lowered)) {}

  test::LoweredKernel lowered_;
};

inline Launch launch(tasklist::Dim3 grid, tasklist::Dim3 block, std::vector<Argument> arguments) {
  Launch l;
  l.grid = grid;
  l.block = block;
  l.arguments = std::move(arguments);
  l.dynamic_shared_bytes = 4096; // kernels of the tests use shared memory that they do not declare
  return l;
}

// The visits of a path one by one, repeats written out.
inline void unfold(const std::vector<PathNode>& nodes, std::size_t begin, std::size_t end,
                   std::vector<std::uint32_t>& visits) {
  for (std::size_t i = begin; i < end; ++i) {
    if (nodes[i].kind == PathNode::Kind::visit) {
      visits.push_back(nodes[i].visit);
      continue;
    }
    for (std::uint64_t k = 0; k < nodes[i].count; ++k)
      unfold(nodes, i + 1, i + 1 + nodes[i].length, visits);
    i += nodes[i].length;
  }
}
inline std::vector<std::uint32_t> visits_of(const LaunchBehaviour& b, std::uint32_t path) {
  std::vector<std::uint32_t> visits;
  unfold(b.paths.at(path).nodes, 0, b.paths.at(path).nodes.size(), visits);
  return visits;
}

// How often a warp on this path visits a block.
inline std::uint64_t visit_count(const LaunchBehaviour& b, std::uint32_t path, tasklist::BlockId block) {
  std::uint64_t count = 0;
  for (const std::uint32_t v : visits_of(b, path))
    count += b.visits[v].block == block ? 1 : 0;
  return count;
}

// Shapes of one kind of access over a path, in order: those of the tasks for which `wanted(task)` holds.
template <class Wanted>
std::vector<AddressShape> shapes_where(const LaunchBehaviour& b, const tasklist::Tasklist& list,
                                       std::uint32_t path, Wanted&& wanted) {
  std::vector<AddressShape> shapes;
  for (const std::uint32_t v : visits_of(b, path)) {
    const tasklist::BlockVisit& visit = b.visits[v];
    for (const tasklist::Task& t : list.tasks_of(list.blocks[visit.block]))
      if (t.access != UINT16_MAX && wanted(t))
        shapes.push_back(b.shapes[b.access_pool[visit.accesses.begin + t.access]]);
  }
  return shapes;
}
inline std::vector<AddressShape> load_shapes(const LaunchBehaviour& b, const tasklist::Tasklist& list,
                                             std::uint32_t path, tasklist::Space space) {
  return shapes_where(b, list, path, [&](const tasklist::Task& t) {
    return t.kind == tasklist::TaskKind::load && t.space == space;
  });
}
inline std::vector<AddressShape> store_shapes(const LaunchBehaviour& b, const tasklist::Tasklist& list,
                                              std::uint32_t path, tasklist::Space space) {
  return shapes_where(b, list, path, [&](const tasklist::Task& t) {
    return t.kind == tasklist::TaskKind::store && t.space == space;
  });
}

} // namespace kerncast::slice_test
