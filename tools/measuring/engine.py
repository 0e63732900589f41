"""The SM engine: equal to its reference, charges that add up, speed, continuation, explanation, cache."""

import functools
import json
import pathlib
import tempfile

from measuring.common import (KERNCAST, WORKLOADS, Number, at_least, at_most, claims, equal, fastest, missing,
                              predict, run)

PATHFINDER = WORKLOADS / "rodinia/pathfinder/app.json"
GAUSSIAN = WORKLOADS / "rodinia/gaussian/app.json"

# One worker, and only the launch itself: the runs that say how sure its time is are not in
# simulated_warp_instructions.
TIMED = ("--threads", "1", "--no-interval")

# PTX, launch and arguments of one launch each: all that was stepped through is in simulated_warp_instructions.
LAUNCHES = {
    "hotspot": (WORKLOADS / "rodinia/hotspot/hotspot.ptx", "calculate_temp", "86,86", "16,16",
                "i32:2 buf:4194304 buf:4194304 buf:4194304 i32:1024 i32:1024 i32:2 i32:2 f32:1.0681152e-07 "
                "f32:10 f32:10 f32:20480 f32:1.4583333e-07 f32:0.001", 40),
    "pathfinder": (WORKLOADS / "rodinia/pathfinder/pathfinder.ptx", "dynproc_kernel", "1852", "256",
                   "i32:20 buf:158400000 buf:1600000 buf:1600000 i32:400000 i32:100 i32:0 i32:20", 40),
    "sgemm": (WORKLOADS / "parboil/sgemm/sgemm.ptx", "mysgemmNT", "8,66", "16,8",
              "buf:4063232 i32:1024 buf:4190208 i32:1056 buf:4325376 i32:1024 i32:992 f32:1 f32:0", 40),
    "gaussian Fan2, bound by memory": (WORKLOADS / "rodinia/gaussian/gaussian.ptx", "Fan2", "256,256", "4,4",
                                       "buf:4194304 buf:4194304 buf:4096 i32:1024 i32:1024 i32:0", 20),
}

# Two dependent fma a trip, of one warp instruction after the other, so that every iteration costs the same. Trip by trip:
# unrolled, ten thousand would be so few instructions that all are stepped through anyway.
LOOP = """.version 7.0
.target sm_70
.address_size 64
.visible .entry loop(.param .u64 out, .param .u32 n)
{{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .{type} %f<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, 0;
  mov.{type} %f1, {one};
  mov.{type} %f2, {half};
LOOP:
  .pragma "nounroll";
  fma.rn.{type} %f1, %f1, %f2, %f2;
  fma.rn.{type} %f2, %f2, %f1, %f1;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra LOOP;
  st.global.{type} [%rd2], %f1;
  ret;
}}
"""
LOOP_OF_F32 = LOOP.format(type="f32", one="0f3F800000", half="0f3F000000")
# All warps want the one f64 unit of the SM, beside arithmetic of their sub-cores.
LOOP_OF_F64 = LOOP.format(type="f64", one="0d3FF0000000000000", half="0d3FE0000000000000")


def kernel_of(result):
    return json.loads(result.stdout)[0]["kernels"][0]


claims_once = functools.cache(claims)  # a program's tests run once for all its numbers


def holds(program, of_test, name, limit):
    """All tests of a program whose names contain `of_test`."""
    found = [claim.holds for test, claim in claims_once(program).items() if of_test in test]
    if not found:
        return missing(name, limit, f"no test {of_test}")
    return Number(name, f"{sum(found)} of {len(found)} tests hold", limit, all(found))


def exactness():
    yield holds("property_engine", "equals_the_reference", "10,000 random workloads, event engine to reference",
                "equal cycles")
    for test, name in (("charges_every_warp_cycle_once", "warp states to resident warp-cycles"),
                       ("charges_of_operations", "operations and time bins to warp states"),
                       ("slices_of_a_trace", "timeline slices to states and busy units")):
        yield holds("property_engine", test, name, "equal")
    yield holds("oracle_engine", ".", "oracles of the papers", "all hold")


def rate(ptx, kernel, grid, block, arguments):
    """Stepped warp instructions per CPU-second, as the slope from a share of 1/24 to all CTAs on one SM."""
    command = predict(ptx, "--kernel", kernel, "--grid", grid, "--block", block, "--gpu", "titan-x", "--exact",
                      *TIMED)
    command += [word for argument in arguments.split() for word in ("--arg", argument)]
    small, large = (fastest([*command, "--set", f"sms={sms}"]) for sms in (24, 1))
    # With 24 SMs two sizes of shares are simulated; both are in the count.
    stepped = [kernel_of(r)["simulated_warp_instructions"] for r in (small, large)]
    return (stepped[1] - stepped[0]) / (large.cpu_seconds - small.cpu_seconds)


def loop_seconds(ptx, latency, *options):
    """CPU time of a million iterations, stepped through, where arithmetic has that latency."""
    result = fastest(predict(ptx, "--grid", "1", "--block", "128", "--arg", "buf:4096", "--arg", "u32:1000000",
                             "--gpu", "titan-x", *TIMED, "--exact", "--set", f"units.alu.latency={latency}", *options))
    return result.cpu_seconds


