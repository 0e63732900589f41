"""The PTX parser: speed in one thread, memory, growth with the file's size, depth of nesting.

The modules are made of the repository's compiled kernels under new names (tests/bench/make_ptx_module). Speed is in
CPU seconds, user and system, of the first parse in a fresh process, which also pays for every page of memory it
touches first, and of the fastest of several parses in one process; the least of several processes counts. Memory is the process's peak resident size without what it had before
the file was read; the text is part of it.
"""

import functools
import json
import pathlib
import tempfile

from measuring.common import BUILD, REPOSITORY, at_least, at_most, run

MAKE = REPOSITORY / "tests" / "bench" / "make_ptx_module"
BENCH = BUILD / "bin" / "parser_bench"
PROCESSES = 5
PARSES = 12  # in each

MODULES = {
    "10 MB": ("mixed", "--mb", 10),
    "25 MB": ("mixed", "--mb", 25),
    "one function": ("function", "--instructions", 35000, "--blocks", 14000),
    "one function, twice as large": ("function", "--instructions", 70000, "--blocks", 28000),
    "a million nested scopes": ("scopes", "--depth", 1000000),
}


@functools.cache
def measured(name):
    """What parser_bench says of a module: the least time and the most memory of all processes."""
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(folder) / "module.ptx"
        run([MAKE, *MODULES[name], module])
        results = [json.loads(run([BENCH, module, PARSES]).stdout) for _ in range(PROCESSES)]
    return {key: (max if key == "peak_bytes" else min)(result[key] for result in results) for key in results[0]}


def mb_per_s(result, key="first_s"):
    return result["bytes"] / 1e6 / result[key]


def speed():
    for name in ("10 MB", "25 MB", "one function"):
        result = measured(name)
        yield at_least(f"{name}: parse and checks, first in the process", mb_per_s(result), 150, " MB/CPU-s")
        yield at_least(f"{name}: parse and checks, repeated", mb_per_s(result, "least_s"), 150, " MB/CPU-s")


def memory():
    for name in ("10 MB", "25 MB", "one function"):
        result = measured(name)
        yield at_most(f"{name}: peak memory to file size", result["peak_bytes"] / result["bytes"], 12)


def growth():
    """CPU time per byte of the larger to that of the smaller: 1 is linear."""
    for small, large in (("10 MB", "25 MB"), ("one function", "one function, twice as large")):
        ratio = mb_per_s(measured(small), "least_s") / mb_per_s(measured(large), "least_s")
        yield at_most(f"CPU time per byte, {large} to {small}", ratio, 1.1)


def depth():
    result = measured("a million nested scopes")
    yield at_least("a million nested scopes: depth parsed", result["bytes"] // 2 // 10**5 * 10**5, 10**6)


GROUPS = (speed, memory, growth, depth)
