"""Execution without a GPU: the functional interpreter's speed, and slice execution of a launch with 10 million CTAs.

Speed is in lane instructions per CPU second (user and system) of one thread, the best of several processes: other
work on the machine only ever adds. Memory is the process's peak resident size, reading the PTX included.
"""

import json

from measuring.common import REPOSITORY, at_least, at_most, claims, equal, program, run

DATA = REPOSITORY / "tests" / "data" / "slice"
PROCESSES = 5


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
    found = claims("oracle_functional")
    kernels = [c for name, c in found.items() if name.startswith("WholeKernels.")]
    yield at_least("whole kernels with the output of plain C++", sum(c.holds for c in kernels), 10)
    records = [c for name, c in found.items() if name.startswith("Records.")]
    yield equal("launches whose records equal slice execution", sum(c.holds for c in records), len(records))


def semantics():
    what = {
        "unit_slice": "instructions, divergence and classes as defined",
        "property_slice": "instructions as the host's arithmetic",
        "unit_functional": "whole kernels, tensor operations, races and faults as defined",
    }
    for program, claimed in what.items():
        found = claims(program)
        yield equal(f"claims that hold: {claimed}", sum(c.holds for c in found.values()), len(found))


GROUPS = [functional_speed, affine_launch, whole_kernels, semantics]