def f64_seconds(ptx, interval):
    """CPU time of 40,000 iterations of 32 warps on one SM whose f64 unit takes an instruction every so many cycles."""
    result = fastest(predict(ptx, "--grid", "1", "--block", "1024", "--arg", "buf:65536", "--arg", "u32:40000",
                             "--gpu", "titan-x", *TIMED, "--exact", "--set",
                             f"units.fp64.issue_interval={interval}"))
    return result.cpu_seconds


def rates():
    for name, (*launch, limit) in LAUNCHES.items():
        yield at_least(f"stepped warp instructions, {name}", rate(*launch) / 1e6, limit, " M/CPU-s")


def costs():
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "loop.ptx"
        ptx.write_text(LOOP_OF_F32)
        yield at_most("CPU time of a million iterations, latency 600 to 6",
                      loop_seconds(ptx, 600) / loop_seconds(ptx, 6), 1.5, "x")
        ptx = pathlib.Path(folder) / "f64.ptx"
        ptx.write_text(LOOP_OF_F64)
        yield at_most("CPU time of a kernel bound by a unit of the SM, interval 40 to 2",
                      f64_seconds(ptx, 40) / f64_seconds(ptx, 2), 1.3, "x")
    yield holds("property_engine", "allocates_nothing", "allocations with 20 times the iterations", "two more")


def continuation():
    yield holds("property_engine", "within_half_a_percent", "random workloads, continued to --exact", "<= 0.5 %")
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "loop.ptx"
        ptx.write_text(LOOP_OF_F32)

        def loop(iterations, *options):
            return fastest(predict(ptx, "--grid", "80", "--block", "128", "--arg", "buf:4096", "--arg",
                                   f"u32:{iterations}", "--gpu", "v100-sxm2-16gb", *TIMED, *options))

        short, long, exact = loop(10_000), loop(10_000_000), loop(10_000_000, "--exact")
    yield at_most("loop of 10 million iterations, instructions stepped, to 10 thousand",
                  kernel_of(long)["simulated_warp_instructions"] / kernel_of(short)["simulated_warp_instructions"], 4,
                  "x")
    yield at_most("loop of 10 million iterations, CPU time", long.cpu_seconds, short.cpu_seconds + 0.1, " s")
    difference = abs(kernel_of(long)["cycles"] / kernel_of(exact)["cycles"] - 1)
    yield at_most("loop of 10 million iterations, cycles to --exact", 100 * difference, 0.5, " %")
    stated = any("estimated error" in text for text in kernel_of(long)["assumptions"])
    yield equal("the bound that was applied is in the output", stated, True)
    ptx, kernel, grid, block, arguments, _ = LAUNCHES["hotspot"]
    command = predict(ptx, "--kernel", kernel, "--grid", grid, "--block", block, "--gpu", "titan-x", "--set", "sms=1")
    command += [word for argument in arguments.split() for word in ("--arg", argument)]
    waves, all_waves = kernel_of(run(command)), kernel_of(run([*command, "--exact"]))
    yield at_most("hotspot on one SM, identical waves, cycles to --exact",
                  100 * abs(waves["cycles"] / all_waves["cycles"] - 1), 0.5, " %")


def explanation():
    explained = kernel_of(run(predict(PATHFINDER, "--gpu", "titan-x", "--what-if")))["explanation"]
    for lines in ("ptx_lines", "source_lines"):
        sums = {}
        for line in explained[lines]:
            for state, cycles in line["warp_state_cycles"].items():
                sums[state] = sums.get(state, 0) + cycles
        same = all(sums.get(state, 0) == cycles for state, cycles in explained["warp_state_cycles"].items())
        yield equal(f"pathfinder: {lines} add up to the kernel's states exactly", same, True)
    yield at_least("pathfinder: changes in the what-if table", len(explained["what_if"]), 10)
    with tempfile.TemporaryDirectory() as folder:
        timeline = pathlib.Path(folder) / "timeline.json"
        run([KERNCAST, "predict", PATHFINDER, "--gpu", "titan-x", "--timeline", timeline])
        json.loads(timeline.read_text())
        yield at_most("pathfinder: size of the timeline", timeline.stat().st_size / 1e6, 20, " MB")


def cache():
    with tempfile.TemporaryDirectory() as folder:
        command = predict(GAUSSIAN, "--gpu", "titan-x", "--threads", "1")
        plain = run(command)
        first, second = (run([*command, "--cache", folder]) for _ in range(2))
    yield equal("gaussian: same bytes without, with empty and with full cache",
                plain.stdout == first.stdout == second.stdout, True)
    yield at_most("gaussian: CPU time with a full cache, to none", second.cpu_seconds / plain.cpu_seconds, 0.5, "x")
    for test, name in (("changes_with_everything", "cache: known by content"),
                       ("is_that_of_the_content", "cache: equal content, equal key")):
        yield holds("unit_engine", test, name, "all hold")
    for test, name in (("of_another_version", "cache: versioned"),
                       ("writers_at_the_same_time", "cache: writers at the same time"),
                       ("below_its_size", "cache: bounded in size"),
                       ("damaged", "cache: damaged files are simulated anew")):
        yield holds("unit_result_cache", test, name, "all hold")


GROUPS = (exactness, rates, costs, continuation, explanation, cache)
