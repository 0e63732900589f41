#!/usr/bin/env python3
"""Holds application files and predictions to the schemas of docs/schemas, and the reader to the same rules.

  check_schemas.py PROGRAM SOURCE_FOLDER
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def schema(name):
    document = json.loads((source / "docs/schemas" / name).read_text())
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


def expect(condition, what):
    if not condition:
        failures.append(what)


def run(*arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)


app_schema = schema("kerncast-app-1.schema.json")
check_schema = schema("kerncast-check-1.schema.json")
microbench_schema = schema("kerncast-microbench-1.schema.json")
prediction_schema = schema("kerncast-prediction-1.schema.json")
validation_schema = schema("kerncast-validation-1.schema.json")


def check_valid_application(path):
    errors = [e.message for e in app_schema.iter_errors(json.loads(path.read_text()))]
    expect(not errors, f"{path}: the schema refuses it: {errors[:3]}")
    expect(run("check", path).returncode == 0, f"{path}: the reader refuses it")


def check_prediction(*arguments):
    ended = run("predict", *arguments, "--json", "-")
    expect(ended.returncode == 0, f"predict {arguments}: {ended.stderr}")
    if ended.returncode == 0:
        errors = [f"{e.json_path}: {e.message}" for e in prediction_schema.iter_errors(json.loads(ended.stdout))]
        expect(not errors, f"predict {arguments}: not as the schema says: {errors[:3]}")


def check_validation(folder):
    """Curves at two occupancies, with a bound that no model keeps."""
    table = pathlib.Path(folder) / "curves.csv"
    table.write_text("gpu,application,kernel,warps,warps_per_cycle\n" + "".join(
        f"titan-x,{source}/tests/data/apps/scale.json,scale,{warps},1\n" for warps in (8, 16)))
    ended = run("validate", "curves", table, "--require", "volkov.mape<=0", "--json", "-")
    expect(ended.returncode == 4, f"validate: ends with {ended.returncode}: {ended.stderr}")
    if ended.returncode == 4:
        errors = [f"{e.json_path}: {e.message}" for e in validation_schema.iter_errors(json.loads(ended.stdout))]
        expect(not errors, f"validate: not as the schema says: {errors[:3]}")


def check_explained_launches(folder):
    """Stages and worst rows of two measured launches, one of which has no counters."""
    table = pathlib.Path(folder) / "measured.csv"
    counters = '"{""regs"":32,""derived_l2_read_hit"":0.5,""lts__t_sectors_op_read.sum"":0}"'
    table.write_text("gpu,kernel,grid_x,grid_y,grid_z,block_x,block_y,block_z,time_us,counters\n" + "".join(
        f"titan-x,scale,400,1,1,256,1,1,{time},{more}\n" for time, more in ((10, counters), (20, ""))))
    mapping = pathlib.Path(folder) / "map.json"
    mapping.write_text(json.dumps({"ptx": str(source / "tests/data/apps/scale.ptx"),
                                   "arguments": ["buf:409600", "buf:409600", "f32:2", "i32:102400"]}))
    ended = run("validate", "measured", table, "--map", mapping, "--stages", "--worst", "2", "--json", "-")
    expect(ended.returncode == 0, f"validate measured: ends with {ended.returncode}: {ended.stderr}")
    if ended.returncode == 0:
        report = json.loads(ended.stdout)
        errors = [f"{e.json_path}: {e.message}" for e in validation_schema.iter_errors(report)]
        expect(not errors, f"validate measured: not as the schema says: {errors[:3]}")
        expect("stages" in report and "worst" in report, "validate measured: nothing is explained")


def check_microbenchmarks():
    """The unit GPU's levels of memory have one latency, so that sizes cannot be told."""
    ended = run("microbench", "--gpu", "unit", "--json", "-")
    expect(ended.returncode == 0, f"microbench: {ended.stderr}")
    if ended.returncode == 0:
        errors = [f"{e.json_path}: {e.message}" for e in microbench_schema.iter_errors(json.loads(ended.stdout))]
        expect(not errors, f"microbench: not as the schema says: {errors[:3]}")


