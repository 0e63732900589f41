"""What ptxas and our front end say about a PTX text."""

import concurrent.futures
import os
import re
import shutil
import subprocess

from measuring.common import program

PTXAS = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
# Rejections that are no statement about the text: a feature of other targets or versions, a resource limit.
NOT_MALFORMED = re.compile(
    r"not supported on|requires (\.target|PTX ISA|target)|require[sd]? .*(sm_\d|\.target|\.version)"
    r"|not supported (in|for|by) .*(sm_|target|PTX)|supported (only )?(on|from|in) .*(sm_|PTX ISA)"
    r"|too much|uses too many|Feature '|cannot be compiled|deprecated|PTX ISA version"
    r"|Unresolved extern|removed|for arch 'sm_|^ptxas ended|Deprecated feature|Debug information not found")


CRASH = "our program ended"
# Some texts make ptxas itself crash or run without end.
SILENT = "ptxas ended without a message"
LONGEST_SECONDS = 30


def is_available():
    return os.access(PTXAS, os.X_OK)


def ptxas(job):
    """None if ptxas assembles the file, else the first line that it says."""
    path, target = job
    try:
        done = subprocess.run([PTXAS, "-O0", "-c", "-arch", target, "-o", "/dev/null", str(path)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              timeout=LONGEST_SECONDS)
    except subprocess.TimeoutExpired:
        return SILENT
    if done.returncode == 0:
        return None
    said = [line for line in (done.stderr + done.stdout).splitlines()
            if "warning" not in line and "info " not in line and "aborted due" not in line]
    errors = [re.sub(r"^.*?(error|fatal)\s*:\s*", "", line) for line in said]
    # One complaint about the text outweighs any about the target.
    malformed = [e for e in errors if not NOT_MALFORMED.search(e)]
    return (malformed or errors or [SILENT])[0]


def is_about_the_text(message):
    return not NOT_MALFORMED.search(message)


def all_ptxas(jobs):
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(ptxas, jobs))


def first_errors(paths):
    """The first error of each file that has one, by name; halves the list to name a file that ends our program."""
    done = subprocess.run([str(program("ptx_differential")), "parse", *paths], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return dict(line.split("\t", 1) for line in done.stdout.split("\n") if line)
    if len(paths) == 1:
        return {paths[0]: f"{CRASH} with {done.returncode}"}
    half = len(paths) // 2
    return first_errors(paths[:half]) | first_errors(paths[half:])


def ours(paths):
    """For each path None, or our first error."""
    names, found, at_once = [str(p) for p in paths], {}, 500
    for begin in range(0, len(names), at_once):
        found |= first_errors(names[begin:begin + at_once])
    return [found.get(name) for name in names]
