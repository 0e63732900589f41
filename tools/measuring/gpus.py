"""The GPU database: what it holds, what its checks refuse, occupancy against the toolkit's calculator."""

import json
import pathlib
import tempfile

from measuring.common import KERNCAST, Number, at_least, at_most, claims, equal, missing, run

# A first prediction by hand, docs/adding-a-gpu.md.
MANUAL = pathlib.Path(__file__).resolve().parents[2] / "docs" / "adding-a-gpu.md"
APP = MANUAL.parents[1] / "apps" / "workloads" / "rodinia" / "hotspot" / "app.json"

CHECKS = {
    "ShippedFiles.EveryGpuLoadsAndPassesItsChecks": "every file passes bandwidth, peak, lanes, cache and limit checks",
    "ShippedFiles.EveryGpuStatesWhatIsChecked": "every GPU states bus, data rate, clocks, lanes and peaks",
    "ShippedFiles.EveryNumberHasASourceOrIsMarkedAsAGuess": "every number has its source or is marked as a guess",
    "ShippedFiles.EveryIntervalLongerThanItsLanesNeedHasASourceOfItsOwn": "issue interval x lanes above 32 is sourced",
    "Contradiction.BandwidthMustBeBusWidthTimesDataRate": "bandwidth off by more than 2 % is refused",
    "DerivedValues.APublishedPeakMustBeTheUnitsAtAClock": "peak off by more than 2 % is refused",
    "DerivedValues.LimitsAboveTheComputeCapabilityAreRefused": "limits above the compute capability are refused",
    "OlderCapabilities.OneByteMoreTakesTwoCtasOnKepler": "001 A10: 3072 bytes 16 CTAs, 3073 bytes 14",
    "OlderCapabilities.SevenCtasCannotBeReachedBySharedMemoryOnG80AndGt200": "001 A10: seven CTAs are out of reach",
    "OlderCapabilities.SharedMemoryCannotEnforceASingleCtaOnMaxwell": "001 A10: no single CTA on Maxwell",
    "ManualExample.TheGpuOfTheDataSheetLoads": "the manual's RTX 5090 loads",
}


def database():
    gpus = json.loads(run([KERNCAST, "gpus", "list", "--json", "-"]).stdout)
    yield at_least("GPUs, the unit GPU not counted", sum(g["name"] != "unit" for g in gpus), 48)


def checks():
    ran = claims("unit_configs")
    for test, name in CHECKS.items():
        if test in ran:
            yield Number(name, "holds" if ran[test].holds else "does not hold", "holds", ran[test].holds)
        else:
            yield missing(name, "holds", f"no test {test}")
    table = ran["OccupancyTable.EqualsTheCalculator"]
    yield equal("occupancy: cases of the table equal", int(table.recorded.get("equal", 0)), 5000)


def occupancy_of_the_toolkit():
    if not list(pathlib.Path("/usr/local").glob("cuda*/include/cuda_occupancy.h")):
        return  # the table counts
    claim = claims("oracle_configs")["OccupancyOfTheToolkit.IsOurs"]
    yield equal("occupancy: 100000 launches x 24 capabilities equal to cuda_occupancy.h",
                int(claim.recorded.get("equal", 0)), 2400000)


def first_prediction():
    """The commands of the manual, without the reading."""
    with tempfile.TemporaryDirectory() as folder:
        gpu = pathlib.Path(folder) / "rtx5090.toml"
        gpu.write_text(MANUAL.read_text().split("```toml\n")[1].split("```")[0])
        checked = run([KERNCAST, "gpus", "check", gpu])
        predicted = run([KERNCAST, "predict", APP, "--gpu", gpu])
        yield at_most("RTX 5090: check and first prediction", checked.cpu_seconds + predicted.cpu_seconds, 1,
                      " CPU-s")


GROUPS = (database, checks, occupancy_of_the_toolkit, first_prediction)
