"""Lowering: machine instructions, registers and operation classes against ptxas; speed and growth.

With ptxas the reference is made afresh for every kernel; without it the recorded one is compared with
(tests/data/lowering/reference.csv). KERNCAST_UPDATE_REFERENCE=1 records. Speed is in CPU seconds of lowering_bench, the
fastest of several runs over the kernels of all workloads; growth compares one function of two sizes.
"""

import collections
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from measuring import cubin
from measuring.common import KERNCAST, REPOSITORY, WORKLOADS, Number, at_least, at_most, missing, program, run

DATA = REPOSITORY / "tests" / "data" / "lowering"
RECORDED = DATA / "reference.csv"
CLASSES = ("integer", "f32", "f64", "f16", "special", "memory", "texture", "tensor", "control")
COLUMNS = ("file", "kernel", "target", "ptxas", "instructions", "registers", "stack", *CLASSES)
MAKE = REPOSITORY / "tests" / "bench" / "make_ptx_module"
RUNS = 20
# Kernels whose code is not comparable, by what is said about them.
OTHERS = {
    "call through a register": "what it may reach is code of its own for ptxas, and not counted with the kernel's",
    "calls itself": "recursion of a depth that no text tells is refused",
}
GPUS = {"sm_75": "rtx2070", "sm_80": "a100-sxm4-40gb", "sm_90": "h100-sxm"}


def ptx_files():
    """What a compiler wrote; PTX written by hand to show syntax is left out."""
    return sorted([*REPOSITORY.glob("apps/workloads/**/*.ptx"), *REPOSITORY.glob("tests/data/ptx/cuda/*.ptx"),
                   *REPOSITORY.glob("tests/data/ptx/sources/*.ptx")])


def classifier():
    classes = [None] * 512
    with open(DATA / "operation_classes.csv", encoding="ascii") as file:
        for row in csv.DictReader(file):
            first, last = int(row["first"], 16), int(row["last"], 16)
            classes[first:last + 1] = [row["class"]] * (last + 1 - first)
    return lambda operation: "integer" if operation > 511 else classes[operation] or "integer"


def ptxas():
    return shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")


def release(program):
    return re.search(r"release ([\d.]+)", run([program, "--version"]).stdout).group(1)


def compiled(program):
    """Rows of everything that ptxas accepts for the targets."""
    class_of, version = classifier(), release(program)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "k.cubin"
        for file in ptx_files():
            for target in GPUS:
                done = subprocess.run([program, f"-arch={target}", file, "-o", out], capture_output=True, check=False)
                if done.returncode:
                    continue  # PTX of a newer target, or made to be refused
                for name, kernel in cubin.kernels(out).items():
                    counts = collections.Counter()
                    for operation, count in kernel.operations.items():
                        counts[class_of(operation)] += count
                    yield {"file": str(file.relative_to(REPOSITORY)), "kernel": name, "target": target,
                           "ptxas": version, "instructions": kernel.instructions, "registers": kernel.registers,
                           "stack": kernel.stack, **{c: counts[c] for c in CLASSES}}


def recorded():
    with open(RECORDED, encoding="ascii") as file:
        for row in csv.DictReader(file):
            yield {k: int(v) if k in ("instructions", "registers", "stack", *CLASSES) else v for k, v in row.items()}


