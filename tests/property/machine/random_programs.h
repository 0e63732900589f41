// Random control-flow graphs of tasks over few values, so that values are rewritten, copied and kept around
// loops in every way.
#pragma once

#include <cstdint>
#include <random>

#include "tiny_gpu.h"

namespace kerncast::machine::testing {

struct ProgramShape {
  std::uint32_t blocks = 1;
  std::uint32_t tasks_per_block = 1;
  std::uint32_t values = 1;
  std::uint64_t seed = 0;
};

class RandomProgram {
public:
  explicit RandomProgram(const ProgramShape& shape) : shape_(shape), random_(shape.seed) {}

  tasklist::Tasklist write() {
    for (std::uint32_t b = 0; b < shape_.blocks; ++b) {
      writer_.block(successors());
      const std::uint32_t tasks = below(shape_.tasks_per_block + 1);
      for (std::uint32_t t = 0; t < tasks; ++t)
        add_task();
    }
    writer_.list.value_classes.resize(shape_.values, tasklist::ValueClass::b32);
    for (tasklist::ValueClass& c : writer_.list.value_classes)
      c = static_cast<tasklist::ValueClass>(below(4));
    return std::move(writer_.list);
  }

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

private:
  std::vector<tasklist::BlockId> successors() {
    std::vector<tasklist::BlockId> targets;
    for (std::uint32_t n = below(3); n > 0; --n)
      targets.push_back(below(shape_.blocks));
    return targets;
  }

  std::vector<tasklist::ValueId> values(std::uint32_t count) {
    std::vector<tasklist::ValueId> chosen;
    for (; count > 0; --count)
      chosen.push_back(below(shape_.values));
    return chosen;
  }

  void add_task() {
    using tasklist::TaskKind;
    switch (below(10)) {
    case 0:
    case 1:
    case 2:
      writer_.add("mov.u32", values(1), values(below(3))).predicated = below(6) == 0;
      break;
    case 3:
      writer_.add("ld.global.f32", values(1), values(1), TaskKind::load).predicated = below(6) == 0;
      break;
    case 4:
      writer_.add("st.global.f32", {}, values(2), TaskKind::store);
      break;
    case 5:
      writer_.add("div.f32", values(1), values(2)).predicated = below(6) == 0;
      break;
    case 6:
      writer_.add("mul.s32", values(1), values(2)).predicated = below(4) == 0;
      break;
    case 7:
      writer_.add("and.b64", values(1), values(2)).predicated = below(4) == 0;
      break;
    case 8:
      if (below(4) == 0)
        writer_.add("bar.sync", {}, {}, TaskKind::barrier);
      break;
    default:
      writer_.add("add.s32", values(1), values(2)).predicated = below(4) == 0;
    }
  }

  ProgramShape shape_;
  std::mt19937_64 random_;
  ListWriter writer_;
};

} // namespace kerncast::machine::testing
