#include "application/read.h"
#include "tasklist/tensor_map.h"

#include <bit>

#include <gtest/gtest.h>

namespace kerncast::application {
namespace {

Application read(std::string text) {
  Expected<Application> app = read_application(SourceText("folder/app.json", std::move(text)));
  EXPECT_TRUE(app) << render(app ? Diagnostics{} : app.error());
  return app ? std::move(*app) : Application{};
}

TEST(ReadApplication, VariablesHaveContents) {
  const Application app = read(R"({"format": "kerncast-app/1", "name": "filter", "modules": ["filter.ptx"],
 "variables": {"weights": {"bytes": 36, "init": {"kind": "constant", "value": 0.5}}}, "events": []})");
  ASSERT_EQ(app.variables.size(), 1U);
  EXPECT_EQ(app.variables[0].name, "weights");
  EXPECT_EQ(app.variables[0].bytes, 36U);
  EXPECT_EQ(app.variables[0].contents.value, 0.5);
}

TEST(ReadApplication, EveryFieldArrives) {
  const Application app = read(R"({"format": "kerncast-app/1", "name": "hotspot", "modules": ["hotspot.ptx"],
 "buffers": {
   "temp": {"bytes": 4194304, "init": {"kind": "random", "type": "f32", "seed": 1}},
   "rows": {"bytes": 4096, "init": {"kind": "file", "path": "rows.bin"}}},
 "events": [
  {"op": "memcpy", "kind": "d2h", "bytes": 400, "stream": 3},
  {"op": "memset", "bytes": 12},
  {"op": "kernel", "kernel": "hotspot", "grid": [86, 85], "block": [16, 8, 2], "dynamic_smem_bytes": 64,
   "registers": 38, "spill_store_bytes": 16, "args": [{"i32": -2}, {"buffer": "rows", "offset": 8}, {"f32": 0.5}, {"u64": 7}],
   "stream": 1, "repeat": 10, "hit_rates": {"l1": 0.25, "l2": 1},
   "branches": {"$L1": {"taken": 0.3}}, "loops": {"117": 64}},
  {"op": "sync"}]})");
  EXPECT_EQ(app.name, "hotspot");
  ASSERT_EQ(app.modules.size(), 1U);
  EXPECT_EQ(app.modules[0].path, "folder/hotspot.ptx");
  ASSERT_EQ(app.buffers.size(), 2U);
  EXPECT_EQ(app.buffers[1].contents.kind, InitKind::file);
  EXPECT_EQ(app.buffers[1].contents.path, "rows.bin");
  ASSERT_EQ(app.events.size(), 4U);
  const auto& copy = std::get<timeline::CopyEvent>(app.events[0]);
  EXPECT_EQ(copy.kind, timeline::CopyKind::d2h);
  EXPECT_EQ(copy.bytes, 400U);
  EXPECT_EQ(copy.stream, 3U);
  EXPECT_EQ(std::get<timeline::CopyEvent>(app.events[1]).kind, timeline::CopyKind::memset);
  const auto& kernel = std::get<timeline::KernelEvent>(app.events[2]);
  EXPECT_EQ(kernel.stream, 1U);
  EXPECT_EQ(kernel.repeat, 10U);
  EXPECT_TRUE(std::holds_alternative<timeline::SyncEvent>(app.events[3]));
  ASSERT_EQ(app.launches.size(), 1U);
  const tasklist::Launch& launch = app.launches[0].launch;
  EXPECT_EQ(launch.grid, (tasklist::Dim3{86, 85, 1}));
  EXPECT_EQ(launch.block, (tasklist::Dim3{16, 8, 2}));
  EXPECT_EQ(launch.dynamic_shared_bytes, 64U);
  EXPECT_EQ(launch.registers, 38U);
  EXPECT_EQ(launch.spill_store_bytes, 16U);
  EXPECT_EQ(launch.facts.branch_taken.at("$L1"), 0.3);
  EXPECT_EQ(launch.facts.loop_trips.at("117"), 64U);
  EXPECT_EQ(app.launches[0].hit_rates, (memory_model::HitRates{0.25, 1}));
  using tasklist::Argument;
  ASSERT_EQ(launch.arguments.size(), 4U);
  EXPECT_EQ(launch.arguments[0], (Argument{Argument::Kind::i32, 0xfffffffe, 0, 0}));
  EXPECT_EQ(launch.arguments[1], (Argument{Argument::Kind::buffer, 8, 1, 4096}));
  EXPECT_EQ(launch.arguments[2], (Argument{Argument::Kind::f32, std::bit_cast<std::uint32_t>(0.5F), 0, 0}));
  EXPECT_EQ(launch.arguments[3], (Argument{Argument::Kind::u64, 7, 0, 0}));
}