def check_report(files, accepted, folder):
    """The report is complete on standard output and in a file, also where files have errors."""
    report = pathlib.Path(folder) / "report.json"
    for target in ("-", report):
        ended = run("check", *files, "--json", target)
        expect(ended.returncode == (0 if all(accepted) else 1), f"check {files}: ends with {ended.returncode}")
        found = json.loads(ended.stdout if target == "-" else report.read_text())
        errors = [f"{e.json_path}: {e.message}" for e in check_schema.iter_errors(found)]
        expect(not errors, f"check {files}: not as the schema says: {errors[:3]}")
        expect([f["accepted"] for f in found] == accepted, f"check {files}: accepts other files")
        for one in found:
            worst = [d for d in one["diagnostics"] if d["severity"] == "error"]
            expect(bool(worst) != one["accepted"], f"check {files}: errors of {one['file']}")


def check_invalid_application(name, document, folder):
    """Both must refuse it, so that neither promises what the other does not keep."""
    path = pathlib.Path(folder) / "app.json"
    path.write_text(json.dumps(document))
    expect(not app_schema.is_valid(document), f"{name}: the schema accepts it")
    expect(run("check", path).returncode == 1, f"{name}: the reader does not end with 1")


applications = [source / "tests/data/apps" / name for name in ("scale.json", "streams.json", "dependent.json", "graphs.json")]
applications += sorted((source / "apps/workloads").glob("*/*/app.json"))
applications += sorted((source / "docs/examples").glob("*.json"))
for application in applications:
    check_valid_application(application)

scale = source / "tests/data/apps/scale.json"
for model in ("pipeline", "ppt-gpu-2019", "all"):
    check_prediction(scale, "--gpu", "titan-x", "--gpu", "unit", "--model", model)
check_prediction(scale, "--gpu", "titan-x", "--gpu", "unit", "--occupancy-curve")
check_prediction(source / "tests/data/apps/streams.json", "--gpu", "titan-x", "--model", "all")
check_prediction(source / "tests/data/apps/dependent.json", "--gpu", "h100-sxm")
check_prediction(source / "tests/data/apps/graphs.json", "--gpu", "h100-sxm", "--gpu", "titan-x")
check_prediction(source / "tests/data/ppt_lanl/nn_Titanx.json")
for ranks in sorted((source / "docs/examples").glob("*_ranks.json")):
    check_prediction(ranks, "--cluster", "unit", "--ranks", "4", "--no-interval")
check_prediction(source / "apps/workloads/rodinia/hotspot/app.json", "--gpu", "titan-x")
check_prediction(source / "apps/workloads/rodinia/pathfinder/app.json", "--gpu", "titan-x", "--what-if")

check_microbenchmarks()

with tempfile.TemporaryDirectory() as folder:
    ptx = source / "tests/data/apps/scale.ptx"
    broken = pathlib.Path(folder) / "broken.ptx"
    broken.write_text(ptx.read_text().replace("mad.lo.s32", "mda.lo.s32").replace("%r1,", "%r77,"))
    check_report([ptx, scale], [True, True], folder)
    check_report([ptx, broken, "/nonexistent"], [True, False, False], folder)
    check_validation(folder)
    check_explained_launches(folder)
    cases = json.loads((source / "tests/data/apps/invalid_applications.json").read_text())
    for case in cases:
        base = {"format": "kerncast-app/1", "name": "n", "modules": [str(ptx)],
                "buffers": {"x": {"bytes": 64}}, "events": []}
        base.update(case["change"])
        for key in case.get("remove", []):
            del base[key]
        check_invalid_application(case["name"], base, folder)

for failure in failures:
    print("error:", failure)
print(f"{len(applications)} applications, {len(cases)} invalid ones, {len(failures)} failures")
sys.exit(1 if failures else 0)
