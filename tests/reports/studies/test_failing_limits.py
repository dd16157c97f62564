from dataclasses import replace

from fleettui.domain.failing import Steady
from fleettui.domain.plan import Estimate
from fleettui.domain.slo import Slo
from fleettui.reports.studies.failing_limits import broken, limits_table
from fleettui.reports.study_tables import study_table
from tests.reports.studies.test_burst import about

BOTH = Slo(ttft=1.0, tpot=0.04)
LEFT = Steady(
    verdict="fail",
    simulated=True,
    ttft=about(0.5),
    met=about(0.97),
    limited=(("ttft", about(0.5)), ("tpot", about(0.05))),
)


def test_the_limit_that_breaks_is_named_and_one_that_holds_is_not() -> None:
    assert broken(LEFT, BOTH) == " (P99 TPOT 25% over)"
    assert broken(replace(LEFT, verdict="pass"), BOTH) == ""
    assert broken(replace(LEFT, verdict="unproven"), BOTH) == ""
    assert broken(replace(LEFT, limited=()), BOTH) == "", "a queue that grows has no latency"
    neither = replace(LEFT, limited=(("ttft", about(1.0)), ("tpot", Estimate(value=None))))
    assert broken(neither, BOTH) == ""


def test_every_limit_has_its_latency_and_what_is_left_of_it() -> None:
    (found,) = limits_table([("1 down", LEFT), ("2 down", replace(LEFT, limited=()))], BOTH)
    assert found.records() == [
        {"down": "1 down", "ttft": 0.5, "ttft_left": 0.5, "tpot": 0.05, "tpot_left": 1.0 - 0.05 / 0.04},
        {"down": "2 down", "ttft": None, "ttft_left": None, "tpot": None, "tpot_left": None},
    ]
    heads = [head.title for head in study_table(found).columns]
    assert heads == ["down", "TTFT ms", "TTFT left %", "TPOT ms", "TPOT left %"]


def test_a_limit_on_ttft_alone_stands_in_the_table_of_what_is_left() -> None:
    assert not list(limits_table([("1 down", LEFT)], Slo(ttft=1.0)))
    assert len(list(limits_table([("1 down", LEFT)], Slo(tpot=0.04)))) == 1