TEST(ReadApplication, GraphsBecomeTheirNodesAtEachLaunch) {
  const Application app = read(R"({"format": "kerncast-app/1", "name": "n", "modules": [], "devices": 2,
 "buffers": {"b": {"bytes": 64}}, "events": [
  {"op": "graph", "name": "g", "events": [
    {"op": "kernel", "kernel": "k", "grid": [1], "block": [32], "repeat": 3},
    {"op": "event_record", "event": "e", "stream": 1},
    {"op": "memset", "bytes": 4, "buffer": "b"}]},
  {"op": "event_record", "event": "e"},
  {"op": "graph_launch", "graph": "g", "stream": 5, "device": 1, "repeat": 2}]})");
  ASSERT_EQ(app.events.size(), 11U);
  EXPECT_EQ(app.graphs, std::vector<std::string>{"g"});
  for (const std::size_t launch : {1U, 6U}) {
    const auto begin = std::get<timeline::GraphEvent>(app.events[launch]);
    EXPECT_TRUE(begin.begins);
    EXPECT_EQ(begin.stream, timeline::device_streams + 5);
    EXPECT_EQ(std::get<timeline::KernelEvent>(app.events[launch + 1]).repeat, 3U);
    // The graph's event is another one than that of the same name outside.
    EXPECT_NE(std::get<timeline::EventRecordEvent>(app.events[launch + 2]).cuda_event,
              std::get<timeline::EventRecordEvent>(app.events[0]).cuda_event);
    EXPECT_EQ(std::get<timeline::CopyEvent>(app.events[launch + 3]).bytes, 4U);
    EXPECT_FALSE(std::get<timeline::GraphEvent>(app.events[launch + 4]).begins);
  }
  ASSERT_EQ(app.launches.size(), 1U);
  EXPECT_EQ(app.launches[0].launches, 6U);
  ASSERT_EQ(app.fills.size(), 2U);
  EXPECT_EQ(app.fills[0].event, 4U);
  EXPECT_EQ(app.fills[1].event, 9U);
}

TEST(ReadApplication, GraphsOfRanksAreCountedOnEach) {
  const Application app =
      read(R"({"format": "kerncast-app/1", "name": "n", "modules": [], "ranks": 4, "events": [
  {"op": "graph", "name": "g", "events": [
    {"op": "kernel", "kernel": "k", "grid": [1], "block": [32]},
    {"op": "kernel", "kernel": "first", "grid": [1], "block": [32], "when": "=rank == 0"},
    {"op": "all_reduce", "bytes": 4}]},
  {"op": "graph_launch", "graph": "g", "repeat": 3}]})");
  EXPECT_EQ(app.program.order.size(), 15U);
  ASSERT_EQ(app.launches.size(), 2U);
  EXPECT_EQ(app.launches[0].launches, 12U);
  EXPECT_EQ(app.launches[1].launches, 3U);
}

// Of what does not happen, expressions need not have values.
TEST(ReadApplication, NodesOfGraphsAreSwitchedOffByTheirWhen) {
  for (const std::string ranks : {"", R"("ranks": 2, )"}) {
    const Application app = read(R"({"format": "kerncast-app/1", "name": "n", "modules": [], )" + ranks +
                                 R"x("let": {"parts": 0}, "events": [
  {"op": "graph", "name": "g", "events": [{"op": "memset", "bytes": "= 8 / parts", "when": "= parts"}]},
  {"op": "graph_launch", "graph": "g", "repeat": "= max(1, parts)"},
  {"op": "graph_launch", "graph": "g", "repeat": "= 8 / parts", "when": "= parts"}]})x");
    EXPECT_EQ(std::max(app.events.size(), app.program.order.size()), 2U) << "begin and end of one launch";
  }
}

