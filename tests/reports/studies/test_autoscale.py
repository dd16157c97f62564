"""Autoscaling policies as a study: what its sentences, tables and warnings say of figures made up here."""

from dataclasses import replace

import numpy as np
import pytest

from fleettui.autoscaling.policies import POLICIES
from fleettui.domain.autoscale import Choice, Delay, Event, PolicyFigures, PoolSite, Rules, Site, Staffing, Tuned
from fleettui.domain.bounds import Bounds
from fleettui.domain.confidence import Confidence
from fleettui.domain.day import Day, Window
from fleettui.domain.plan import Estimate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study
from fleettui.planning.studies.autoscale import read
from fleettui.reports.studies.autoscale import autoscale_study
from fleettui.reports.studies.day_case import Asked, cost, front, met
from fleettui.reports.studies.differences import change_words
from fleettui.reports.study_text import study_text
from tests.repeated import few
from tests.reports.studies.test_sweep import PLAN

DAY = Day(
    name="mine", windows=(Window(start=0.0, end=7200.0, rate=50.0), Window(start=7200.0, end=14_400.0, rate=100.0))
)
ASKED = Asked(
    plan=PLAN,
    question=Question(workload="x", slo=Slo(ttft=0.5)),
    day=DAY,
    day_option="--day mine",
    delay=Delay(typed=300.0),
    rules=Rules().beside(Bounds()),
    runs=3,
    only=("static-peak", "keda"),
)
SITE = Site(slots=50.0, service_time=5.0, replica_rate=10.0, delay=300.0, least=1, most=20, rules=Rules(), day=DAY)
HOUR = Staffing(start=0.0, rate=50.0, load=250.0, replicas=6, wait=0.01, halfin_whitt=0.02)
POOL = PoolSite(name="all", gpus=8, price=2.0, site=SITE, staffing=(HOUR, replace(HOUR, start=3600.0)))


def about(value: float, half: float = 0.001) -> Estimate:
    return Estimate(value=value, low=value - half, high=value + half)


CHANGE = Choice(moment=7215.0, target=9, reason="raw 450.0")


def figures(policy: str, gpu_hours: float, met: float, met_change: float = 0.0) -> PolicyFigures:
    return PolicyFigures(
        policy=policy,
        gpu_hours=about(gpu_hours),
        cost_per_hour=about(gpu_hours / 2.0),
        met=about(met),
        worst=about(met - 0.1),
        ttft=about(0.4),
        rejected=about(0.0),
        left=about(0.03),
        lost=about(0.01),
        attempts=about(1.5),
        recovered=about(450.0),
        over=about(12.0),
        under=about(3.0),
        changes=about(40.0),
        flaps=about(4.0),
        missed=about(600.0),
        cost_change=about(gpu_hours / 2.0 - 160.0),
        met_change=about(met_change),
        least=about(gpu_hours / 4.0),
        by_pool=(tuple([40.0] * 24 + [80.0] * 24),),
        spans=tuple([(1000, round(1000 * met))] * 47 + [(0, 0)]),
        choices=((Choice(moment=0.0, target=5, reason="at the start"), CHANGE),),
    )


PEAK, KEDA = figures("static-peak", 320.0, 0.998), figures("keda", 250.0, 0.993, -0.005)


def test_clients_that_leave_are_told_where_the_plans_do() -> None:
    question = replace(ASKED.question, bounds=Bounds(queue=9, timeout=2.0))
    found = study(PEAK, KEDA, question=question)
    rows = next(table for table in found.tables if table.title == "clients that left").records()
    assert [(row["policy"], row["left"]) for row in rows] == [("static-peak", 0.03), ("keda", 0.03)]
    assert any("leaves after 2 s, as in the plan: under static-peak 3.00%" in one for one in found.sentences)
    assert not any(table.title == "clients that left" for table in study(PEAK, KEDA).tables)


def study(*given: PolicyFigures, **changes: object) -> Study:
    return autoscale_study(replace(ASKED, **changes), [POOL], given)  # type: ignore[arg-type]


