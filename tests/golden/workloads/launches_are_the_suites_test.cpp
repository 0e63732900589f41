// Claim: the workloads launch what Rodinia 3.1 and Parboil 2.5 launch with their default data: the same
// kernels, CTAs, threads per CTA and number of launches (recorded from the suites' host programs, where a
// README does not say otherwise).
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kerncast {
namespace {

using CtasAndThreads = std::pair<std::uint64_t, std::uint64_t>;

struct Launches {
  std::uint64_t count = 0;
  std::set<CtasAndThreads> geometries;
};

std::vector<nlohmann::json> kernel_events(const std::string& workload) {
  std::ifstream file(KERNCAST_SOURCE_DIR "/apps/workloads/" + workload + "/app.json");
  const nlohmann::json app = nlohmann::json::parse(file);
  std::vector<nlohmann::json> events;
  std::ranges::copy_if(app.at("events"), std::back_inserter(events),
                       [](const nlohmann::json& event) { return event.at("op") == "kernel"; });
  return events;
}

std::uint64_t product(const nlohmann::json& dimensions) {
  std::uint64_t result = 1;
  for (const nlohmann::json& d : dimensions)
    result *= d.get<std::uint64_t>();
  return result;
}

std::map<std::string, Launches> launches_of(const std::string& workload) {
  std::map<std::string, Launches> result;
  for (const nlohmann::json& event : kernel_events(workload)) {
    Launches& launches = result[event.at("kernel")];
    launches.count += event.value("repeat", std::uint64_t{1});
    launches.geometries.insert({product(event.at("grid")), product(event.at("block"))});
  }
  return result;
}

void expect_launches(const std::string& workload, const std::string& kernel, std::uint64_t count,
                     CtasAndThreads geometry) {
  const std::map<std::string, Launches> all = launches_of(workload);
  ASSERT_TRUE(all.contains(kernel)) << workload;
  EXPECT_EQ(all.at(kernel).count, count) << kernel;
  EXPECT_EQ(all.at(kernel).geometries, std::set<CtasAndThreads>{geometry}) << kernel;
}

// 1024 cells in tiles of 16 - 2 x 2 = 12: 86 x 86 CTAs.
TEST(SuiteLaunches, hotspot_is_7396_ctas_of_256) {
  expect_launches("rodinia/hotspot", "calculate_temp", 1, {86 * 86, 256});
}

// 100000 columns in stretches of 256 - 2 x 20 = 216: 463 CTAs; 99 rows, 20 a launch: 5 launches.
TEST(SuiteLaunches, pathfinder_is_463_ctas_of_256_five_times) {
  expect_launches("rodinia/pathfinder", "dynproc_kernel", 5, {463, 256});
}

TEST(SuiteLaunches, gaussian_is_2_and_65536_ctas_for_each_of_1023_pivots) {
  expect_launches("rodinia/gaussian", "Fan1", 1023, {2, 512});
  expect_launches("rodinia/gaussian", "Fan2", 1023, {256 * 256, 16});
}

// 1024 / 128 x 1056 / 16 CTAs.
TEST(SuiteLaunches, sgemm_is_528_ctas_of_128) {
  expect_launches("parboil/sgemm", "mysgemmNT", 1, {8 * 66, 128});
}

struct SuiteKernel {
  const char* workload;
  const char* kernel;
  std::uint64_t launches;
  CtasAndThreads largest;
};

// lud: offset 16 i of 2048 leaves 127 - i blocks; nw: anti-diagonals of 1 to 128 and 127 to 1 tiles.
// srad_v1: 502 x 458 pixels in CTAs of 512: 450, whose sums one CTA adds. kmeans, cfd, streamcluster: 10
// rounds are ours. hybridsort: lists of 4352 values in 1024 buckets, of which pass p merges stretches of
// 8 x 2^p, 208 a CTA. Parboil's bfs: the longest queue has 533342 nodes. mri-gridding: 16384 samples and
// 32768 bins are ours; 32769 keys have 16 bits, 4 a pass; 32769 counts are scanned in 33 CTAs of 1024.
// myocyte: 10 ms, of 3 step sizes and 13 evaluations each, are ours. mummergpu: 50000 queries.
constexpr SuiteKernel suite_kernels[] = {
    {"parboil/bfs", "BFS_kernel", 13, {1042, 512}},
    {"parboil/cutcp", "cuda_cutoff_potential_lattice6overlap", 11, {11 * 11, 128}},
    {"parboil/histo", "histo_prescan_kernel", 20, {64, 512}},
    {"parboil/histo", "histo_intermediates_kernel", 20, {65, 498}},
    {"parboil/histo", "histo_main_kernel", 20, {14 * 6, 768}},
    {"parboil/histo", "histo_final_kernel", 20, {42, 512}},
    {"parboil/lbm", "performStreamCollide_kernel", 100, {120 * 150, 120}},
    {"parboil/mri-gridding", "binning_kernel", 1, {32, 512}},
    {"parboil/mri-gridding", "splitSort", 4, {16, 256}},
    {"parboil/mri-gridding", "splitRearrange", 4, {16, 256}},
    {"parboil/mri-gridding", "reorder_kernel", 1, {32, 512}},
    {"parboil/mri-gridding", "scan_L1_kernel", 5, {33, 512}},
    {"parboil/mri-gridding", "scan_inter1_kernel", 5, {1, 64}},
    {"parboil/mri-gridding", "scan_inter2_kernel", 5, {1, 64}},
    {"parboil/mri-gridding", "uniformAdd", 5, {33, 512}},
    {"parboil/mri-gridding", "gridding_GPU", 1, {4 * 32, 64}},
    {"parboil/mri-q", "ComputePhiMag_GPU", 1, {4, 512}},
    {"parboil/mri-q", "ComputeQ_GPU", 2, {1024, 256}},
    {"parboil/sad", "mb_sad_calc", 1, {44 * 36, 61}},
    {"parboil/sad", "larger_sad_calc_8", 1, {11 * 9, 128}},
    {"parboil/sad", "larger_sad_calc_16", 1, {11 * 9, 32}},
    {"parboil/spmv", "spmv_jds", 50, {765, 192}},
    {"parboil/stencil", "block2D_hybrid_coarsen_x", 100, {8 * 128, 128}},
    {"parboil/tpacf", "gen_hists", 1, {201, 256}},
    {"rodinia/b+tree", "findK", 1, {10000, 256}},
    {"rodinia/b+tree", "findRangeK", 1, {6000, 256}},
    {"rodinia/backprop", "bpnn_layerforward_CUDA", 1, {4096, 256}},
    {"rodinia/backprop", "bpnn_adjust_weights_cuda", 1, {4096, 256}},
    {"rodinia/bfs", "Kernel", 12, {1954, 512}},
    {"rodinia/bfs", "Kernel2", 12, {1954, 512}},
    {"rodinia/cfd", "cuda_initialize_variables", 3, {1212, 192}},
    {"rodinia/cfd", "cuda_compute_step_factor", 10, {1212, 192}},
    {"rodinia/cfd", "cuda_compute_flux", 30, {1212, 192}},
    {"rodinia/cfd", "cuda_time_step", 30, {1212, 192}},
    {"rodinia/dwt2d", "c_CopySrcToComponents", 1, {4096, 256}},
    {"rodinia/dwt2d", "fdwt53Kernel_192", 3, {6 * 15, 192}},
    {"rodinia/dwt2d", "fdwt53Kernel_128", 3, {4 * 13, 128}},
    {"rodinia/dwt2d", "fdwt53Kernel_64", 3, {4 * 11, 64}},
    {"rodinia/heartwall", "kernel", 20, {20 + 31, 256}},
    {"rodinia/hotspot3D", "hotspotOpt1", 100, {8 * 128, 256}},
    {"rodinia/huffman", "histo_kernel", 32, {48, 256}},
    {"rodinia/huffman", "vlc_encode_kernel_sm64huff", 10, {1024, 256}},
    {"rodinia/huffman", "prescan", 2, {2, 256}},
    {"rodinia/huffman", "uniformAdd", 1, {2, 256}},
    {"rodinia/huffman", "pack2", 1, {64, 16}},
    {"rodinia/hybridsort", "histogram1024Kernel", 1, {64, 96}},
    {"rodinia/hybridsort", "bucketcount", 1, {1024, 32}},
    {"rodinia/hybridsort", "bucketprefixoffset", 1, {8, 128}},
    {"rodinia/hybridsort", "bucketsort", 1, {1024, 32}},
    {"rodinia/hybridsort", "mergeSortFirst", 1, {4352, 256}},
    {"rodinia/hybridsort", "mergeSortPass", 11, {2679, 208}},
    {"rodinia/hybridsort", "mergepack", 1, {17 * 1024, 256}},
    {"rodinia/kmeans", "invert_mapping", 1, {1936, 256}},
    {"rodinia/kmeans", "kmeansPoint", 10, {44 * 44, 256}},
    {"rodinia/lavaMD", "kernel_gpu_cuda", 1, {1000, 128}},
    {"rodinia/leukocyte", "GICOV_kernel", 1, {596, 175}},
    {"rodinia/leukocyte", "dilate_kernel", 1, {796, 176}},
    {"rodinia/leukocyte", "IMGVF_kernel", 5, {36, 320}},
    {"rodinia/lud", "lud_diagonal", 128, {1, 16}},
    {"rodinia/lud", "lud_perimeter", 127, {127, 32}},
    {"rodinia/lud", "lud_internal", 127, {127 * 127, 256}},
    {"rodinia/mummergpu", "mummergpuKernel", 1, {196, 256}},
    {"rodinia/myocyte", "kernel", 10 * 3 * 13, {2, 32}},
    {"rodinia/nn", "euclid", 1, {168, 256}},
    {"rodinia/nw", "needle_cuda_shared_1", 128, {128, 16}},
    {"rodinia/nw", "needle_cuda_shared_2", 127, {127, 16}},
    {"rodinia/particlefilter", "likelihood_kernel", 9, {2, 512}},
    {"rodinia/particlefilter", "sum_kernel", 9, {2, 512}},
    {"rodinia/particlefilter", "normalize_weights_kernel", 9, {2, 512}},
    {"rodinia/particlefilter", "find_index_kernel", 9, {2, 512}},
    {"rodinia/srad_v1", "extract", 1, {450, 512}},
    {"rodinia/srad_v1", "prepare", 100, {450, 512}},
    {"rodinia/srad_v1", "reduce", 200, {450, 512}},
    {"rodinia/srad_v1", "srad", 100, {450, 512}},
    {"rodinia/srad_v1", "srad2", 100, {450, 512}},
    {"rodinia/srad_v1", "compress", 1, {450, 512}},
    {"rodinia/srad_v2", "srad_cuda_1", 2, {128 * 128, 256}},
    {"rodinia/srad_v2", "srad_cuda_2", 2, {128 * 128, 256}},
    {"rodinia/streamcluster", "kernel_compute_cost", 10, {128, 512}},
};

TEST(SuiteLaunches, are_as_many_and_as_large) {
  for (const SuiteKernel& of : suite_kernels) {
    const std::map<std::string, Launches> all = launches_of(of.workload);
    ASSERT_TRUE(all.contains(of.kernel)) << of.workload << " " << of.kernel;
    EXPECT_EQ(all.at(of.kernel).count, of.launches) << of.workload << " " << of.kernel;
    EXPECT_EQ(*all.at(of.kernel).geometries.rbegin(), of.largest) << of.workload << " " << of.kernel;
  }
}

// Iterations 20, 20, 20, 20, 19, from rows 0, 20, 40, 60, 80.
TEST(SuiteLaunches, pathfinder_advances_99_rows) {
  std::int64_t rows = 0;
  for (const nlohmann::json& event : kernel_events("rodinia/pathfinder")) {
    EXPECT_EQ(event.at("args").at(6).at("i32"), rows);
    rows += event.at("args").at(0).at("i32").get<std::int64_t>();
  }
  EXPECT_EQ(rows, 99);
}

// Pivot t has 1024 - t columns left.
TEST(SuiteLaunches, gaussian_pivots_go_from_0_to_1022) {
  std::int64_t pivot = 0;
  for (const nlohmann::json& event : kernel_events("rodinia/gaussian"))
    if (event.at("kernel") == "Fan2") {
      EXPECT_EQ(event.at("args").at(5).at("i32"), pivot);
      EXPECT_EQ(event.at("args").at(4).at("i32"), 1024 - pivot);
      ++pivot;
    }
  EXPECT_EQ(pivot, 1023);
}

} // namespace
} // namespace kerncast