TEST(ReadApplication, GraphsAreSwitchedOffByTheWhenOfTheirLaunches) {
  const std::string graph = R"({"op": "graph", "name": "g", "events": [
    {"op": "kernel", "kernel": "off", "grid": [1], "block": [32]}, {"op": "memset", "bytes": 4}]},
  {"op": "graph_launch", "graph": "g", "when": 0},
  {"op": "kernel", "kernel": "on", "grid": [1], "block": [32]}]})";
  const std::string begin = R"({"format": "kerncast-app/1", "name": "n", "modules": [], )";
  const Application one = read(begin + R"("events": [)" + graph);
  ASSERT_EQ(one.events.size(), 1U);
  EXPECT_EQ(std::get<timeline::KernelEvent>(one.events[0]).launch, 0U);
  ASSERT_EQ(one.launches.size(), 1U);
  EXPECT_EQ(one.launches[0].kernel, "on");

  const Application ranks = read(begin + R"("ranks": 3, "events": [)" + graph);
  ASSERT_EQ(ranks.program.order.size(), 1U);
  const timeline::Event& event = ranks.program.step(0).variants.front();
  EXPECT_EQ(std::get<timeline::KernelEvent>(event).launch, 0U);
  ASSERT_EQ(ranks.launches.size(), 1U);
  EXPECT_EQ(ranks.launches[0].launches, 3U);
}

TEST(ReadApplication, CudaEventsAreNumberedInTheOrderOfTheirFirstRecords) {
  const Application app = read(R"({"format": "kerncast-app/1", "name": "n", "modules": [], "events": [
  {"op": "event_record", "event": "copied", "stream": 1},
  {"op": "event_record", "event": "done"},
  {"op": "event_record", "event": "copied", "stream": 2},
  {"op": "event_wait", "event": "copied", "stream": 3},
  {"op": "sync", "event": "done"},
  {"op": "sync", "stream": 3}]})");
  ASSERT_EQ(app.events.size(), 6U);
  EXPECT_EQ(std::get<timeline::EventRecordEvent>(app.events[0]).cuda_event, 0U);
  EXPECT_EQ(std::get<timeline::EventRecordEvent>(app.events[1]).cuda_event, 1U);
  EXPECT_EQ(std::get<timeline::EventRecordEvent>(app.events[1]).stream, 0U);
  EXPECT_EQ(std::get<timeline::EventRecordEvent>(app.events[2]).cuda_event, 0U);
  EXPECT_EQ(std::get<timeline::EventRecordEvent>(app.events[2]).stream, 2U);
  EXPECT_EQ(std::get<timeline::StreamWaitEvent>(app.events[3]).cuda_event, 0U);
  EXPECT_EQ(std::get<timeline::StreamWaitEvent>(app.events[3]).stream, 3U);
  EXPECT_EQ(std::get<timeline::EventSyncEvent>(app.events[4]).cuda_event, 1U);
  EXPECT_EQ(std::get<timeline::StreamSyncEvent>(app.events[5]).stream, 3U);
}

TEST(ReadApplication, HostMemoryIsPinnedUnlessItIsSaidToBePageable) {
  const Application app = read(R"({"format": "kerncast-app/1", "name": "n", "modules": [], "events": [
  {"op": "memcpy", "kind": "h2d", "bytes": 4},
  {"op": "memcpy", "kind": "h2d", "bytes": 4, "memory": "pinned"},
  {"op": "memcpy", "memory": "pageable", "bytes": 4, "kind": "d2h"}]})");
  using timeline::HostMemory;
  ASSERT_EQ(app.events.size(), 3U);
  EXPECT_EQ(std::get<timeline::CopyEvent>(app.events[0]).memory, HostMemory::pinned);
  EXPECT_EQ(std::get<timeline::CopyEvent>(app.events[1]).memory, HostMemory::pinned);
  EXPECT_EQ(std::get<timeline::CopyEvent>(app.events[2]).memory, HostMemory::pageable);
}

TEST(ReadApplication, EventsMayStandBeforeTheBuffersTheyName) {
  const Application app = read(
      R"({"events": [{"op": "kernel", "kernel": "k", "grid": [1], "block": [1], "args": [{"buffer": "b"}]}],
          "buffers": {"b": {"bytes": 16}}, "modules": ["m.ptx"], "name": "n", "format": "kerncast-app/1"})");
  ASSERT_EQ(app.launches.size(), 1U);
  EXPECT_EQ(app.launches[0].launch.arguments[0].buffer_bytes, 16U);
}

