// A kernel prepared for slice execution, for callers with many launches of it.
#pragma once

#include <memory>

#include "slice/execute.h"

namespace kerncast::warp {
struct Program;
}

namespace kerncast::slice {

// Decoded once; executing does not change it, so launches may run on several threads. Keeps no reference
// to the module but its text, the function or the tasklist.
class SliceProgram {
public:
  // As for execute_slice: `list` must be the lowering of `kernel`, or of its inlined form.
  SliceProgram(const ptx::Module& module, const ptx::Function& kernel, const tasklist::Tasklist& list);

  Expected<tasklist::LaunchBehaviour> execute(const tasklist::Launch& launch,
                                              const SliceOptions& options = {}) const;

  const std::shared_ptr<const warp::Program>& program() const { return program_; }

private:
  std::shared_ptr<const warp::Program> program_;
  std::vector<tasklist::Parameter> parameters_;
  std::shared_ptr<const SourceText> source_;
};

} // namespace kerncast::slice