def test_the_cheapest_that_keeps_the_slo_comes_first_and_no_winner_is_made_up() -> None:
    found = study(PEAK, KEDA, figures("static-mean", 200.0, 0.8))
    assert found.sentences == (
        "keda is the cheapest that keeps the SLO: $125/h on average, -22% against static-peak; 99.30% of the requests "
        "within every limit; in the worst 5 minutes 89.30%",
        "none dominates; from cheapest to safest, with the share within every limit: static-mean 80.00% at $100/h; "
        "keda 99.30% at $125/h; static-peak 99.80% at $160/h",
        "no autoscaler serves what keda served within every limit with fewer than 62.5 GPU-hours, whatever it knows; "
        "keda pays for 250, and with the most that each replica holds at every moment the traffic fills 240",
        "of a static fleet for the rate of 99.9% of the time a perfect autoscaler pays 75% if it changes every 10 min, "
        "75% if it changes every 1 h, 100% if it changes every 6 h",
        "a replica serves 300 s after its launch (as typed) and is paid for from then until it has drained",
        "every policy met the same requests in each of 3 runs, token by token in the engine that proves plans",
    )
    assert found.question == "autoscale 9f3c --day mine --delay 300s --runs 3 --policies static-peak,keda"
    assert found.title == "spring: capacity over 4 h of mine"
    assert max(map(len, study_text(found).splitlines())) <= 80


def test_the_plans_spares_are_told_beside_what_policies_cost() -> None:
    """Found: "-52% against static-peak, $47/h" beside a plan of $71/h, whose 8 spare GPUs no policy had."""
    best = PLAN.answer
    assert best is not None
    pool = replace(best.fleet.pools[0], name="all", spares=2, tp=4)
    plan = replace(PLAN, answer=replace(best, fleet=replace(best.fleet, pools=(pool,))))
    assert study(PEAK, KEDA, plan=plan).sentences[1] == (
        "no policy here counts the plan's 8 spare GPUs, $16/h, which stand beside each: with them keda costs $141/h, "
        "-20% against static-peak with them, $176/h"
    )
    assert study(PEAK, plan=plan).sentences[1].endswith("beside each: with them static-peak costs $176/h")
    assert not any("spare" in one for one in study(PEAK, KEDA).sentences)


def test_a_difference_in_cost_stands_beside_the_share_of_the_cost() -> None:
    """Found: less by $0.41/h, and 100.6 % of it: the share was of GPU-hours, beside 94.3 % in the first table."""
    dear = replace(KEDA, gpu_hours=about(322.0))
    (row,) = next(one for one in study(PEAK, dear).tables if one.title.startswith("cost against static-peak")).records()
    assert (row["it_costs"], row["of_it"]) == ("less", 125.0 / 160.0)


def test_its_tables_say_who_is_on_the_front_and_what_it_needed_when() -> None:
    costs, dearer, safer, does, over_time, staffing, largest, laws, settings, *_ = study(
        PEAK, KEDA, figures("oracle", 245.0, 0.999), figures("knative", 330.0, 0.99)
    ).tables
    assert [(row[0], row[-1]) for row in costs.rows] == [
        ("oracle", "told"),
        ("keda", "keeps"),
        ("static-peak", "keeps"),
        ("knative", ""),
    ]
    assert [(row[0], row[4]) for row in dearer.rows] == [("keda", "less"), ("oracle", "less"), ("knative", "more")]
    assert [row[4] for row in safer.rows] == ["less", "not proven", "not proven"]
    assert [row[1] for row in does.rows] == [0.4] * 4
    assert [column.name for column in over_time.columns] == ["hour", "demand", "static_peak", "keda", "oracle"]
    assert over_time.rows[0] == (0.0, 40.0, 40.0, 40.0, 40.0)
    assert over_time.rows[-1] == (46 / 12, 80.0, 80.0, 80.0, 80.0)
    assert [row[0] for row in staffing.rows] == [0.0, 1.0]
    assert largest.rows == ((7215 / 3600, 4, 9, "raw 450.0"),)
    assert len(laws.rows) == 4
    assert settings.rows == (("all", 10.0, 50.0, 5.0, 300.0, 1, 20, 0.7, 1.5, 1.0, 0.0, 0, 15.0),)


def test_where_nobody_keeps_the_slo_the_nearest_is_named_and_one_that_dominates_is_said_to() -> None:
    words = study(figures("keda", 320.0, 0.9), figures("knative", 400.0, 0.8)).sentences
    assert words[0] == "no policy keeps the SLO for 99% of the day's requests: keda is nearest, 90.00%"
    assert words[1].startswith("no other policy costs less or keeps more: keda")


def test_what_knows_the_day_beforehand_is_not_the_nearest_to_keep_the_slo() -> None:
    """Found: "no policy keeps the SLO: oracle is nearest, 99.52%", and none cost less than one that cost more."""
    words = study(figures("keda", 320.0, 0.98), figures("oracle", 250.0, 0.995)).sentences
    assert words[0] == (
        "no policy keeps the SLO for 99% of the day's requests: keda is nearest, 98.00%; oracle, which knows the day "
        "beforehand, keeps 99.50%"
    )
    assert words[1].startswith("no other policy that does not know the day beforehand costs less or keeps more: keda")