TEST(ReadApplication, TexturesArriveAndAreArguments) {
  const Application app = read(
      R"({"format": "kerncast-app/1", "name": "n", "modules": ["m.ptx"], "buffers": {"b": {"bytes": 8192}},
          "textures": {
            "line": {"buffer": "b", "format": "f32", "width": 100},
            "image": {"buffer": "b", "offset": 64, "format": "u8", "channels": 4, "width": 10, "height": 5,
                      "layers": 3, "pitch_bytes": 64, "read": "unit_range", "filter": "linear",
                      "address": "wrap", "coordinates": "normalized"}},
          "events": [{"op": "kernel", "kernel": "k", "grid": [1], "block": [1], "args": [{"texture": "image"}]}]})");
  ASSERT_EQ(app.textures.size(), 2U);
  EXPECT_EQ(app.textures[0].pitch_bytes, 400U); // dense
  EXPECT_EQ(app.textures[0].sampler, tasklist::Sampler{});
  const tasklist::Image& image = app.textures[1];
  EXPECT_EQ(image.name, "image");
  EXPECT_EQ(image.offset, 64U);
  EXPECT_EQ(image.format, tasklist::TexelFormat::u8);
  EXPECT_EQ(image.texel_bytes(), 4U);
  EXPECT_EQ(image.width, 10U);
  EXPECT_EQ(image.height, 5U);
  EXPECT_EQ(image.layers, 3U);
  EXPECT_EQ(image.pitch_bytes, 64U);
  EXPECT_TRUE(image.reads_unit_range);
  EXPECT_EQ(image.sampler.filter, tasklist::Sampler::Filter::linear);
  EXPECT_EQ(image.sampler.address[2], tasklist::Sampler::Address::wrap);
  EXPECT_TRUE(image.sampler.is_normalized);
  EXPECT_EQ(app.launches[0].launch.arguments[0],
            (tasklist::Argument{tasklist::Argument::Kind::u64, tasklist::image_handle(1), 0, 0}));
}

// struct { const float* in; float* out; short kind; int n; char last; }, and a double at byte 48.
TEST(ReadApplication, StructuresAreLaidOutAsInC) {
  const Application app = read(
      R"({"format": "kerncast-app/1", "name": "n", "modules": ["m.ptx"],
          "buffers": {"in": {"bytes": 64}, "out": {"bytes": 128}},
          "events": [{"op": "kernel", "kernel": "k", "grid": [1], "block": [1], "args": [{"i32": 1}, {"struct": [
            {"buffer": "in"}, {"buffer": "out", "offset": 8}, {"i16": -2}, {"i32": 7}, {"u8": 255},
            {"f64": 0.5, "at": 48}]}]}]})");
  const tasklist::Launch& launch = app.launches.at(0).launch;
  using tasklist::Argument;
  ASSERT_EQ(launch.arguments.size(), 2U);
  EXPECT_EQ(launch.arguments[1].kind, Argument::Kind::structure);
  const std::vector<tasklist::StructMember> members = {
      {1, 0, 8, {Argument::Kind::buffer, 0, 0, 64}},
      {1, 8, 8, {Argument::Kind::buffer, 8, 1, 128}},
      {1, 16, 2, {Argument::Kind::i32, 0xfffffffe, 0, 0}},
      {1, 20, 4, {Argument::Kind::i32, 7, 0, 0}},
      {1, 24, 1, {Argument::Kind::u32, 255, 0, 0}},
      {1, 48, 8, {Argument::Kind::f64, std::bit_cast<std::uint64_t>(0.5), 0, 0}}};
  EXPECT_EQ(launch.members, members);
}

