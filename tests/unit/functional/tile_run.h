// One CTA that moves a tile between a tensor and its shared memory.
#pragma once

#include "tasklist/tensor_map.h"
#include "text_kernel.h"
#include "warp/memory_map.h"

namespace kerncast::functional_test {

using tasklist::TensorMap;
using tasklist::TensorType;
using Numbers = std::vector<std::uint32_t>;

// Of 32-bit words without gaps.
inline TensorMap map_of(std::vector<std::uint64_t> dims, std::vector<std::uint16_t> box) {
  TensorMap map;
  map.rank_less_one = static_cast<std::uint8_t>(dims.size() - 1);
  map.type = static_cast<std::uint8_t>(TensorType::u32);
  std::copy(dims.begin(), dims.end(), map.dims.begin());
  std::copy(box.begin(), box.end(), map.box.begin());
  std::fill_n(map.element_strides.begin(), dims.size(), std::uint8_t{1});
  make_dense(map);
  return map;
}

// %a points to the map, %x to a tile of 4 KiB in shared memory, %y to an mbarrier; %p in thread 0.
inline constexpr const char* prologue = ".shared .align 1024 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n"
                                        "mov.u32 %x, tile;\nmov.u32 %y, bar;\nsetp.eq.u32 %p, %t, 0;\n";

class TileRun {
public:
  TileRun(const TensorMap& map, const Numbers& tensor) {
    const Argument buffer = device_.buffer(tensor);
    TensorMap placed = map;
    placed.address = warp::buffer_address(buffer.buffer, 64);
    const auto words = tasklist::words_of(placed);
    map_ = device_.buffer(std::vector<std::uint64_t>(words.begin(), words.end()));
    tensor_ = buffer;
  }

  // What the body leaves in the first words of the tile.
  Numbers tile_after(const std::string& body, std::uint32_t words) {
    const Argument out = device_.buffer(Numbers(words));
    error_ = error_of(device_.try_run(code(body + copy_out), {1}, {32},
                                      {map_, out, integer(static_cast<std::int32_t>(words))}));
    return device_.read<std::uint32_t>(out);
  }
  // What it leaves in the tensor; tile word k is k before.
  Numbers tensor_after(const std::string& body) {
    const Argument out = device_.buffer(Numbers(1));
    error_ = error_of(device_.try_run(code(copy_in + body), {1}, {32}, {map_, out, integer(1024)}));
    return device_.read<std::uint32_t>(tensor_);
  }
  const std::string& error() const { return error_; }

private:
  static constexpr const char* copy_out =
      "bar.sync 0;\nOUT:\nshl.b32 %z, %t, 2;\nadd.u32 %w, %z, %x;\nld.shared.u32 %w, [%w];\n"
      "cvt.u64.u32 %o, %z;\nadd.s64 %pb, %b, %o;\nsetp.lt.u32 %q, %t, %n;\n@%q st.global.u32 [%pb], %w;\n"
      "add.u32 %t, %t, 32;\nsetp.lt.u32 %q, %t, %n;\n@%q bra OUT;\n";
  static constexpr const char* copy_in =
      "IN:\nshl.b32 %z, %t, 2;\nadd.u32 %w, %z, %x;\nst.shared.u32 [%w], %t;\n"
      "add.u32 %t, %t, 32;\nsetp.lt.u32 %q, %t, %n;\n@%q bra IN;\nbar.sync 0;\n";

  static Code code(const std::string& body) {
    std::string text = text_kernel(prologue + body);
    text.replace(text.find(".version 8.0\n.target sm_80"), 26, ".version 8.6\n.target sm_100a");
    return Code::of_text(text);
  }

  Device device_;
  Argument map_, tensor_;
  std::string error_;
};

// Loads the box at `coordinates` and waits for `bytes`.
inline std::string load_of(const std::string& form, const std::string& coordinates, std::uint32_t bytes) {
  return fmt::format("@!%p bra WAIT;\nmbarrier.init.shared.b64 [%y], 1;\n"
                     "mbarrier.arrive.expect_tx.shared.b64 %l, [%y], {};\n"
                     "cp.async.bulk.tensor.{}.mbarrier::complete_tx::bytes [%x], [%a, {{{}}}], [%y];\n"
                     "WAIT:\nbar.sync 0;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 %q, [%y], 0;\n"
                     "@!%q bra AGAIN;\n",
                     bytes, form, coordinates);
}

} // namespace kerncast::functional_test