@pytest.mark.parametrize("seed", few(range(60), 10))
def test_no_policy_is_called_the_winner_where_none_dominates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    costs, shares = rng.choice((200.0, 250.0, 300.0), 6), rng.choice((0.98, 0.991, 0.995), 6)
    given = [figures(*one) for one in zip(POLICIES.names, costs.tolist(), shares.tolist(), strict=False)]
    beaten = {
        one.policy
        for one in given
        for other in given
        if (-cost(other), met(other)) != (-cost(one), met(one)) and cost(other) <= cost(one) and met(other) >= met(one)
    }
    found = study(*given)
    front_words = next(one for one in found.sentences if one.startswith(("none dominates", "no other policy")))
    alone = len(given) - len(beaten) == 1
    assert front_words.startswith("no other policy" if alone else "none dominates")
    assert all((f"{one.policy} {100.0 * met(one):.2f}%" in front_words) == (one.policy not in beaten) for one in given)
    assert not any(word in text for text in found.sentences for word in ("winner", "wins", "is best", "the best"))


def test_a_delay_that_nobody_typed_is_never_zero_and_always_told() -> None:
    assumed = study(PEAK, delay=read({"plan": "9f3c"})["delay"])
    assert Delay().seconds(0.0) > 300.0
    assert "--delay node=180s,image=15s,disk=1GB/s,warm-up=140s" in assumed.question
    assert any("stages of a start are assumed" in one for one in assumed.warnings)
    assert not any("delay of 0 s" in one for one in assumed.warnings)


def test_an_interval_across_the_slo_is_no_proof() -> None:
    found = study(PEAK, figures("keda", 250.0, 0.9905), figures("knative", 240.0, 0.9901))
    assert found.sentences[0] == (
        "knative is the cheapest that keeps the SLO in these runs: $120/h on average, -25% against static-peak; 99.01% "
        "of the requests within every limit, not proven to be 99% or more; in the worst 5 minutes 89.01%"
    )


def test_what_nobody_foresaw_has_a_table_of_its_own() -> None:
    events = (Event(kind="loss", start=3600.0, size=0.2),)
    found = study(PEAK, KEDA, events=events)
    assert "--event loss=20%@1h" in found.question
    assert "not foreseen: loss=20%@1h; static-peak came through it best, within the SLO again after 7.5 min" in (
        found.sentences
    )
    assert found.tables[-1].rows[0] == ("static-peak", 0.01, 450.0, 449.999, 450.001)


def test_what_was_tuned_is_judged_on_the_other_half() -> None:
    better, given = figures("keda", 200.0, 0.992), figures("keda", 260.0, 0.999)
    tuned = [
        Tuned(chosen=(("target", 0.9),), given=(("target", 0.7),), tuned=better, judged=better, as_given=given),
        Tuned(chosen=(("beta", 1.5),), given=(("beta", 1.5),), tuned=PEAK, judged=PEAK, as_given=PEAK),
    ]
    found = autoscale_study(replace(ASKED, tune=True), [POOL], [PEAK, KEDA], tuned)
    assert found.question.endswith("--tune")
    assert found.sentences[5] == (
        "tuned on the first half of the day, keda with target 90% is the cheapest of the tuned that keeps the SLO on "
        "the second: 99.20% at $100/h; as given, target 70%, 99.90% at $130/h"
    )
    assert [row[:2] for row in found.tables[-1].rows] == [
        ("keda", "target 90%, tuned"),
        ("keda", "target 70%, given"),
        ("static-peak", "beta 1.5, tuned"),
    ]
    alone = autoscale_study(ASKED, [POOL], [PEAK, KEDA], tuned[1:]).sentences[5]
    assert alone.endswith("99.80% at $160/h; that is what was given")
    broken = [replace(tuned[0], judged=figures("keda", 200.0, 0.9))]
    words = autoscale_study(ASKED, [POOL], [PEAK, KEDA], broken).sentences[5]
    assert words == "tuned on the first half of the day, no policy keeps the SLO on the second"


def test_what_is_worth_committing_to() -> None:
    """Found: $2.65/h on average, and $2.66/h without a commitment, which was the first run's."""
    found = study(PEAK, KEDA, reserved=0.6)
    assert found.question.endswith("--reserved 60%")
    cost = 48.0 + 40.0 * 125.0 / 120.0
    assert found.tables[-1].rows[0] == ("keda", 40, pytest.approx(cost), 125.0, pytest.approx(1.0 - cost / 125.0))
    assert "committing to 40 GPUs at 60% of the price brings keda from $125/h to $90/h" in found.sentences
    assert study(PEAK, KEDA, reserved=0.4).tables[-1].rows[0][1:3] == (80, 64.0)


