"""The memory model: predicted hit rates against full simulation, and microbenchmarks against measured GPUs."""

import csv
import itertools
import json
import math
import pathlib
import tempfile

from measuring.common import KERNCAST, REPOSITORY, at_least, at_most, claims, equal, predict, run

APPLICATIONS = ("rodinia/hotspot", "rodinia/pathfinder", "rodinia/gaussian", "parboil/sgemm")
GPUS = ("titan-x", "a100-sxm4-40gb", "h100-sxm")


def hit_rates():
    """Every workload kernel against a plain simulation of all its accesses, in percentage points."""
    for name, claim in sorted(claims("oracle_hit_rates").items()):
        kernel = name.rsplit("/", 1)[-1]
        for where, value in sorted(claim.recorded.items()):
            whole, sampled, error = map(float, value.split())
            stated = f", standard error stated as {100 * error:.2f}" if error else ""
            yield at_most(f"{kernel}, {where}: {whole:.4f} simulated{stated}, predicted differs by",
                          100 * abs(sampled - whole), 2, " points")
        yield equal(f"{kernel}: claims hold", claim.holds, True)


def textbook():
    for program in ("unit_hit_rates", "unit_caches"):
        for name, claim in claims(program).items():
            yield equal(name, claim.holds, True)


def l2_bytes_per_clock(values):
    """The most that L2 moves: reads at their rate beside what they leave to writes of the way of requests."""
    reads, writes = float(values["l2.bytes_per_clock"]), values["l2.write_bytes_per_clock"]
    if isinstance(writes, str):
        return reads
    return reads + max(0, writes - float(values["l2.read_request_fraction"]) * reads)


def bounds():
    """No predicted time is below what the bytes need at the bandwidth of DRAM and of L2."""
    for application in APPLICATIONS:
        file = REPOSITORY / "apps" / "workloads" / application / "app.json"
        gpus = [word for gpu in GPUS for word in ("--gpu", gpu)]
        for prediction in json.loads(run(predict(file, *gpus)).stdout):
            values = {k: v["value"] if isinstance(v, dict) else v for k, v in prediction["gpu_resolved"].items()}
            dram = float(values["dram.bandwidth_gbps"]) * float(values["dram.sustained_fraction"])
            l2 = l2_bytes_per_clock(values) * float(values["clock_mhz"]) / 1e3
            for kernel in prediction["kernels"]:
                needed = max(kernel["dram_bytes"] / dram, kernel["l2_bytes"] / l2) / 1e3
                yield at_least(f"{kernel['kernel']} on {prediction['gpu']}: time over the bandwidth bound",
                               kernel["time_us"] / needed if needed else math.inf, 1)


# Measured times that are nearer to each other are equal: launches of the same kernel differ by as much (mixes of f32 that
# DRAM bounds: 317.4 to 321.3 us, without order).
EQUAL_TIMES = 0.02


def rank_correlation(rows):
    """Goodman and Kruskal's gamma over the pairs of rows whose measured times differ, and how many these are."""
    agreeing = pairs = 0
    for (time, predicted), (other, other_predicted) in itertools.combinations(rows, 2):
        if abs(time - other) <= EQUAL_TIMES * max(time, other):
            continue
        pairs += 1
        order = (predicted > other_predicted) - (predicted < other_predicted)
        agreeing += order if time > other else -order
    return (agreeing / pairs if pairs else math.nan), pairs


def measured():
    """The microbenchmarks on GPUs where they were measured: error and rank correlation per family and GPU."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "rows.csv")
        report = json.loads(run([KERNCAST, "validate", "microbench", "--csv", path, "--json", "-"]).stdout)
        table = list(csv.DictReader(path.open()))
    for one in report["comparisons"]:
        if one["quantity"] != "time":
            continue
        what = f"{one['gpu']}: {one['rows']} {one['kernel']}"
        yield at_most(f"{what}, mean absolute error", one["mape"], 10, " %")
        gamma, pairs = rank_correlation([(float(row["measured"]), float(row["predicted"])) for row in table
                                         if all(row[word] == one[word] for word in ("gpu", "kernel", "quantity"))])
        if pairs:
            yield at_least(f"{what}, rank correlation of {pairs} pairs", gamma, 0.8)


GROUPS = [hit_rates, textbook, bounds, measured]
