// A kernel that fills shared and tensor memory from buffers, does one operation of tcgen05 and gives tensor
// memory back: one CTA of 128 threads, or a pair in a cluster, whose first CTA does it.
#pragma once

#include <optional>

#include "device.h"

namespace kerncast::functional_test {

inline constexpr std::uint32_t tensor_lanes = 128;

struct TensorCase {
  std::string operation;          // by one thread; %b is the address of the first column
  std::uint32_t columns = 64;     // of 32 bits, allocated
  std::uint32_t shared_bytes = 0; // behind the symbol s
  bool of_pair = false;
};

// Contents of shared memory and of tensor memory, lane by lane, of each CTA.
struct TensorContents {
  std::vector<std::uint8_t> shared;
  std::vector<std::uint32_t> tensors;

  explicit TensorContents(const TensorCase& c)
      : shared((c.of_pair ? 2U : 1U) * std::size_t{c.shared_bytes}),
        tensors((c.of_pair ? 2U : 1U) * std::size_t{tensor_lanes} * c.columns) {}

  void put(std::uint32_t at, std::uint32_t bits, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i)
      shared.at(at + i) = static_cast<std::uint8_t>(bits >> (8 * i));
  }
};

inline std::string tensor_kernel(const TensorCase& c) {
  const std::string group = c.of_pair ? "2" : "1";
  const std::string meet =
      c.of_pair ? "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" : "bar.sync 0;\n";
  const std::string commit =
      c.of_pair ? "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
                  "[done], %h;\n"
                : "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];\n";
  return fmt::format(
      ".version 9.0\n.target sm_100a\n.address_size 64\n"
      ".visible .entry k(.param .u64 a, .param .u64 t, .param .u64 o)\n{{\n"
      ".shared .align 1024 .b8 s[{shared}];\n.shared .align 8 .b64 done;\n.shared .align 4 .b32 base;\n"
      ".reg .pred %p, %q, %w;\n.reg .b16 %h;\n.reg .b32 %x, %y, %z, %i, %th, %wp, %b, %l, %c, %rank;\n"
      ".reg .b32 %e<8>;\n.reg .b64 %pa, %pt, %po, %lo, %at;\nld.param.u64 %pa, [a];\nld.param.u64 %pt, [t];\n"
      "ld.param.u64 %po, [o];\nmov.u32 %th, %tid.x;\nmov.u32 %rank, %cluster_ctarank;\nmov.u16 %h, 3;\n"
      "mul.wide.u32 %lo, %rank, {shared};\nadd.u64 %pa, %pa, %lo;\nmul.wide.u32 %lo, %rank, {image};\n"
      "add.u64 %pt, %pt, %lo;\nadd.u64 %po, %po, %lo;\nmul.wide.u32 %lo, %th, {lane};\n"
      "add.u64 %pt, %pt, %lo;\nadd.u64 %po, %po, %lo;\nshr.u32 %wp, %th, 5;\nmov.u32 %i, %th;\n"
      "COPY:\nsetp.ge.u32 %p, %i, {words};\n@%p bra COPIED;\nmul.wide.u32 %lo, %i, 4;\nadd.u64 %at, %pa, "
      "%lo;\n"
      "ld.global.b32 %x, [%at];\nshl.b32 %y, %i, 2;\nmov.u32 %z, s;\nadd.u32 %z, %z, %y;\n"
      "st.shared.b32 [%z], %x;\nadd.u32 %i, %i, 128;\nbra COPY;\nCOPIED:\n"
      "setp.ne.u32 %w, %wp, 0;\n@%w bra ALLOCATED;\n"
      "tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [base], {columns};\n"
      "tcgen05.relinquish_alloc_permit.cta_group::{group}.sync.aligned;\nALLOCATED:\n"
      "setp.ne.u32 %q, %th, 0;\n@%q bra READY;\nmbarrier.init.shared::cta.b64 [done], 1;\nREADY:\n"
      "bar.sync 0;\nld.shared.b32 %b, [base];\nshl.b32 %l, %wp, 21;\nadd.u32 %l, %l, %b;\nmov.u32 %c, 0;\n"
      "FILL:\nmul.wide.u32 %lo, %c, 4;\nadd.u64 %at, %pt, %lo;\nld.global.b32 %x, [%at];\n"
      "add.u32 %y, %l, %c;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%y], {{%x}};\nadd.u32 %c, %c, 1;\n"
      "setp.lt.u32 %p, %c, {columns};\n@%p bra FILL;\ntcgen05.wait::st.sync.aligned;\n"
      "tcgen05.fence::before_thread_sync;\n{meet}tcgen05.fence::after_thread_sync;\n"
      "or.b32 %x, %th, %rank;\nsetp.ne.u32 %q, %x, 0;\n@%q bra DONE;\n{operation}{commit}DONE:\n"
      "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [done], 0;\n@!%p bra WAIT;\n"
      "tcgen05.fence::after_thread_sync;\nmov.u32 %c, 0;\n"
      "GIVE:\nadd.u32 %y, %l, %c;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {{%x}}, [%y];\n"
      "tcgen05.wait::ld.sync.aligned;\nmul.wide.u32 %lo, %c, 4;\nadd.u64 %at, %po, %lo;\n"
      "st.global.b32 [%at], %x;\nadd.u32 %c, %c, 1;\nsetp.lt.u32 %p, %c, {columns};\n@%p bra GIVE;\n{meet}"
      "@%w bra FREE;\ntcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %b, {columns};\nFREE:\nret;\n}}\n",
      fmt::arg("shared", std::max(16U, c.shared_bytes)), fmt::arg("image", 4 * tensor_lanes * c.columns),
      fmt::arg("lane", 4 * c.columns), fmt::arg("words", c.shared_bytes / 4), fmt::arg("group", group),
      fmt::arg("columns", c.columns), fmt::arg("meet", meet), fmt::arg("operation", c.operation),
      fmt::arg("commit", commit));
}

// Tensor memory afterwards.
class TensorRun {
public:
  TensorRun(const TensorCase& c, const TensorContents& before) : columns_(c.columns) {
    Device device;
    const Argument out = device.buffer(std::vector<std::uint32_t>(before.tensors.size()));
    const std::uint32_t ctas = c.of_pair ? 2 : 1;
    result_ = device.try_run_clusters(Code::of_text(tensor_kernel(c)), {ctas}, {tensor_lanes}, {ctas},
                                      {device.buffer(before.shared), device.buffer(before.tensors), out});
    after_ = device.read<std::uint32_t>(out);
  }

  bool succeeds() const { return result_->has_value(); }
  std::string error() const { return error_of(*result_); }
  std::uint32_t at(std::uint32_t lane, std::uint32_t column, std::uint32_t cta = 0) const {
    return after_.at((std::size_t{cta} * tensor_lanes + lane) * columns_ + column);
  }

private:
  std::uint32_t columns_;
  std::optional<Expected<functional::RunResult>> result_;
  std::vector<std::uint32_t> after_;
};

} // namespace kerncast::functional_test