def test_several_pools_are_told_apart() -> None:
    pools = [POOL, replace(POOL, name="long", site=replace(SITE, delay=400.0))]
    both = [replace(one, by_pool=one.by_pool * 2, choices=one.choices * 2) for one in (PEAK, KEDA)]
    found = autoscale_study(ASKED, pools, both)
    assert [row[0] for row in found.tables[5].rows] == ["all", "all", "long", "long"]
    assert any("300 s and 400 s" in one for one in found.sentences)
    assert found.tables[6].note == "in the first run, of pool all"
    assert str(found.tables[10].rows[0][-1]) == "all: 5 replicas at the start; long: 5 replicas at the start"


def test_every_policy_stands_beside_what_no_autoscaler_could_go_below() -> None:
    bound = study(PEAK, KEDA).tables[9]
    assert [column.name for column in bound.columns][3:] == ["at_least", "over_least", "of_full_load"]
    assert bound.rows[0] == ("keda", 250.0, 0.993, 62.5, 4.0, pytest.approx(250 / 240))
    assert [row[0] for row in bound.rows] == ["keda", "static-peak"]


def test_demand_capacity_slo_and_decisions_of_every_policy_are_drawn_and_not_printed() -> None:
    found = study(PEAK, KEDA)
    each = found.tables[10]
    assert each.drawn
    assert [row[0] for row in each.rows] == ["static-peak"] * 48 + ["keda"] * 48
    assert each.rows[0][1:] == (0.0, 40.0, 40.0, 0.998, "5 replicas at the start")
    assert each.rows[-2][1:5] == (pytest.approx(46 / 12), 80.0, 80.0, 0.993)
    assert each.rows[-1][4:] == (None, "9 replicas since 02:00:15: raw 450.0")
    text = study_text(found)
    assert "each policy over time" in text
    assert "at the start" not in text


def test_what_a_reader_must_know() -> None:
    assert any("real ones burst" in one for one in study(PEAK).warnings)
    assert any("a delay of 0 s was typed" in one for one in study(PEAK, delay=Delay(typed=0.0)).warnings)
    assert any(
        "serves 300 s on average, with a coefficient of variation of 0.3, after its launch (as typed)" in one
        for one in study(PEAK, delay=Delay(typed=300.0, cv=0.3)).sentences
    )
    assert any("--delay gives yours" in one for one in study(PEAK, delay=Delay()).warnings)
    assert any("the plan's 100/s" in one for one in study(PEAK, day=DAY.scaled(200.0)).warnings)
    assert any("keda paid less" in one for one in study(PEAK, figures("keda", 200.0, 0.5)).warnings)
    assert study(PEAK, KEDA).warnings == study(PEAK).warnings
    bursty = Question(workload="x", slo=Slo(ttft=0.5), arrivals="bursty")
    assert study(PEAK, question=bursty).warnings == ()


def test_a_plan_that_is_to_be_surer_is_told_that_the_day_is_at_nominal_speed() -> None:
    sure = study(PEAK, question=replace(ASKED.question, confidence=0.9))
    assert "at nominal speed: the plan is 90% sure, how much a replica holds here is not" in sure.warnings
    assert not any("sure" in one for one in study(PEAK).warnings)
    known = Confidence(holds=0.7, replicas=None, gpus=None, cost=None, span=(None, None))
    unsure = study(PEAK, plan=replace(ASKED.plan, confidence=known)).warnings
    assert "at nominal speed: the plan is 70% sure, --confidence 90% sizes for more" in unsure


def test_the_line_that_was_asked_says_what_is_not_as_by_default() -> None:
    rules = Rules(cycle=30.0, beta=2.0, step=0.5, target=0.8, queue=9, least=2, most=12)
    line = study(PEAK, rules=rules.beside(Bounds()), only=POLICIES.names, delay=Delay()).question
    assert line == (
        "autoscale 9f3c --day mine --delay node=180s,image=15s,disk=1GB/s,warm-up=140s --runs 3 --cycle 30s --beta 2 "
        "--step 0.5 --target 80% --queue 9 --min 2 --max 12"
    )


def test_the_front_leaves_out_what_another_beats_and_who_foresees() -> None:
    worse = figures("knative", 330.0, 0.99)
    assert [one.policy for one in front([PEAK, worse, KEDA, figures("oracle", 1.0, 1.0)])] == ["keda", "static-peak"]


@pytest.mark.parametrize(("change", "words"), [(0.0, "not proven"), (0.1, "more"), (-0.1, "less")])
def test_a_difference_that_may_be_none_is_not_proven(change: float, words: str) -> None:
    assert change_words(about(change), "more", "less") == words
    assert change_words(Estimate(value=change), "more", "less") == "not proven"