// The 128 bytes of the map lie in words, of which the first points to the tensor; in a structure at the next
// multiple of 64 bytes.
TEST(ReadApplication, TensorMapsAreArgumentsAndMembers) {
  const Application app = read(
      R"({"format": "kerncast-app/1", "name": "n", "modules": ["m.ptx"], "buffers": {"in": {"bytes": 4096}},
          "tensor_maps": {"tiles": {"buffer": "in", "offset": 1024, "type": "f16", "dims": [32, 8, 2],
                                    "box": [16, 4, 1], "element_strides": [1, 2, 1], "swizzle": "32b",
                                    "fill": "nan"}},
          "events": [{"op": "kernel", "kernel": "k", "grid": [1], "block": [1], "args": [
            {"tensor_map": "tiles"}, {"struct": [{"i32": 1}, {"tensor_map": "tiles"}]}]}]})");
  using tasklist::Argument;
  tasklist::TensorMap map;
  map.dims = {32, 8, 2};
  map.strides = {64, 512};
  map.box = {16, 4, 1};
  map.element_strides = {1, 2, 1};
  map.rank_less_one = 2;
  map.type = static_cast<std::uint8_t>(tasklist::TensorType::f16);
  map.swizzle = 1;
  map.fill = 1;
  const auto words = tasklist::words_of(map);
  const auto& members = app.launches.at(0).launch.members;
  ASSERT_EQ(members.size(), 16U + 1 + 16);
  EXPECT_EQ(members[0], (tasklist::StructMember{0, 0, 8, {Argument::Kind::buffer, 1024, 0, 4096}}));
  EXPECT_EQ(members[17], (tasklist::StructMember{1, 64, 8, {Argument::Kind::buffer, 1024, 0, 4096}}));
  for (std::uint32_t w = 1; w < 16; ++w)
    EXPECT_EQ(members[w], (tasklist::StructMember{0, 8 * w, 8, {Argument::Kind::u64, words[w], 0, 0}}));
}

TEST(ReadApplication, SpreadsOfAddressesAreFacts) {
  const Application app = read(
      R"({"format": "kerncast-app/1", "name": "n", "modules": ["m.ptx"],
          "events": [{"op": "kernel", "kernel": "k", "grid": [8], "block": [1], "cluster": [4],
                      "addresses": {"12": "coalesced", "13": "broadcast", "14": {"stride": -64}, "15": "scattered"}}]})");
  using Spread = tasklist::AddressFact::Spread;
  const tasklist::Launch& launch = app.launches.at(0).launch;
  EXPECT_EQ(launch.cluster, (tasklist::Dim3{4, 1, 1}));
  const std::map<std::string, tasklist::AddressFact> addresses = {{"12", {Spread::coalesced, 0}},
                                                                  {"13", {Spread::broadcast, 0}},
                                                                  {"14", {Spread::strided, -64}},
                                                                  {"15", {Spread::scattered, 0}}};
  EXPECT_EQ(launch.facts.addresses, addresses);
}

TEST(ReadApplication, SpreadsOfBuffersAreFactsByTheirNumbers) {
  const std::string begin = R"({"format": "kerncast-app/1", "name": "n", "modules": ["m.ptx"],
          "buffers": {"nodes": {"bytes": 64}, "edges": {"bytes": 4096}},
          "events": [{"op": "kernel", "kernel": "k", "grid": [1], "block": [1], "buffer_addresses": )";
  const Application app = read(begin + R"({"edges": "scattered", "nodes": {"stride": 16}}}]})");
  using Spread = tasklist::AddressFact::Spread;
  const std::map<std::uint32_t, tasklist::AddressFact> addresses = {{0, {Spread::strided, 16}},
                                                                    {1, {Spread::scattered, 0}}};
  EXPECT_EQ(app.launches.at(0).launch.facts.buffer_addresses, addresses);
}

TEST(ReadApplication, WhatIsLeftOutHasItsDefault) {
  const Application app = read(
      R"({"format": "kerncast-app/1", "name": "n", "modules": ["m.ptx"],
          "events": [{"op": "kernel", "kernel": "k", "grid": [4], "block": [32]}]})");
  ASSERT_EQ(app.launches.size(), 1U);
  EXPECT_EQ(app.launches[0].launch.registers, std::nullopt);
  EXPECT_EQ(app.launches[0].hit_rates, std::nullopt);
  EXPECT_TRUE(app.launches[0].launch.arguments.empty());
  EXPECT_EQ(std::get<timeline::KernelEvent>(app.events[0]).repeat, 1U);
}

} // namespace
} // namespace kerncast::application
