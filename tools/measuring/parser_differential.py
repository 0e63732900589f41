"""The front end against ptxas: what it assembles we accept, what it rejects as malformed we reject.

Over statements made from the rows of the syntax table, declarations and directives, the PTX of the workloads and of
the tests for five targets, and damaged copies of these, one mistake each. With KERNCAST_DIFFERENCES=FILE every difference is
written there, a line each. docs/ptx-differences.md explains what remains.
"""

import collections
import os
import pathlib
import random
import re
import tempfile

from measuring.common import REPOSITORY, WORKLOADS, Number, at_most, equal
from measuring.ptx_differential import directives, mutations, rows, verdicts
from measuring.ptx_differential.explained import ACCEPTED, REFUSED, explanation, is_newer

TARGETS = ("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a")
STATEMENT_TARGETS = ("sm_90a", "sm_100a", "sm_120a", "sm_75")
DIRECTIVES_TARGET = "sm_90a"
STATEMENTS_OF_A_ROW = 3
MUTATED_STATEMENTS = 2600
MUTATED_FILES = 1200
SEED = 20


class Case:
    def __init__(self, origin, change, text, target, shown):
        self.origin, self.change, self.text, self.target, self.shown = origin, change, text, target, shown
        self.path = self.ptxas = self.ours = None


def judge(cases, folder):
    for case in cases:
        judge.count += 1
        case.path = folder / f"{judge.count}.ptx"
        case.path.write_text(case.text)
    for case, said in zip(cases, verdicts.all_ptxas([(c.path, c.target) for c in cases])):
        case.ptxas = said
    for case, said in zip(cases, verdicts.ours([c.path for c in cases])):
        case.ours = said
    return cases


judge.count = 0


def for_target(text, target):
    text = re.sub(r"^\.target\s.*$", f".target {target}", text, count=1, flags=re.M)
    return re.sub(r"^\.version\s.*$", ".version 9.0", text, count=1, flags=re.M)


def files(folder):
    """Our PTX files for each target that ptxas assembles them for."""
    roots = (WORKLOADS, REPOSITORY / "tests/data")
    sources = sorted(p for root in roots for p in root.rglob("*.ptx") if not is_newer(p.name))
    return judge([Case(p.name, "as it is", for_target(p.read_text(), t), t, f"{p.name} for {t}")
                  for p in sources for t in TARGETS], folder)


def statements(folder):
    """Statements of the table's rows, each for the first target that ptxas assembles it for."""
    cases, waiting = [], [s for s in rows.statements(STATEMENTS_OF_A_ROW, SEED) if not is_newer(s)]
    for target in STATEMENT_TARGETS:
        tried = judge([Case("row", "as it is", rows.module(s, target), target, s) for s in waiting], folder)
        refused = [c for c in tried if c.ptxas and not verdicts.is_about_the_text(c.ptxas)]
        cases += [c for c in tried if c not in refused]
        waiting = [c.shown for c in refused]
    return cases


def declarations(folder):
    return judge([Case("declaration", "as it is", text, DIRECTIVES_TARGET, shown)
                  for shown, text in directives.modules(DIRECTIVES_TARGET)], folder)


def damaged(bases, count, change, rng):
    out = []
    for i in range(count):
        base = bases[i % len(bases)]
        found = change(base, rng)
        if found is not None:
            out.append(found)
    return out


def damaged_statement(base, rng):
    registers = [f"r_{t}" for t in rows.DECLARED]
    found = mutations.damaged_statement(base.shown, rng, registers)
    return found and Case("row", found[0], rows.module(found[1], base.target), base.target, found[1])


def first_difference(old, new):
    for a, b in zip(old.split("\n"), new.split("\n")):
        if a != b:
            return b.strip()
    return "(the end)"


def damaged_file(base, rng):
    found = mutations.damaged_file(base.text, rng)
    return found and Case(base.origin, found[0], found[1], base.target,
                          f"{base.shown}: {first_difference(base.text, found[1])}")


def differences(cases):
    """(cases we refuse though ptxas assembles them, cases we accept though it calls them malformed)."""
    refused = [c for c in cases if c.ptxas is None and c.ours is not None]
    accepted = [c for c in cases if c.ptxas is not None and c.ours is None and verdicts.is_about_the_text(c.ptxas)]
    return refused, accepted


def write_differences(refused, accepted):
    path = os.environ.get("KERNCAST_DIFFERENCES")
    if not path:
        return
    lines = [f"refused\t{c.change}\t{c.target}\t{c.shown}\t{c.ours}" for c in refused]
    lines += [f"accepted\t{c.change}\t{c.target}\t{c.shown}\t{c.ptxas}" for c in accepted]
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def against_ptxas():
    if not verdicts.is_available():
        yield Number("differential check", "skipped: no ptxas", "-", True)
        return
    with tempfile.TemporaryDirectory() as name:
        yield from measured(pathlib.Path(name))


def measured(folder):
    rng = random.Random(SEED)
    whole = files(folder)
    single = statements(folder)
    good_files = [c for c in whole if c.ptxas is None]
    good_statements = [c for c in single if c.ptxas is None]
    mutated_statements = judge(damaged(good_statements, MUTATED_STATEMENTS, damaged_statement, rng), folder)
    mutated_files = judge(damaged(good_files, MUTATED_FILES, damaged_file, rng), folder)
    everything = (("files, as they are", whole), ("rows' statements, as they are", single),
                  ("declarations and directives", declarations(folder)),
                  ("damaged statements", mutated_statements), ("damaged files", mutated_files))
    refused, accepted = [], []
    for what, cases in everything:
        yield counts(what, cases)
        for all_of_kind, some in zip((refused, accepted), differences(cases)):
            all_of_kind += some
    crashes = [c for _, cases in everything for c in cases if c.ours and c.ours.startswith(verdicts.CRASH)]
    yield equal("texts that end our program", len(crashes), 0)
    write_differences(refused, accepted)
    texts = sum(len(cases) for _, cases in everything)
    yield from classes("assembled by ptxas, refused here", REFUSED, [(c.shown, c.ours) for c in refused], texts)
    yield from classes("malformed to ptxas, accepted here", ACCEPTED, [(c.shown, c.ptxas) for c in accepted], texts)


def counts(what, cases):
    refused = [c for c in cases if c.ptxas is not None]
    about_target = sum(not verdicts.is_about_the_text(c.ptxas) for c in refused)
    return Number(what, f"{len(cases)}: ptxas assembles {len(cases) - len(refused)}, refuses "
                        f"{len(refused) - about_target} as malformed, {about_target} for their target", "-", True)


def classes(what, table, found, texts):
    """How many of the differences each explanation covers, and that none is left without one."""
    by_class = collections.Counter(explanation(table, text, message) for text, message in found)
    yield at_most(f"{what}, of {texts}", len(found), texts * MOST_PERCENT // 100)
    for name, count in sorted((n, c) for n, c in by_class.items() if n is not None):
        yield Number(f"  {name}", str(count), "explained", True)
    yield at_most("  without an explanation", by_class[None], 0)


# Of the texts compared. Which ones are damaged, and how, changes with every file that is added; the classes'
# meaning is in docs/ptx-differences.md.
MOST_PERCENT = 1

GROUPS = (against_ptxas,)
