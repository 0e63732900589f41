"""Sweeps on many ranks: what rows and messages cost here, and the efficiency that a simulation of the distribution
(engine/cluster/include/cluster/distribution_model.h) finds with these costs for 1 to 4,096 ranks."""

import dataclasses
import json
import pathlib
import re
import tempfile

from measuring.common import KERNCAST, WORKLOADS, Number, at_least, program, run
from measuring.sweep import MPIRUN, sweep_file, table_9

POINTS = 100_000
SMALL = WORKLOADS / "basic" / "vector_add" / "app.json"
# One point, and three by three: hit rates are the same.
ONE = "clock_mhz = [1410]"
NINE = "clock_mhz = [800, 1250, 1700]\ndram.bandwidth_gbps = [500, 1265, 3200]"


def costs():
    """CPU time of rank 0 by what it does, in nanoseconds: latency and waking where one rank asks, the rest where eight
    do, several of which rank 0 hears when it wakes."""
    one, many = costs_on(2), costs_on(9)
    return {**many, "latency": one["latency"], "wake": max(0, one["answer"] - many["answer"])}


def costs_on(ranks):
    bench = program("scaling_bench")
    with tempfile.TemporaryDirectory() as folder:
        text = run([*MPIRUN, str(ranks), "--bind-to", "none", bench, "costs", folder]).stdout
    return {name: int(value) for name, value in (line.split() for line in text.splitlines())}


@dataclasses.dataclass
class Costs:
    """Of an application, in seconds of CPU time."""
    prepare: float  # what each rank does before its first row: reading, lowering and executing it, its programs
    shared: float  # hit rates, which one rank finds for all rows of a group
    row: float


def start_of(app):
    """CPU time of a rank before it prepares applications: the plan of all points. `app`: a small one."""
    with tempfile.TemporaryDirectory() as folder:
        points = (f"clock_mhz = {{ from = 1000, to = 1009, steps = 10 }}\n"
                  f"l2.latency = {{ from = 1, to = {POINTS // 10}, steps = {POINTS // 10} }}")
        return run([KERNCAST, "check", sweep_file(folder, points, [app])]).cpu_seconds


def with_hit_rates(app, folder):
    """The application with hit rates that need not be found."""
    text = json.loads(app.read_text())
    text["modules"] = [str(app.parent / module) for module in text["modules"]]
    for event in text["events"]:
        if event["op"] == "kernel":
            event["hit_rates"] = {"l1": 0.3, "l2": 0.5}
    given = pathlib.Path(folder) / "app.json"
    given.write_text(json.dumps(text))
    return given


def costs_of(app):
    with tempfile.TemporaryDirectory() as folder:
        own = costs_with_programs(with_hit_rates(app, folder))
    found = costs_with_programs(app)
    programs = own.shared
    return Costs(found.prepare + programs, max(0, found.shared - programs), found.row)


def costs_with_programs(app):
    """What rows share with machine programs among it. A row takes 0.1 ms at least: less is not measured."""
    process = run([KERNCAST, "gpus", "show", "a100-sxm4-40gb"]).cpu_seconds
    with tempfile.TemporaryDirectory() as folder:
        def seconds(axes):
            return run([KERNCAST, "sweep", sweep_file(folder, axes, [app]), "-o", f"{folder}/{len(axes)}.sqlite",
                        "--json", f"{folder}/s.json", "--threads", "1"]).cpu_seconds
        one, again, many = seconds(ONE), seconds(ONE), seconds(NINE)  # the second time every row is there
    row = max(1e-4, (many - one) / 8)
    return Costs(max(0, again - process), max(0, one - again - row), row)


def nanoseconds(seconds):
    return round(seconds * 1e9)


def efficiencies(name, apps, unit_costs):
    """The goal is 0.9 of what the one writer allows: no job ends before all of its rows are written."""
    found = [costs_of(app) for app in apps]
    start = start_of(SMALL)
    words = [f"{key}={value}" for key, value in unit_costs.items()] + [f"start={nanoseconds(start)}"]
    words += [":".join([str(POINTS), *(str(nanoseconds(part)) for part in (one.row, one.shared, one.prepare))])
              for one in found]
    mean = [sum(getattr(one, part) for one in found) / len(found) for part in ("row", "shared", "prepare")]
    yield told(f"{name}: CPU time of a row, of hit rates, of preparing an application, of a rank's start",
               f"{mean[0] * 1e3:.3g} ms, {mean[1]:.3g} s, {mean[2]:.3g} s, {start:.3g} s")
    for line in run([program("scaling_bench"), "job", *words]).stdout.splitlines():
        ranks, efficiency, end, listening, delivering, wait, messages = line.split()
        end, efficiency = float(end), float(efficiency)
        allowed = min(1, efficiency * end / float(delivering))
        what = (f"{name}, {int(ranks):,} ranks: {end:.4g} s; rank 0 listens {float(listening) / end:.1%}, delivers "
                f"{float(delivering) / end:.1%}, a question waits {float(wait) * 1e3:.3g} ms at most, "
                f"{int(messages):,} messages; efficiency (the writer allows {allowed:.3g})")
        yield at_least(what, efficiency, 0.9 * allowed) if int(ranks) <= 1024 else told(what, f"{efficiency:.4g}")


def least_row(unit_costs):
    """Rows of 40 applications that share half a second each: what one must take for 0.9 on 1,024 ranks."""
    words = [f"{key}={value}" for key, value in unit_costs.items()]
    words += ["ranks=1024", f"start={nanoseconds(0.2)}"]
    low, high = 0.001, 0.1
    while high > 1.05 * low:
        row = (low * high) ** 0.5
        groups = [f"{POINTS}:{nanoseconds(row)}:{nanoseconds(0.5)}:{nanoseconds(0.05)}"] * 40
        efficiency = float(run([program("scaling_bench"), "job", *words, *groups]).stdout.split()[1])
        low, high = (low, row) if efficiency >= 0.9 else (row, high)
    yield told(f"{POINTS:,} points x 40 applications that are prepared in 0.05 s and share 0.5 s each, 1,024 ranks: the cheapest "
               "row with an efficiency of 0.9", f"{high * 1e3:.3g} ms")


def told(name, value):
    """A number without a limit."""
    return Number(name, value, "", True)


def unit_costs_of_rank_0(found):
    for name, value in found.items():
        yield told(f"cost of {name.replace('_', ' of a ')}", f"{value / 1e3:.3g} us")


def store():
    """Of a tenth of the rows of 100,000 points x 40 applications."""
    with tempfile.TemporaryDirectory() as folder:
        for line in run([program("scaling_bench"), "store", folder, POINTS // 10]).stdout.splitlines():
            step, cost = re.match(r"(\D+) (.*)", line).groups()
            yield told(f"a file of {4 * POINTS:,} rows: {step}", cost)


def distribution():
    found = costs()
    yield from unit_costs_of_rank_0(found)
    yield from least_row(found)
    apps = sorted((WORKLOADS / "basic").glob("*/app.json"))
    yield from efficiencies(f"{POINTS:,} points x the {len(apps)} applications of basic", apps, found)
    with tempfile.TemporaryDirectory() as folder:
        yield from efficiencies(f"{POINTS:,} points x 14 kernels of 003's Table 9", table_9(folder), found)


GROUPS = (store, distribution)
