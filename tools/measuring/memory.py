"""The memory model: predicted hit rates against full simulation, and streams against measured GPUs."""

import collections
import csv
import json
import math
import pathlib
import tempfile

from measuring.common import KERNCAST, REPOSITORY, at_least, at_most, claims, equal, predict, run

STREAMS = REPOSITORY / "apps" / "microbench" / "streams" / "streams.ptx"
MEASURED = REPOSITORY / "tests" / "data" / "measured" / "streams.csv"
APPLICATIONS = ("rodinia/hotspot", "rodinia/pathfinder", "rodinia/gaussian", "parboil/sgemm")
GPUS = ("titan-x", "a100-sxm4-40gb", "h100-sxm")


def hit_rates():
    """Every workload kernel against a plain simulation of all its accesses, in percentage points."""
    for name, claim in sorted(claims("oracle_hit_rates").items()):
        kernel = name.rsplit("/", 1)[-1]
        for where, value in sorted(claim.recorded.items()):
            whole, sampled = map(float, value.split())
            yield at_most(f"{kernel}, {where}: {whole:.4f} simulated, predicted differs by",
                          100 * abs(sampled - whole), 2, " points")
        yield equal(f"{kernel}: claims hold", claim.holds, True)


def textbook():
    for program in ("unit_hit_rates", "unit_caches"):
        for name, claim in claims(program).items():
            yield equal(name, claim.holds, True)


def bounds():
    """No predicted time is below what the bytes need at the bandwidth of DRAM and of L2."""
    for application in APPLICATIONS:
        file = REPOSITORY / "apps" / "workloads" / application / "app.json"
        gpus = [word for gpu in GPUS for word in ("--gpu", gpu)]
        for prediction in json.loads(run(predict(file, *gpus)).stdout):
            values = {k: v["value"] if isinstance(v, dict) else v for k, v in prediction["gpu_resolved"].items()}
            dram = float(values["dram.bandwidth_gbps"]) * float(values["dram.sustained_fraction"])
            l2 = float(values["l2.bytes_per_clock"]) * float(values["clock_mhz"]) / 1e3
            for kernel in prediction["kernels"]:
                needed = max(kernel["dram_bytes"] / dram, kernel["l2_bytes"] / l2) / 1e3
                yield at_least(f"{kernel['kernel']} on {prediction['gpu']}: time over the bandwidth bound",
                               kernel["time_us"] / needed if needed else math.inf, 1)


def magic(length):
    """Factors so that index % length is a multiplication and a shift, for index < 2^31."""
    shift = max(0, (length - 1).bit_length() - 1)
    return -(-(1 << (32 + shift)) // length), shift


def shared_bytes(gpu, ctas_per_sm):
    """Dynamic shared memory that lets an SM hold so many CTAs and no more."""
    text = run([KERNCAST, "gpus", "show", gpu, "--json", "-"]).stdout
    values = json.loads(text)
    values = values.get("gpu_resolved", values.get("values", values))
    get = lambda key: float(values[key]["value"] if isinstance(values[key], dict) else values[key])
    total, reserved = get("limits.shared_bytes_per_sm"), get("limits.shared_reserved_bytes_per_cta")
    return int(min(total / ctas_per_sm, get("limits.shared_bytes_per_cta") + reserved) - reserved) // 1024 * 1024


def application(row, shared):
    """One launch of a stream; a value of the array never is the one that `read` looks for."""
    kernel = row["kernel"]
    arrays = {"init": "a", "read": "ab", "scale": "ab", "triad": "abcd", "stencil_3": "ab", "stencil_5": "ab"}
    arrays = arrays[kernel.removesuffix("_over")]
    size = int(row["length"] or row["threads"])
    numbers = [size, *magic(size)] if row["length"] else [size]
    event = {"op": "kernel", "kernel": kernel, "grid": [int(row["ctas"]), 1, 1],
             "block": [int(row["threads_per_cta"]), 1, 1], "dynamic_smem_bytes": shared, "stream": 0,
             "args": [{"buffer": array} for array in arrays] + [{"u32": n} for n in numbers]}
    if kernel.startswith("read"):
        event["branches"] = {str(comparison_line(kernel) + 1): {"taken": 1.0}}
    return {"format": "kerncast-app/1", "name": kernel, "modules": [str(STREAMS)],
            "buffers": {array: {"bytes": 8 * size} for array in arrays},
            "events": [event, {"op": "sync"}]}


def comparison_line(kernel):
    lines = STREAMS.read_text().splitlines()
    entry = next(i for i, line in enumerate(lines) if f".entry {kernel}(" in line)
    return next(i for i in range(entry, len(lines)) if "setp.neu.f64" in lines[i]) + 1


def predicted_us(row, shared):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "app.json"
        file.write_text(json.dumps(application(row, shared)))
        done = run(predict(file, "--gpu", row["gpu"]))
    return json.loads(done.stdout)[0]["kernels"][0]["time_us"]


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    for rank, index in enumerate(order):
        result[index] = float(rank)
    return result


def correlation(a, b):
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    covariance = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    return covariance / math.sqrt(sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b))


def streams():
    """Mean absolute percentage error and rank correlation per GPU, streams and L2 streams apart."""
    found = collections.defaultdict(list)
    shared = {}
    with open(MEASURED, encoding="ascii") as file:
        for row in csv.DictReader(file):
            key = (row["gpu"], int(row["ctas_per_sm"]))
            if key not in shared:
                shared[key] = shared_bytes(*key)
            kind = "L2 streams" if row["length"] else "streams"
            found[row["gpu"], kind].append((predicted_us(row, shared[key]), float(row["time_us"]), row["kernel"]))
    for (gpu, kind), pairs in sorted(found.items()):
        error = 100 * sum(abs(p / m - 1) for p, m, _ in pairs) / len(pairs)
        yield at_most(f"{gpu}: {len(pairs)} {kind}, mean absolute error", error, 10, " %")
        yield at_least(f"{gpu}: {len(pairs)} {kind}, rank correlation",
                       correlation(ranks([p for p, _, _ in pairs]), ranks([m for _, m, _ in pairs])), 0.9)


GROUPS = [hit_rates, textbook, bounds, streams]
