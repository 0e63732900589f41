"""The whole GPU as logical processes: speed, scaling on two cores, memory, agreement with one SM.

Scaling is the median over pairs of runs of the time on the clock: it needs two cores that nothing else uses.
"""

import json
import re
import statistics
import subprocess
import time

from measuring.common import (ENVIRONMENT, WORKLOADS, at_least, at_most, equal, fastest, missing, predict, run)

HOTSPOT = WORKLOADS / "rodinia/hotspot"
GPU = "a100-sxm4-40gb"

# One launch that fills an A100 for several waves; --l1-hit and --l2-hit keep the prediction of hits out of the time.
LAUNCH = [HOTSPOT / "hotspot.ptx", "--grid", "{grid}", "--block", "16,16", "--l1-hit", "0.5", "--l2-hit", "0.5"]
ARGUMENTS = ("i32:2 buf:4194304 buf:4194304 buf:4194304 i32:1024 i32:1024 i32:2 i32:2 f32:1.0681152e-07 f32:10 f32:10 "
             "f32:20480 f32:1.4583333e-07 f32:0.001").split()
PAIRS = 7


def command(grid, *options):
    words = [str(word).format(grid=grid) for word in LAUNCH]
    arguments = [word for argument in ARGUMENTS for word in ("--arg", argument)]
    return predict(*words, *arguments, "--gpu", GPU, "--fidelity", "gpu", *options)


def kernel_of(done):
    return json.loads(done.stdout)[0]["kernels"][0]


def elapsed(words):
    begin = time.monotonic()
    subprocess.run([str(w) for w in words], env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return time.monotonic() - begin


def speed():
    """From a small to a large launch: starting, parsing and planning are in both and cancel."""
    small, large = (fastest(command(grid, "--threads", "1"), 3) for grid in ("86,86", "344,344"))
    instructions = [kernel_of(done)["warp_instructions"] for done in (small, large)]
    rate = (instructions[1] - instructions[0]) / (large.cpu_seconds - small.cpu_seconds)
    yield at_least(f"{GPU}, warp instructions per CPU-second", rate / 1e6, 5, " M")


def median_ratio(slow, fast):
    return statistics.median(elapsed(slow) / elapsed(fast) for _ in range(PAIRS))


def scaling():
    """Ranks only of the launch of seconds: of a short one mpirun's start and end are a good part."""
    for grid in ("172,172", "344,344"):
        one, two = (command(grid, "--threads", threads) for threads in ("1", "2"))
        yield at_least(f"{grid} CTAs: two threads against one", median_ratio(one, two), 1.6, " times")
    ranks = ["mpirun", "-n", "2", "--bind-to", "none", *one]
    yield at_least(f"{grid} CTAs: two ranks against one", median_ratio(one, ranks), 1.5, " times")


def memory():
    done = subprocess.run(["/usr/bin/time", "-v", *map(str, command("172,172", "--threads", "1"))], env=ENVIRONMENT,
                            capture_output=True, text=True, check=False)
    found = re.search(r"Maximum resident set size \(kbytes\): (\d+)", done.stderr)
    if found is None:
        yield missing("memory", "<= 2 GB", "/usr/bin/time is not installed")
        return
    yield at_most("memory", int(found[1]) / 1e6, 2, " GB")


def same_bytes():
    first = run(command("86,86", "--threads", "1")).stdout
    for threads in (2, 5):
        yield equal(f"--threads {threads}, same bytes as 1", run(command("86,86", "--threads", threads)).stdout == first,
                    True)
    for ranks in (2, 3):
        words = ["mpirun", "--oversubscribe", "-n", ranks, *command("86,86", "--threads", "1")]
        yield equal(f"mpirun -n {ranks}, same bytes as none", run(words).stdout == first, True)


GROUPS = [speed, scaling, memory, same_bytes]
