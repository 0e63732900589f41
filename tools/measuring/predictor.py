"""The first predictor end to end: published cycles, papers' formulas, speed, the same bytes everywhere."""

import json

from measuring.common import (BUILD, WORKLOADS, Number, at_least, at_most, claims, equal, fastest, missing, program,
                              predict, run)

HOTSPOT = WORKLOADS / "rodinia/hotspot/app.json"
PATHFINDER = WORKLOADS / "rodinia/pathfinder/app.json"
GAUSSIAN = WORKLOADS / "rodinia/gaussian/app.json"
SGEMM = WORKLOADS / "parboil/sgemm/app.json"
GPUS = ("titan-x", "k40m", "a100-sxm4-40gb", "h100-sxm")


# Acceptance cases of the papers: the oracle tests that state them, and what they state.
PAPERS = {
    "single_pipeline.round_robin_equals_equation_1": ("000 eq. 1, lrr", "equal"),
    "single_pipeline.no_policy_beats_equation_1": ("000 eq. 1, other policies", "never below"),
    "example_kernel.one_warp_alone_takes_25_cycles": ("003 example kernel, one warp", "25 cycles"),
    "example_kernel.never_above_volkovs_bound": ("003 example kernel, all policies", "<= min(w/25, 1/4)"),
    "example_kernel.oldest_reaches_24_hundredths_at_7_warps_and_a_quarter_from_8_on":
        ("003 example kernel, oldest, 7 and 8 to 12 warps", "0.24 +- 0.01 and 0.25"),
    "instruction_mix.one_subsystem_is_equation_43": ("003 eq. 43, 32 warps", "within 2 %, never above"),
    "instruction_mix.two_subsystems_are_equation_44": ("003 eq. 44, 32 warps", "within 2 %, never above"),
    "instruction_mix.an_issue_limit_of_one_is_equation_45": ("003 eq. 45, 32 warps", "within 8 %, never above"),
}


def papers():
    ran = claims("oracle_engine")
    for test, (name, limit) in PAPERS.items():
        claim = ran.get(test)
        if claim is None:
            yield missing(name, limit, f"no test {test}")
            continue
        recorded = ", ".join(f"{k} {v}" for k, v in claim.recorded.items())
        yield Number(name, recorded or ("holds" if claim.holds else "does not hold"), limit, claim.holds)


def published_cycles():
    ran = [claim for name, claim in claims("oracle_ppt_gpu_2019").items() if ".are_given_exactly/" in name]
    yield equal("ppt-gpu-2019: files equal to the published tool", sum(claim.holds for claim in ran), 36)
    least = run([program("ppt_gpu_2019_bench")]).stdout.split("least ratio")[-1]
    yield at_least("ppt-gpu-2019: CPU time, CPython 2.7 to ours, least ratio of the files", float(least), 100)


# One launch of each, so that simulated_warp_instructions is all that was stepped through.
LAUNCHES = {
    "hotspot": (HOTSPOT.with_name("hotspot.ptx"), "86,86", "16,16",
                "i32:2 buf:4194304 buf:4194304 buf:4194304 i32:1024 i32:1024 i32:2 i32:2 f32:1.0681152e-07 "
                "f32:10 f32:10 f32:20480 f32:1.4583333e-07 f32:0.001"),
    "pathfinder": (PATHFINDER.with_name("pathfinder.ptx"), "463", "256",
                   "i32:20 buf:39600000 buf:400000 buf:400000 i32:100000 i32:100 i32:0 i32:20"),
}


def simulation_rate(ptx, grid, block, arguments):
    """Stepped warp instructions per CPU-second, as the slope from a small to a large run: starting the
    program, parsing and slice execution are in both and cancel. One SM does all CTAs in the large run."""
    command = predict(ptx, "--grid", grid, "--block", block, "--gpu", "titan-x", "--exact", "--threads", "1",
                      "--no-interval")
    command += [word for argument in arguments.split() for word in ("--arg", argument)]
    small, large = (fastest([*command, "--set", f"sms={sms}"]) for sms in (24, 1))
    stepped = [json.loads(r.stdout)[0]["kernels"][0]["simulated_warp_instructions"] for r in (small, large)]
    return (stepped[1] - stepped[0]) / (large.cpu_seconds - small.cpu_seconds)


def rates():
    for name, launch in LAUNCHES.items():
        yield at_least(f"simulation rate, {name}", simulation_rate(*launch) / 1e6, 5, " M/CPU-s")


def application_times():
    for app, limit in ((HOTSPOT, 1), (PATHFINDER, 1), (SGEMM, 1), (GAUSSIAN, 30)):
        worst = max(fastest(predict(app, "--gpu", gpu, "--threads", "1")).cpu_seconds for gpu in GPUS)
        yield at_most(f"whole application, {app.parent.name}, slowest of {len(GPUS)} GPUs", worst, limit, " CPU-s")


def same_bytes():
    for app in (HOTSPOT, PATHFINDER, SGEMM, GAUSSIAN):
        command = predict(app, "--gpu", "titan-x", "--gpu", "k40m")
        first = run([*command, "--threads", "1"]).stdout
        for threads in (2, 8):
            same = run([*command, "--threads", str(threads)]).stdout == first
            yield equal(f"{app.parent.name}: --threads {threads}, same bytes as 1", same, True)
        for ranks in (1, 2, 4):
            same = run(["mpirun", "--oversubscribe", "-n", str(ranks), *command]).stdout == first
            yield equal(f"{app.parent.name}: mpirun -n {ranks}, same bytes as none", same, True)


def ci_time():
    record = BUILD.parent / "test-logs" / "minutes"
    if not record.exists():
        yield missing("tools/test, fresh clone", "<= 20 min", "run tools/test first")
        return
    yield at_most("tools/test, as last run", float(record.read_text()), 20, " min")


GROUPS = (papers, published_cycles, rates, application_times, same_bytes, ci_time)
