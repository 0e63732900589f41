"""The PTX parser: speed in one thread, memory, growth with the file's size, depth of nesting.

The modules are made of the repository's compiled kernels under new names (tests/bench/make_ptx_module). Speed is in
CPU seconds, user and system, of the first parse in a fresh process, which also pays for every page of memory it
touches first, and of the fastest of several parses in one process; the least of several processes counts. Memory is
the process's peak resident size without what it had before the file was read; the text is part of it.

Whether the cost is linear in size is counted in instructions (callgrind's, where valgrind is installed): they do not
depend on what else the machine does. CPU time of a first parse beside it is the median of processes that take turns.
Repeated parses are no measure of growth: the small module's memory stays with the process and in the cache, the large
one's is given back to the system and touched anew.
"""

import functools
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

from measuring.common import REPOSITORY, Number, at_least, at_most, program, run

MAKE = REPOSITORY / "tests" / "bench" / "make_ptx_module"
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
        results = [json.loads(run([program("parser_bench"), module, PARSES]).stdout) for _ in range(PROCESSES)]
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


GROWTH = (("10 MB", "25 MB"), ("one function", "one function, twice as large"))
TURNS = 9


def written(name, folder):
    module = pathlib.Path(folder) / f"{name}.ptx"
    run([MAKE, *MODULES[name], module])
    return module


def instructions(module):
    """Instructions that parsing and checking the module executes."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           program("parser_bench"), module],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def instructions_per_byte(small, large, empty):
    """Of the larger module to those of the smaller, without what a module of no functions costs."""
    base = instructions(empty)
    return ((instructions(large) - base) / large.stat().st_size) / ((instructions(small) - base) / small.stat().st_size)


def time_per_byte(small, large):
    """CPU time of a first parse: the median ratio of processes that take turns."""
    def one(module):
        return mb_per_s(json.loads(run([program("parser_bench"), module]).stdout))
    return statistics.median(one(small) / one(large) for _ in range(TURNS))


def growth():
    """Cost per byte of the larger to that of the smaller: 1 is linear."""
    for small_name, large_name in GROWTH:
        what = f"per byte, {large_name} to {small_name}"
        with tempfile.TemporaryDirectory() as folder:
            small, large = written(small_name, folder), written(large_name, folder)
            empty = pathlib.Path(folder) / "empty.ptx"
            empty.write_text(".version 8.0\n.target sm_80\n")
            if shutil.which("valgrind"):
                yield at_most(f"instructions {what}", instructions_per_byte(small, large, empty), 1.02)
            else:
                yield Number(f"instructions {what}", "skipped: no valgrind", "-", True)
            yield at_most(f"CPU time {what}", time_per_byte(small, large), 1.1)


def depth():
    result = measured("a million nested scopes")
    yield at_least("a million nested scopes: depth parsed", result["bytes"] // 2 // 10**5 * 10**5, 10**6)


GROUPS = (speed, memory, growth, depth)
