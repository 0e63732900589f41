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
    "CapabilityLimits.ComeFromTheFileOfTheCapability": "another compute capability brings its own limits",
    "CapabilityLimits.MayBeSmallerThanTheParents": "limits below the parent's are taken over, too",
    "Contradiction.L2IsNoSlowerThanDram": "L2 bandwidth below DRAM bandwidth is refused",
    "Contradiction.UnitCannotBeFasterThanItsLanes": "issue interval x lanes below 32 is refused",
    "Contradiction.UnitSlowerThanItsLanesNeedsASource": "issue interval x lanes above 32 without source is refused",
    "CacheGeometry.SetsAreWhole": "cache geometry: whole sets",
    "CacheGeometry.LinesSectorsAndBanksArePowersOfTwo": "cache geometry: lines, sectors and banks are powers of two",
    "Contradiction.LimitsMustAgree": "residency limits that contradict each other are refused",
    "PlausibleValues.EveryNumberHasARangeAndIsRefusedOutsideOfIt": "every number outside of its key's range is refused",
    "Words.ZeroIsRefusedWhereAWordMeansIt": "0 for not checked, not known or none is refused",
    "Words.LeavingAnInheritedCheckIsSaid": "a check that is left is named by every prediction",
    "Words.EveryShippedGpuSaysItsClocksAndItsNvlink": "base clock and NVLink: a number, none or not published",
    "KeyTable.KeysAreUniqueAndSayWhatTheyMean": "every key has unit, range, default and meaning",
    "DerivedValues.PeaksOfAHypotheticalGpuFollowFromItsSms": "peaks of a hypothetical GPU follow",
    "Table4Without.HotspotAndSgemmFollowFromTheRegistersThatItDoesNotName": "002 Table 4: what follows from unnamed inputs",
    "OlderCapabilities.OneByteMoreTakesTwoCtasOnKepler": "001 A10: 3072 bytes 16 CTAs, 3073 bytes 14",
    "OlderCapabilities.SevenCtasCannotBeReachedBySharedMemoryOnG80AndGt200": "001 A10: seven CTAs are out of reach",
    "OlderCapabilities.SharedMemoryCannotEnforceASingleCtaOnMaxwell": "001 A10: no single CTA on Maxwell",
    "ManualExample.TheGpuOfTheDataSheetLoads": "the manual's RTX 5090 loads",
}


# The GPUs that the database must have.
NAMES = """
8800gtx gtx280 c2050 gtx480 gtx650ti gtx680 k20 k40m k620 gtx980 titan-x p100 gtx1060 gtx1080 gtx1080ti titan-v
v100-pcie-16gb v100-pcie-32gb v100-sxm2-16gb gv100 t4 titan-rtx gtx1650 rtx2060 rtx2070 rtx2070-super rtx2080ti
a100-pcie-40gb a100-sxm4-40gb a100-sxm4-80gb a40 a4000 a6000 rtx3060 rtx3060-laptop rtx3060ti rtx3070 rtx3070ti
rtx3080 rtx3090 l4 l40 rtx4090 h100-pcie h100-sxm h200 gh200 b200
""".split()


def database():
    gpus = {g["name"] for g in json.loads(run([KERNCAST, "gpus", "list", "--json", "-"]).stdout)}
    yield equal(f"of {len(NAMES)} GPUs those that are missing", len(set(NAMES) - gpus), 0)
    shown = [json.loads(run([KERNCAST, "gpus", "show", name, "--json", "-"]).stdout) for name in NAMES]
    stated = [origin for gpu in shown for origin in gpu["origins"].values()
              if origin["kind"] not in ("default", "follows")]
    numbers = sum(isinstance(value, (int, float)) for gpu in shown for value in gpu["gpu_resolved"].values())
    yield at_least("numbers that are shown with their origin", numbers, 4800)
    yield equal("of the stated values those without a place", sum(not origin["from"] for origin in stated), 0)
    files = [MANUAL.parents[1] / "configs" / "gpus" / f"{name}.toml" for name in NAMES]
    checked = run([KERNCAST, "gpus", "check", *files]).stdout.count("compute capability")
    yield equal("files that gpus check accepts", checked, len(NAMES))


def checks():
    ran = claims("unit_configs")
    for test, name in CHECKS.items():
        if test in ran:
            yield Number(name, "holds" if ran[test].holds else "does not hold", "holds", ran[test].holds)
        else:
            yield missing(name, "holds", f"no test {test}")
    rows = [claim.holds for test, claim in ran.items() if test.startswith("Of002/Table4.")]
    yield equal("002 Table 4: rows whose inputs are known and whose occupancy is equal", sum(rows), 8)
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
        keys = run([KERNCAST, "gpus", "show", gpu, "--json", "-"]).stdout
        documented = (MANUAL.parent / "gpu-keys.md").read_text()
        undocumented = [key for key in json.loads(keys)["gpu_resolved"]
                        if not key.startswith("units.") and f"`{key}`" not in documented]
        yield equal("keys that the list of keys lacks", len(undocumented), 0)
        yield at_most("RTX 5090: check and first prediction", checked.cpu_seconds + predicted.cpu_seconds, 1,
                      " CPU-s")


GROUPS = (database, checks, occupancy_of_the_toolkit, first_prediction)
