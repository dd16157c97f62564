"""The first screen of an autoscale study: which policy, at what cost, and whether it holds."""

from dataclasses import replace

from fleettui.reports.studies.day_summary import day_summary
from fleettui.reports.study_text import study_text
from tests.reports.studies.test_autoscale import KEDA, PEAK, figures, study

SCREEN = 24


def test_it_has_the_front_and_the_constant_fleet_beside_it() -> None:
    oracle, knative, mean = (
        figures("oracle", 245.0, 0.999),
        figures("knative", 330.0, 0.99),
        figures("estimator", 200, 0.8),
    )
    found = day_summary(study(PEAK, KEDA, oracle, knative, mean))
    assert found is not None
    told = [(row["policy"], row["of_static"], row["slo_met"], row["bound"], row["slo"]) for row in found.records()]
    assert told == [
        ("estimator", 0.625, 0.8, 50.0, "breaks"),
        ("keda", 0.78125, 0.993, 62.5, "keeps"),
        ("static-peak", 1.0, 0.998, 80.0, "keeps"),
    ]


def test_a_constant_fleet_that_another_beats_is_told_all_the_same() -> None:
    found = day_summary(study(PEAK, figures("keda", 250.0, 0.999)))
    assert found is not None
    assert [(row["policy"], row["slo"]) for row in found.records()] == [("keda", "keeps"), ("static-peak", None)]


def test_without_a_constant_fleet_nothing_is_set_beside_one() -> None:
    found = day_summary(study(KEDA))
    assert found is not None
    assert [(row["policy"], row["of_static"]) for row in found.records()] == [("keda", None)]


def test_the_first_screen_answers_and_all_else_follows() -> None:
    names = ("hpa-in-flight", "hpa-utilization", "knative", "throughput", "saturation", "estimator", "symmetric")
    more = [figures(name, 251.0 + place, 0.9931 + place / 10_000.0) for place, name in enumerate(names)]
    more += [
        figures(name, 200.0 + place, 0.9 + place / 100.0) for place, name in enumerate(("estimator-beta", "forecast"))
    ]
    found = study(PEAK, KEDA, *more, figures("static-mean", 100.0, 0.5))
    lines = study_text(found).splitlines()
    first = lines[:SCREEN]
    assert "in words" not in first[:-1]
    assert [line for line in first if line.startswith(found.sentences[0][:40])]
    table = lines.index("in short, cheapest first")
    assert lines[table + 2].startswith("forecast ")  # the ten safest of the front
    assert {"static-peak", "keda"} <= {line.split(" ")[0] for line in first[table + 2 :]}
    assert lines[lines.index("in words") - 1] == "", "the summary ends within the screen"
    assert lines.index("in words") <= SCREEN
    text = " ".join(study_text(found).split())
    assert all(sentence in text for sentence in found.sentences)
    assert all(table.title in text for table in found.tables)


def test_a_study_without_those_tables_is_told_as_all_others() -> None:
    bare = replace(study(PEAK, KEDA), tables=())
    assert day_summary(bare) is None
    assert "in words" not in study_text(bare)
