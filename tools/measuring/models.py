"""The closed-form models: what their papers print, what 003 proves of them, and that the program has them all."""

import json

from measuring.common import WORKLOADS, Number, at_most, claims, equal, missing, predict, run

PRINTED = {
    "ModelsOf001.give_the_needed_occupancies": "001: warps needed, 80 rows to the printed digits",
    "Volkov.adds_per_cycle": "001 A1: 111.27, 126.03, 6.815 additions per cycle",
    "Volkov.needed_occupancy": "001 A8: 5 to 36 and 11.9 to 40.3 warps",
    "Volkov.cusp": "001 A8: cusp at 49 on Maxwell, 54 warps",
    "HongKim.on_the_gtx280": "001 A11: MWP 12.36, CWP 4.29, 2.124 times the basic model",
    "Baghsorkhi.on_the_g80": "001 A11: Baghsorkhi, 1.652 and 0.97",
    "Sim2012.overestimates_by_up_to_two_at_the_knee": "001 A11: Sim, 1.74, 1.85, 1.85",
    "ZhangOwens.overestimates_by_up_to_two": "001 A11: isolated maximum, 1.72 to 1.958",
    "CudaGuide.needed_occupancy": "001 A11: CUDA guide, 6.94 to 37.6 warps",
    "HuangRoundRobin.has_no_throughput_limit": "001 A11: 251.5 GB/s, 341.3 additions per cycle",
    "HuangGreedyThenOldest.passes_its_issue_limit": "001 A11: 1.185 instructions per cycle",
    "HuangBandwidth.turns_negative_past_saturation": "001 A11: utilisation 1.138, delay -11.05, CPI -0.703",
    "HuangBandwidth.gives_negative_throughput_on_fermi": "001 A11: -11.7 additions per cycle, CPI -89.5",
    "Fig2.wfg_passes_volkov_at_three_and_four_warps": "003 Fig. 2: WFG above Volkov at 3 and 4 warps",
    "Fig2.mwp_cwp": "003 Fig. 2: MWP-CWP",
    "Fig2.gpumech_round_robin_goes_through_the_roof": "003 Fig. 2: GPUMech, round-robin",
    "Fig2.gpumech_greedy_then_oldest_converges_to_the_roof": "003 Fig. 2: GPUMech, greedy-then-oldest",
    "Fig3.transit_crosses_where_equation_11_says": "003 Fig. 3: Transit's crossing",
    "Fig4.filling_the_pipeline_takes_what_equation_29_says": "003 Fig. 4, eq. 29",
    "Fig4.the_simulator_starts_accesses_as_the_pipeline_does": "003 Fig. 4: the simulator",
    "Fig6.case_2_takes_less_time_for_two_warps_than_for_one": "003 Fig. 6: the impossible dip, 14 to 11.5 cycles",
    "Fig6.corrected_every_case_takes_volkovs_14_cycles": "003 Fig. 6, eq. 42: 14 cycles, no dip",
    "Fig14.volkov_is_an_upper_bound_of_the_corrected_models": "003 Fig. 14: below Volkov, to the same roof",
    "Table7.says_which_models_react": "003 Table 7: six aspects",
}
PROVED = {
    "Volkov.equals_transit_without_ilp": "003 theorem 1, random kernels",
    "GpuMechGto.equals_volkov_over_equal_intervals": "003 section 2.5.2, random kernels",
    "GpuMechGto.is_never_above_volkov_when_issue_is_certain": "GPUMech-GTO never above Volkov",
    "ClosedForms.answer_every_kernel": "every model answers every random kernel, none above its roof",
}


def verdicts(program, names):
    ran = claims(program)
    for test, name in names.items():
        if test in ran:
            yield Number(name, "holds" if ran[test].holds else "does not hold", "holds", ran[test].holds)
        else:
            yield missing(name, "holds", f"no test {test}")


def grid():
    claim = claims("oracle_analytical")["ModelsOf001.give_all_rows_of_the_grid"]
    yield equal("001: rows of the grid", int(claim.recorded.get("rows", 0)), 1792)
    yield at_most("001: largest relative error of 12 columns", float(claim.recorded["largest_relative_error_1e9"]) / 1e9,
                  1e-4)


def printed():
    yield from verdicts("oracle_analytical", PRINTED)


def proved():
    yield from verdicts("property_analytical", PROVED)


def by_command():
    application = WORKLOADS / "rodinia" / "hotspot" / "app.json"
    once = run([*predict(application, "--gpu", "titan-x"), "--model", "all", "--occupancy-curve"])
    predictions = json.loads(once.stdout)
    yield equal("models of --model all, the simulator included", len(predictions), 22)
    curves = predictions[0]["kernels"][0]["occupancy_curve"]["models"]
    yield equal("curves of --occupancy-curve", len(curves), 22)
    yield equal("points of each closed form on titan-x", sorted({len(c["points"]) for c in curves[1:]}), [64])


GROUPS = (grid, printed, proved, by_command)
