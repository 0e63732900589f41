// A table of measured launches of one kernel, for kerncast validate measured.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "answers.h"

namespace kerncast::test {

// scale.ptx multiplies 102,400 floats: 400 CTAs of 256 threads, one load and one store of a float each.
inline constexpr const char* measured_columns =
    "gpu,kernel,config,grid_x,grid_y,grid_z,block_x,block_y,block_z,time_us,counters,clock\n";

class Measured : public testing::Test {
protected:
  static std::string row(const std::string& config, const std::string& time_us, const std::string& counters,
                         const std::string& clock = "1000") {
    return "GeForce X,scale,\"{" + config + "}\",400,1,1,256,1,1," + time_us + ",\"{" + counters + "}\"," +
           clock + "\n";
  }

  // With what `more` gives of the chain.
  std::string map_with(const std::string& more) const {
    return folder_.write(
        "map.json", R"({"gpus": {"GeForce X": "titan-x"}, "ptx": ")" + data("{FILE}.ptx") +
                        R"(", "arguments": ["buf:409600", "buf:409600", "f32:2", "i32:{n}"])" + more + "}");
  }
  std::string map(const std::string& more = "") const {
    return map_with(R"(, "registers": "{regs}", "l1_hit": "0", "l2_hit": "0")" + more);
  }

  Ended run(const std::string& rows, const std::string& map_file,
            const std::string& options = "--json -") const {
    return kerncast("validate measured " + folder_.write("measured.csv", measured_columns + rows) +
                    " --map " + map_file + " " + options);
  }

  static Json find(const Json& report, const std::string& quantity) {
    for (const Json& one : report["comparisons"])
      if (one["quantity"] == quantity)
        return one;
    return {};
  }

  const std::string scale_ = R"(""FILE"":""scale"",""n"":102400)";
  const std::string regs_ = R"(""regs"":16)";
  Folder folder_;
};

} // namespace kerncast::test
