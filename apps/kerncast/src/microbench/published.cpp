#include "published.h"

namespace kerncast::app {
namespace {

struct Printed {
  std::string_view gpu, table, row;
  std::vector<std::vector<double>> cells;
};

// 004, Table II, is of generations; these are the GPUs that 003 measured of them, and one of the first.
const Printed printed[] = {
    // Table II: latency, interval
    {"gtx650ti", "004 Table II", "SP", {{9}, {0.18}}},
    {"gtx650ti", "004 Table II", "DP", {{32}, {4}}},
    {"gtx650ti", "004 Table II", "SF", {{18}, {1}}},
    {"c2050", "004 Table II", "SP", {{18}, {1}}},
    {"c2050", "004 Table II", "DP", {{22}, {2}}},
    {"c2050", "004 Table II", "SF", {{40}, {8}}},
    {"gtx280", "004 Table II", "SP", {{22}, {4}}},
    {"gtx280", "004 Table II", "SF", {{51}, {16}}},
    // Table III, computations: performance, interval, latency, ridge point
    {"k620", "004 Table III", "SP", {{249, 363, 388}, {.43, .30, .28}, {9.1, 4.7, 4.7}, {1536}}},
    {"k620",
     "004 Table III",
     "INT",
     {{125, 130, 130}, {.86, .77, .83}, {16.2, 12.9, 12.6}, {1536, 1024, 512}}},
    {"k620", "004 Table III", "SF", {{27, 27, 27}, {4.0, 4.0, 3.9}, {62, 39, 29}, {512, 384, 256}}},
    // memory: bandwidth, interval, latency, cache size
    {"k620", "004 Table III", "global 1B", {{15.7}, {3.96}, {42.4}, {}}},
    {"k620", "004 Table III", "global 2B", {{21.6}, {5.83}, {59.7}, {}}},
    {"k620", "004 Table III", "global 4B", {{25.0}, {9.89}, {52.5}, {}}},
    {"k620", "004 Table III", "global 8B", {{26.2}, {18.9}, {78.5}, {}}},
    {"k620", "004 Table III", "global 16B", {{26.4}, {37.7}, {144.2}, {}}},
    {"k620", "004 Table III", "local 4B", {{138}, {1.3}, {43.1}, {}}},
    {"k620", "004 Table III", "constant 4B", {{97.1}, {1.48}, {48, 90.6}, {8}}},
    {"k620", "004 Table III", "private 4B", {{}, {}, {177}, {}}},
    // 003 Table 4: interval of ALU and SFU, issue limit
    {"c2050", "003 Table 4", "instruction mix", {{1}, {8}, {1}}},
    {"gtx650ti", "003 Table 4", "instruction mix", {{0.25}, {1}, {4}}},
    {"k620", "003 Table 4", "instruction mix", {{0.25}, {1}, {4}}},
    {"gtx1060", "003 Table 4", "instruction mix", {{0.25}, {1}, {4}}},
    {"rtx2070", "003 Table 4", "instruction mix", {{0.5}, {2}, {2}}},
    // 003 Table 6: throughput, bandwidth, efficiency in percent
    {"c2050", "003 Table 6", "global memory", {{89.6}, {144}, {62.2}}},
    {"gtx650ti", "003 Table 6", "global memory", {{70.5}, {86.4}, {81.5}}},
    {"k620", "003 Table 6", "global memory", {{22.6}, {29}, {77.8}}},
    {"gtx1060", "003 Table 6", "global memory", {{160.6}, {192}, {83.7}}},
    {"rtx2070", "003 Table 6", "global memory", {{288}, {361}, {80.5}}},
};

// 003 Table 5: interval and latency on each of these.
constexpr std::string_view table_5_gpus[] = {"c2050", "gtx650ti", "k620", "gtx1060", "rtx2070"};
constexpr std::size_t table_5_gpu_count = std::size(table_5_gpus);
struct Table5Row {
  std::string_view instruction;
  double numbers[table_5_gpu_count][2]; // 0: not printed
};
constexpr Table5Row table_5[] = {{"cos.approx.f32", {{8, 40}, {1, 18}, {1, 15}, {1, 15}, {2, 21}}},
                                 {"mul.f32", {{1, 18}, {0.25, 9}, {0.375, 6}, {0.25, 6}, {0.5, 4}}},
                                 {"mul.f64", {{2, 22}, {4, 22}, {7.5, 42}, {8, 43}, {19, 45}}},
                                 {"mul.s32", {{2, 18}, {0.5, 5}, {0.875, 12.5}, {0.75, 12}, {0.25, 2}}},
                                 {"div.f32", {{3, 45}, {0.75, 28.5}, {1.125, 20}, {0.75, 18}, {1.5, 12.5}}},
                                 {"div.f64", {{19, 253}, {26, 260}, {47, 376}, {47, 376}, {0, 0}}},
                                 {"div.s32", {{20, 200}, {3, 96}, {7, 105}, {5, 100}, {5, 65}}},
                                 {"bar.sync", {{2, 40}, {0.75, 24}, {4.5, 125}, {2.25, 70}, {1.5, 17}}},
                                 {"ld.global.s32", {{23, 475}, {7.5, 300}, {18, 440}, {12, 345}, {18, 450}}},
                                 {"ld.local.s32", {{2, 28}, {1, 28}, {1, 28}, {1, 25}, {2, 32}}}};

std::vector<std::vector<double>> of_table_5(std::string_view gpu, std::string_view row) {
  for (const Table5Row& one : table_5)
    for (std::size_t g = 0; g < table_5_gpu_count; ++g)
      if (one.instruction == row && table_5_gpus[g] == gpu && one.numbers[g][0] > 0)
        return {{one.numbers[g][0]}, {one.numbers[g][1]}};
  return {};
}

} // namespace

std::vector<std::vector<double>> published_row(std::string_view gpu, std::string_view table,
                                               std::string_view row) {
  if (table == "003 Table 5")
    return of_table_5(gpu, row);
  for (const Printed& one : printed)
    if (one.gpu == gpu && one.table == table && one.row == row)
      return one.cells;
  return {};
}

} // namespace kerncast::app
