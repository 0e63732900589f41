"""What the microbenchmarks find on every GPU of the database, against its description."""

import json

from measuring.common import KERNCAST, equal, run

KEPLER = ("gtx650ti", "gtx680", "k20", "k40m")
HOPPER = ("h100", "h200", "gh200", "b200")
GA10X = ("a40", "a4000", "a6000", "l4", "l40", "rtx30", "rtx4090")
# Why a finding may differ, or cannot be told: beginnings of the GPUs' names, its family, a part of its name, and the reason.
KNOWN = [
    (KEPLER, "issue interval of an SM", "", "pairs that issue together reach 92 % of the units, 83 % of those of half the rate"),
    (("c2050",), "issue interval of an SM", "f64", "one of two schedulers waits 2.5 % of the time for the other's f64 operation"),
    (GA10X, "occupancy", "", "additions go to two units of half the rate, and one chain does not always find the free one"),
    (HOPPER, "occupancy", "", "additions could issue in every cycle, and the loop's own instructions take some of these"),
    (HOPPER, "mix", "8 fma", "a multiply-add reads its three registers in two cycles"),
    (("gh200", "b200"), "bandwidth", "copy", "one element a thread leaves too few bytes under way for its DRAM's latency under load"),
    (("8800gtx", "gtx280"), "size", "l2", "global memory is not cached there: what stands for L2 is as slow as DRAM"),
    (("unit",), "", "", "everything takes one cycle, and so does what measures it"),
    (GA10X, "mix", "8 fma", "as above; the issue slots would be full, too"),
]


def reason(gpu, finding):
    return next((why for names, family, part, why in KNOWN
                 if gpu.startswith(names) and family in ("", finding["family"]) and part in finding["name"]), None)


def every_gpu():
    names = [g["name"] for g in json.loads(run([KERNCAST, "gpus", "list", "--json", "-"]).stdout)]
    for name in names:
        report = json.loads(run([KERNCAST, "microbench", "--gpu", name, "--json", "-"]).stdout)[0]
        differing = [f for f in report["findings"] if f["agrees"] is False]
        untold = [f"{f['family']} {f['name']}: {f['cannot_be_told']}" for f in report["findings"]
                  if f["agrees"] is None and not reason(name, f)]
        unknown = [f"{f['family']} {f['name']}: {f['found']:.4g}, described {f['described']:.4g}"
                   for f in differing if not reason(name, f)]
        yield equal(f"{name}: of {len(report['findings'])} findings {len(differing)} differ, for no known reason, or cannot be told",
                    "; ".join(unknown + untold) or "none", "none")


GROUPS = [every_gpu]
