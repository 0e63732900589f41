"""Execution without a GPU: the functional interpreter's speed, slice execution of a launch with 10 million CTAs, and
what the tests claim about both.

Speed is in lane instructions per CPU second (user and system) of one thread, the best of several processes: other
work on the machine only ever adds. Memory is the process's peak resident size, reading the PTX included.
"""

import functools
import json
import resource
import subprocess

from measuring.common import REPOSITORY, at_least, at_most, claims, equal, program, run

DATA = REPOSITORY / "tests" / "data" / "slice"
PROCESSES = 5
claims_of = functools.cache(claims)


def best(*arguments):
    results = [json.loads(run([program("slice_bench"), *arguments]).stdout) for _ in range(PROCESSES)]
    return min(results, key=lambda r: r["cpu_s"])


def functional_speed():
    for name, what, iterations in (("hash_loop", "32-bit integers", 200), ("fused_loop", "32-bit floats", 400)):
        result = best("run", DATA / f"{name}.ptx", 64, 256, iterations)
        rate = result["lane_instructions"] / result["cpu_s"] / 1e6
        yield at_least(f"functional execution, {what}", rate, 500, " million lane instructions/CPU-s")


def affine_launch():
    result = best("affine", DATA / "stencil.ptx")
    yield equal("CTAs of the affine launch", result["ctas"], 10004569)
    yield at_most("its slice execution", 1e3 * result["cpu_s"], 100, " CPU-ms")
    yield at_most("its peak memory", result["peak_bytes"] / 1e6, 100, " MB")


def whole_kernels():
    found = claims_of("oracle_functional")
    kernels = [c for name, c in found.items() if name.startswith("WholeKernels.")]
    yield at_least("whole kernels with the output of plain C++", sum(c.holds for c in kernels), 10)
    records = [c for name, c in found.items() if name.startswith("Records.")]
    yield equal("launches whose records equal slice execution", sum(c.holds for c in records), len(records))


# What is claimed, and the tests that hold it: program, part of the tests' names.
CLAIMED = (
    ("instructions are those of the PTX manual", "unit_slice", "Manual."),
    ("instructions agree with the host's arithmetic", "property_slice", ""),
    ("four branches over 1 to 96 equal items: as many as a warp has distinct ones", "unit_slice", "Divergence."),
    ("exits leave the other lanes", "unit_slice", "EarlyExit."),
    ("shared, local and parameter memory is followed", "unit_slice", "DataDependence."),
    ("unknown branches take both sides", "unit_slice", "UnknownBranch."),
    ("unknown results stay unknown", "unit_slice", "UnknownResults."),
    ("given probabilities and trip counts hold", "unit_slice", "Facts."),
    ("runaway launches are refused", "unit_slice", "Runaway."),
    ("classes of CTAs equal executing each of them, or are named as sampled", "oracle_slice", "CtaClasses."),
    ("faults name kernel, CTA, thread, line and address", "unit_functional", "Faults."),
    ("threads change nothing", "unit_functional", "Threads."),
    ("textures are fetched as described", "unit_functional", "Textures."),
    ("clusters share memory and meet", "unit_functional", "Clusters."),
    ("everything else of functional execution", "unit_functional", ""),
    ("predictions that know the data", "golden_command_line", "KnownContents."),
)


def semantics():
    for what, test_program, part in CLAIMED:
        found = [c for name, c in claims_of(test_program).items() if part in name]
        yield at_least(f"{what}: claims", len(found), 1)
        yield equal(f"{what}: claims that hold", sum(c.holds for c in found), len(found))


def steps_are_bounded():
    """Eight warps that store for ever: the run ends with a diagnostic."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run([program("kerncast"), "run", DATA / "endless.ptx", "--grid", "1", "--block", "256",
                            "--arg", "buf:1024", "--threads", "1"], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    yield equal("an endless storing loop's exit code", ended.returncode, 1)
    yield equal("its diagnostic names kernel, CTA, thread and line",
                all(part in ended.stderr for part in ("endless.ptx:17:", "kernel endless, CTA (0, 0, 0), thread (")),
                True)
    yield at_most("its CPU time", after.ru_utime - before.ru_utime, 30, " s")


def tables_that_nobody_writes():
    """Fifty launches that read tables of rows and columns: recorded once."""
    spmv = run([program("kerncast"), "predict", "apps/workloads/parboil/spmv/app.json", "--gpu", "titan-x",
                "--threads", "1", "--json", "-"])
    kernel = json.loads(spmv.stdout)[0]["kernels"][0]
    yield equal("launches of parboil/spmv", kernel["launches"], 50)
    yield equal("their assumptions about data", sum("unknown data" in a for a in kernel["assumptions"]), 0)
    yield at_most("their prediction", spmv.cpu_seconds, 5, " CPU-s")


GROUPS = [functional_speed, affine_launch, whole_kernels, semantics, steps_are_bounded, tables_that_nobody_writes]
