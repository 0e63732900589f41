"""Sweeps: CPU time a point, what is kept between points, resumption, equal bytes on threads and ranks."""

import json
import pathlib
import statistics
import tempfile
import time

from measuring.common import KERNCAST, WORKLOADS, at_least, at_most, equal, run

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]

# 10 x 10 x 10 hypothetical GPUs that differ in time only: hit rates are those of one.
TIMES = """
clock_mhz = { from = 800, to = 1700, steps = 10, round = 1 }
dram.bandwidth_gbps = { from = 500, to = 3200, steps = 10, scale = "geometric", round = 1 }
l2.latency = { from = 150, to = 330, steps = 10, round = 1 }
"""
# 1,000 GPUs that also differ in 20 sizes of L2.
SIZES = """
l2.mib = { from = 5, to = 100, steps = 20, round = 1 }
dram.bandwidth_gbps = { from = 500, to = 3200, steps = 10, scale = "geometric", round = 1 }
l2.latency = { from = 150, to = 330, steps = 5, round = 1 }
"""
FEW = """
clock_mhz = [1000, 1200, 1400]
l2.mib = [10, 40]
"""


# The 14 kernels of 003's Table 9 by their names in CUDA: "kmeans_swap" is invert_mapping, "hotspot" is Hotspot3D's.
TABLE_9 = (("gaussian", "Fan2"), ("nw", "needle_cuda_shared_1"), ("kmeans", "kmeansPoint"),
           ("kmeans", "invert_mapping"), ("lud", "lud_perimeter"), ("lud", "lud_internal"),
           ("hotspot3D", "hotspotOpt1"), ("srad_v2", "srad_cuda_1"), ("srad_v2", "srad_cuda_2"),
           ("backprop", "bpnn_layerforward_CUDA"), ("backprop", "bpnn_adjust_weights_cuda"),
           ("cfd", "cuda_compute_step_factor"), ("cfd", "cuda_time_step"), ("cfd", "cuda_compute_flux"))


def kernel_apps():
    """Small ones, of different names."""
    return sorted((WORKLOADS / "basic").glob("*/app.json"))


def table_9(folder):
    """An application of one launch, the largest, of each kernel of Table 9."""
    apps = []
    for workload, kernel in TABLE_9:
        source = WORKLOADS / "rodinia" / workload / "app.json"
        app = json.loads(source.read_text())
        app["modules"] = [str(source.parent / module) for module in app["modules"]]
        launches = [event for event in app["events"] if event.get("kernel") == kernel]
        largest = max(launches, key=lambda event: event["grid"][0] * event["grid"][1])
        app |= {"name": kernel, "events": [largest | {"repeat": 1}]}
        apps.append(pathlib.Path(folder) / f"{kernel}.json")
        apps[-1].write_text(json.dumps(app))
    return apps


def sweep_file(folder, axes, apps, base="a100-sxm4-40gb"):
    path = pathlib.Path(folder) / "s.toml"
    path.write_text(f"[sweep]\nbase = [\"{base}\"]\napps = {json.dumps([str(a) for a in apps])}\n[axes]\n{axes}")
    return path


def swept(folder, axes, apps, *options, before=()):
    """The run, and the CSV that it wrote."""
    result = pathlib.Path(folder) / "r.sqlite"
    ran = run([*before, KERNCAST, "sweep", sweep_file(folder, axes, apps), "-o", result, "--csv",
               f"{folder}/r.csv", "--json", f"{folder}/r.json", *options])
    return ran, pathlib.Path(folder, "r.csv").read_bytes()


def cost():
    for name, axes in (("other clocks, latencies and bandwidths", TIMES),
                       ("20 sizes of L2 among them", SIZES)):
        with tempfile.TemporaryDirectory() as folder:
            ran, _ = swept(folder, axes, table_9(folder), "--threads", "1")
        yield at_most(f"14 kernels of 003's Table 9 x 1,000 GPUs, {name}: CPU time", ran.cpu_seconds, 120, " s")


def reuse():
    apps = [WORKLOADS / "rodinia/hotspot/app.json"]
    with tempfile.TemporaryDirectory() as folder:
        one, _ = swept(folder, "clock_mhz = [1000]", apps, "--threads", "1")
    with tempfile.TemporaryDirectory() as folder:
        many, _ = swept(folder, "clock_mhz = { from = 1000, to = 1049, steps = 50 }", apps, "--threads", "1")
    yield at_most("hotspot: CPU time of 50 clocks, to one", many.cpu_seconds / one.cpu_seconds, 25, "x")


def equal_bytes():
    csvs = set()
    for before, threads in (((), "1"), ((), "4"), ((*MPIRUN, "2"), "1"), ((*MPIRUN, "4"), "2")):
        with tempfile.TemporaryDirectory() as folder:
            _, csv = swept(folder, FEW, kernel_apps(), "--threads", threads, before=before)
            csvs.add(csv)
    yield equal("different CSVs of 1 and 4 threads, 2 and 4 ranks", len(csvs), 1)


def resumption():
    with tempfile.TemporaryDirectory() as folder:
        first, csv = swept(folder, FEW, kernel_apps())
        again, same = swept(folder, FEW, kernel_apps())
    yield equal("asked again: computed rows, and the same CSV", csv == same, True)
    yield at_most("asked again: CPU time, to the first time", again.cpu_seconds / first.cpu_seconds, 0.9, "x")


def wall(folder, *options, before=()):
    began = time.monotonic()
    swept(folder, TIMES, [WORKLOADS / "rodinia/hotspot/app.json", WORKLOADS / "rodinia/pathfinder/app.json"], *options,
          before=before)
    return time.monotonic() - began


def scaling():
    pairs = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            pairs.append(wall(one, "--threads", "1") / wall(two, "--threads", "2"))
    yield at_least("two threads to one, median of three pairs", statistics.median(pairs), 1.8, "x")


GROUPS = (cost, reuse, equal_bytes, resumption, scaling)
