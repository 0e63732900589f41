"""What every area of tools/measure uses: the program, CPU time of a child, numbers with limits."""

import dataclasses
import functools
import json
import os
import pathlib
import resource
import subprocess
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "build" / "release"
KERNCAST = BUILD / "bin" / "kerncast"
WORKLOADS = REPOSITORY / "apps" / "workloads"

# MPI refuses to run as root, and to run more ranks than cores, unless told.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@dataclasses.dataclass
class Number:
    name: str
    measured: str
    limit: str
    holds: bool


def at_most(name, value, limit, unit=""):
    return Number(name, f"{value:.4g}{unit}", f"<= {limit:g}{unit}", value <= limit)


def at_least(name, value, limit, unit=""):
    return Number(name, f"{value:.4g}{unit}", f">= {limit:g}{unit}", value >= limit)


def equal(name, value, expected):
    return Number(name, str(value), str(expected), value == expected)


def missing(name, limit, why):
    return Number(name, why, limit, False)


class Failed(Exception):
    """A command that a number needs did not succeed."""


@dataclasses.dataclass
class Run:
    stdout: str
    cpu_seconds: float  # user and system time of the command and all its children


def run(command, *, cwd=REPOSITORY):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise Failed(f"exit code {done.returncode}: {' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return Run(done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


@functools.cache
def program(name):
    """A program of the release build, brought up to date: an old one would measure something else."""
    run(["cmake", "--build", BUILD, "--target", name])
    return BUILD / ("tests" if (BUILD / "tests" / name).exists() else "bin") / name


def fastest(command, times=3):
    """The run that took the least CPU time: other work on the machine only ever adds."""
    return min((run(command) for _ in range(times)), key=lambda r: r.cpu_seconds)


def predict(*arguments):
    return [KERNCAST, "predict", *arguments, "--json", "-"]


@dataclasses.dataclass
class Claim:
    """One GoogleTest that ran: whether it held, and what it recorded with RecordProperty."""
    holds: bool
    recorded: dict


def claims(test_program):
    """All tests of a program under build/release/tests by name; failing tests do not raise."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        subprocess.run([program(test_program), f"--gtest_output=json:{report}"], env=ENVIRONMENT,
                       stdin=subprocess.DEVNULL, capture_output=True, check=False)
        suites = json.loads(report.read_text())["testsuites"]
    own = {"name", "file", "line", "status", "result", "timestamp", "time", "classname", "failures",
           "type_param", "value_param"}
    return {f"{s['name']}.{t['name']}": Claim("failures" not in t, {k: v for k, v in t.items() if k not in own})
            for s in suites for t in s["testsuite"]}