def reference():
    program = ptxas()
    if not program:
        return list(recorded())
    rows = list(compiled(program))
    if os.environ.get("KERNCAST_UPDATE_REFERENCE"):
        with open(RECORDED, "w", encoding="ascii", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return rows


def lowered(file, target, kernel):
    """Our kernel as JSON, or what is said about one that cannot be compared."""
    done = subprocess.run([KERNCAST, "tasklist", REPOSITORY / file, "--gpu", GPUS[target], "--kernel", kernel,
                           "--json", "-"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr.splitlines()[0]
    ours = json.loads(done.stdout)["kernels"][0]
    through_registers = [a for a in ours["assumptions"] if "call through a register" in a]
    return through_registers[0] if through_registers else ours


def error(ours, theirs):
    return abs(ours - theirs) / theirs


def mean_percent(errors):
    return 100 * sum(errors) / max(len(errors), 1)


def against_ptxas():
    rows = reference()
    pairs, refused = [], []
    for row in rows:
        ours = lowered(row["file"], row["target"], row["kernel"])
        (refused if isinstance(ours, str) else pairs).append((row, ours))
    for target in GPUS:
        mine = [(r, o) for r, o in pairs if r["target"] == target]
        yield from compare(target, mine)
    yield from not_compared(refused)
    for row, ours in sorted(pairs, key=lambda p: -error(p[1]["machine_instructions"], p[0]["instructions"])):
        ratio = ours["machine_instructions"] / row["instructions"]
        if not 1 / 1.5 <= ratio <= 1.5:
            yield missing(f"{row['target']} {pathlib.Path(row['file']).name} {row['kernel'][:40]}", "factor 1.5",
                          f"{ours['machine_instructions']} of {row['instructions']}")


def not_compared(refused):
    """One line per kernel; each must be of a known kind."""
    reasons = {(row["file"], row["kernel"]): next((why for said, why in OTHERS.items() if said in ours), None)
               for row, ours in refused}
    for (file, kernel), why in reasons.items():
        yield Number(f"not compared: {pathlib.Path(file).name} {kernel[:30]}", why or "unknown", "a known reason",
                     why is not None)


def compare(target, pairs):
    instructions = [error(o["machine_instructions"], r["instructions"]) for r, o in pairs]
    registers = [error(o["registers_estimated"], r["registers"]) for r, o in pairs]
    ratios = [o["machine_instructions"] / r["instructions"] for r, o in pairs]
    near = 100 * sum(1 / 1.5 <= x <= 1.5 for x in ratios) / max(len(ratios), 1)
    yield at_least(f"{target}: kernels compared", len(pairs), 100)
    yield at_most(f"{target}: instructions, mean absolute error", mean_percent(instructions), 10, " %")
    yield at_most(f"{target}: registers, mean absolute error", mean_percent(registers), 12, " %")
    yield at_least(f"{target}: kernels within a factor 1.5", near, 95, " %")
    for c in CLASSES:
        theirs = sum(r[c] for r, _ in pairs)
        if theirs:
            ours = sum(o["instruction_classes"][c] for _, o in pairs)
            yield at_most(f"{target}: class {c}, {ours} of {theirs}", 100 * error(ours, theirs), 15, " %")


def target_of(file):
    return re.search(r"^\.target (sm_\d+)", file.read_text(encoding="ascii"), re.MULTILINE).group(1)


def bench(file, runs):
    """On a GPU that can run the file."""
    target = target_of(file)
    gpu = GPUS["sm_90" if target == "sm_90" else "sm_80"]
    return json.loads(run([program("lowering_bench"), file, gpu, runs]).stdout)


def speed():
    """Of lowering alone, and with what the compiler of one GPU does next: schedules, registers, spills."""
    files = sorted(WORKLOADS.glob("**/*.ptx"))
    results = [bench(file, RUNS) for file in files]
    instructions, lower, program_s = (sum(r[k] for r in results) for k in ("instructions", "lower_s", "program_s"))
    yield at_least("workloads: lowering, PTX to tasklist", instructions / lower / 1e6, 5, " M PTX instructions/CPU-s")
    yield at_least("workloads: PTX to machine operations", instructions / program_s / 1e6, 5,
                   " M PTX instructions/CPU-s")
    if ptxas():
        yield at_least("workloads: PTX to machine operations, ptxas's time to ours",
                       sum(compile_seconds(file) for file in files) / program_s, 10, "x")


def compile_seconds(file):
    with tempfile.TemporaryDirectory() as folder:
        return run([ptxas(), f"-arch={target_of(file)}", file, "-o", pathlib.Path(folder) / "k.cubin"]).cpu_seconds


# A function of so many instructions, with its own basic blocks alone or cut into many by branches to anywhere
# (which close cycles that have several entries, and let most values live nearly everywhere).
FUNCTIONS = (("one function", 30000, 0), ("one function of branches to anywhere", 1500, 600))


def growth():
    """CPU time per instruction of a function to that of one half as large: 1 is linear."""
    for name, instructions, blocks in FUNCTIONS:
        times = []
        with tempfile.TemporaryDirectory() as folder:
            for factor in (1, 2):
                module = pathlib.Path(folder) / "module.ptx"
                run([MAKE, "function", "--instructions", factor * instructions, "--blocks", factor * blocks, module])
                result = bench(module, RUNS)
                times.append(result["program_s"] / result["instructions"])
        yield at_most(f"{name}, twice as large: time per instruction", times[1] / times[0], 1.2)


def large_function():
    """35,000 instructions in 14,000 blocks: a function may be large and tangled, and lowers all the same."""
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(folder) / "module.ptx"
        run([MAKE, "function", "--instructions", 35000, "--blocks", 14000, module])
        result = bench(module, 1)
    yield at_most("35,000 instructions in 14,000 blocks", result["program_s"], 1, " CPU-s")


GROUPS = (against_ptxas, speed, growth, large_function)
